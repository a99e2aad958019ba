// SPDX-License-Identifier: MIT
#include "graph/memory.h"
#include "graph/network.h"
#include "tests/graph/convnet_benchmarks.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

#include <cmath>

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

// The training memory of a zoo network in whole MiB at three batches.
std::vector<std::int64_t> training_mebibytes(std::string_view name) {
    std::vector<std::int64_t> result;
    for (const std::int64_t batch : {64, 128, 256}) {
        const Bytes bytes = caffe_training_bytes(find_zoo_network(name).build(batch));
        result.push_back(std::llround(bytes.value / 0x1p20));
    }
    return result;
}

TEST(CaffeTraining, GivesTheModelOfZhaosMemoryChart) {
    using Row = std::vector<std::int64_t>;
    EXPECT_EQ(training_mebibytes("alexnet"), (Row{1388, 2078, 3458}));
    EXPECT_EQ(training_mebibytes("googlenet"), (Row{3417, 6754, 13429}));
    EXPECT_EQ(training_mebibytes("vgg-16"), (Row{9024, 16464, 31344}));
    EXPECT_EQ(training_mebibytes("vgg-19"), (Row{9721, 17799, 33953}));
}

}  // namespace
}  // namespace strata
