// SPDX-License-Identifier: MIT
#include "graph/memory.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(CaffeData, CountsEveryTopAndASplitForEachOfSeveralReaders) {
    // stem is read twice: count it, two copies, and the results of its readers and their join.
    EXPECT_EQ(caffe_data_bytes(small_diamond()).value, 4 * 2 * 16 * (3 + 4 + 2 * 4 + 4 + 4 + 8));
}

TEST(CaffeTraining, CountsBlobsOfValueAndGradientAndThreeCopiesOfTheParameters) {
    // data, conv1, pool1 and fc2 have blobs; the ReLU works in place, labels and loss are omitted.
    const double blobs = 2 * (3 * 64 + 4 * 64 + 4 * 16 + 10);
    const double parameters = 4 * 27 + 4 + 640 + 10;
    EXPECT_EQ(caffe_training_bytes(small_chain()).value, 8 * blobs + 12 * parameters);
}

}  // namespace
}  // namespace strata
