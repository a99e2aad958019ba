// SPDX-License-Identifier: MIT
#include "view/fit.h"

#include "report/terminal.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(FitView, ShowsTheLargestBatchOfEachModeAndItsLimit) {
    const auto capacity = [](std::int64_t batch, double needs, BatchLimit limit) {
        return Capacity{.largest = {.batch = batch, .needs = Bytes{needs}, .limit = limit},
                        .memory = Bytes{16e9},
                        .source = MemorySource::given,
                        .refusal = "the batch is fixed at 64"};
    };
    const std::vector<FittingBatch> batches = {
        {Mode::training, capacity(168, 15.93e9, BatchLimit::memory)},
        {Mode::training, capacity(0, 24e9, BatchLimit::memory)},
        {Mode::inference, capacity(64, 3e9, BatchLimit::network)},
        {Mode::inference, capacity(largest_batch_tried, 8e9, BatchLimit::none)}};
    testing::expect_golden("view/fit.txt", render_terminal(fit_document("resnet-50", {}, batches),
                                                           {.width = 100, .unicode = true}));
}

}  // namespace
}  // namespace strata
