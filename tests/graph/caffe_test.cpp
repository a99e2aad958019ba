// SPDX-License-Identifier: MIT
#include "graph/memory.h"
#include "tests/graph/convnet_benchmarks.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// "Memory required for data" in the Caffe logs of soumith/convnet-benchmarks, to the byte.

TEST(CaffeData, AlexNetOfOneWeirdTrick) {
    EXPECT_EQ(caffe_data_bytes(convnet_alexnet(128)).value, 623'628'288);
}

TEST(CaffeData, VggA) {
    EXPECT_EQ(caffe_data_bytes(convnet_vgg_a(64)).value, 4'234'799'104);
}

TEST(CaffeData, OverfeatFast) {
    EXPECT_EQ(caffe_data_bytes(convnet_overfeat(128)).value, 999'192'064);
}

TEST(CaffeData, GoogLeNetWithItsSplits) {
    EXPECT_EQ(caffe_data_bytes(convnet_googlenet(128)).value, 6'648'061'952);
}

TEST(CaffeData, GrowsInProportionToTheBatch) {
    EXPECT_EQ(caffe_data_bytes(convnet_overfeat(10)), 10 * caffe_data_bytes(convnet_overfeat(1)));
}

TEST(CaffeTraining, CountsBlobsOfValueAndGradientAndThreeCopiesOfTheParameters) {
    // data, conv1, pool1 and fc2 have blobs; the ReLU works in place, labels and loss are left out.
    const double blobs = 2 * (3 * 64 + 4 * 64 + 4 * 16 + 10);
    const double parameters = 4 * 27 + 4 + 640 + 10;
    EXPECT_EQ(caffe_training_bytes(small_chain()).value, 8 * blobs + 12 * parameters);
}

}  // namespace
}  // namespace strata
