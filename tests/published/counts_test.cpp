// SPDX-License-Identifier: MIT
#include "published/counts.h"

#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

double counted(const Counted& what) {
    CountedNetworks networks;
    return count(what, networks);
}

TEST(Counts, ChoosesLayersByTwoGlobs) {
    EXPECT_EQ(counted({.network = "alexnet", .layers = "fc*", .what = "parameters"}), 58'631'144);
    EXPECT_EQ(
        counted({.network = "alexnet", .layers = "fc*", .except = "fc6,fc7", .what = "weights"}),
        4'096'000);
    EXPECT_EQ(counted({.network = "alexnet", .batch = 2, .layers = "pool1", .what = "outputs"}),
              2 * 96 * 27 * 27);
}

TEST(Counts, CountsOnlyThePassesOfTraining) {
    const Counted conv1 = {.network = "alexnet", .layers = "conv1", .what = "passes"};
    Counted training = conv1;
    training.passes = "training";
    EXPECT_EQ(counted(conv1), 1);
    EXPECT_EQ(counted(training), 2);
    training.first_layer_gradient = FirstLayerGradient::computed;
    EXPECT_EQ(counted(training), 3);
}

TEST(Counts, RefusesUnknownNames) {
    EXPECT_EQ(error_of([] { counted({.network = "alexnet", .layers = "conv9"}); }),
              "alexnet: no layer matches \"conv9\" without \"\"");
    EXPECT_EQ(error_of([] { counted({.network = "alexnet", .what = "miles"}); }),
              "\"miles\" cannot be counted");
    EXPECT_EQ(error_of([] { counted({.network = "alexnet", .passes = "sideways"}); }),
              "\"sideways\" are not passes; use one of forward, backward_data, backward_weights, "
              "update, backward, training");
}

// soumith/convnet-benchmarks: the log line "Memory required for data", to the byte.
TEST(Counts, CaffesMemoryGrowsInProportionToTheBatch) {
    Counted memory = {
        .network = "convnet-benchmarks/overfeat-fast", .batch = 1, .what = "caffe-data-bytes"};
    const double one = counted(memory);
    memory.batch = 10;
    EXPECT_EQ(counted(memory), 10 * one);
}

}  // namespace
}  // namespace strata
