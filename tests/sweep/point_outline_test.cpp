// SPDX-License-Identifier: MIT
#include "sweep/point_outline.h"

#include "base/error.h"
#include "graph/memory.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

Bytes peak_of_graph(const SweepSpec& spec, std::int64_t index) {
    return planned(job_of(spec, point_of(spec, index))).plan->footprint.peak;
}

class PointOutlines : public ::testing::TestWithParam<const char*> {};

TEST_P(PointOutlines, HaveThePeakOfTheGraphWhateverTheOrder) {
    SweepSpec spec = find_sweep(GetParam());
    spec.settings.push_back(spec.settings.front());
    spec.settings.back().execution.numerics.mode = Mode::inference;
    PointOutline outline(spec);
    const ShuffledOrder order(count_points(spec), 11);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(order.count(), 40); ++i) {
        const std::int64_t index = order.at(i);
        SCOPED_TRACE(point_of(spec, index).network);
        ASSERT_TRUE(outline.find(place_of(spec, index)));
        EXPECT_EQ(outline.peak(), peak_of_graph(spec, index));
        if (i == 20) {
            outline.forget_layers();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Grids, PointOutlines,
                         ::testing::Values("paradnn-fc", "paradnn-residual", "paradnn-bottleneck",
                                           "paradnn-rnn", "paradnn-lstm", "paradnn-gru",
                                           "cpu-small"));

TEST(PointOutline, IsAbsentIfLayersAreFused) {
    SweepSpec spec = find_sweep("cpu-small");
    spec.settings.front().execution.engine.fusion = Fusion::convolution;
    EXPECT_FALSE(PointOutline(spec).find(place_of(spec, 0)));
}

}  // namespace
}  // namespace strata
