// SPDX-License-Identifier: MIT Unpublished numbers: arithmetic on
// published ones, and variants that explain differences between ours and
// theirs. They test strata, not a publication, so they are not in
// data/published.
#include "base/range.h"
#include "published/counts.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

double derived(const Counted& what) {
    CountedNetworks networks;
    return count(what, networks);
}

Counted operations(const char* network, const char* layers,
                   const char* convention = "multiply-add-2") {
    return {.network = network, .layers = layers, .convention = convention};
}

struct DepthOfResNet {
    const char* network;
    double formula;      // (2 K^2 + 1) Cin Ho Wo Cout, billions
    double projected;    // with the projection of conv2_x
    double standard;     // 2 K^2 Cin Ho Wo Cout
    double projections;  // with all projections, billions
    double weights;
};

TEST(Derived, ResNetsCountByEachFormulaAsExpected) {
    constexpr DepthOfResNet depths[] = {
        {"resnet-v1/18", 3.777, 3.777, 3'588'587'520, 3.627, 10'994'880},
        {"resnet-v1/34", 7.682, 7.682, 7'287'963'648, 7.326, 21'095'616},
        {"resnet-v1/50", 8.729, 8.883, 6'992'527'360, 7.712, 20'686'016},
        {"resnet-v1/101", 18.119, 18.273, 14'416'969'728, 15.136, 39'625'920},
        {"resnet-v1/152", 27.508, 27.663, 21'841'412'096, 22.561, 55'223'488}};
    for (const auto& [network, formula, projected, standard, projections, weights] : depths) {
        const auto billions = [&](const char* layers, const char* convention) {
            return derived(operations(network, layers, convention)) / 1e9;
        };
        EXPECT_NEAR(billions("*conv*", "levinthal-resnet"), formula, 0.0006) << network;
        EXPECT_NEAR(billions("*conv*,layer1.0.downsample.0", "levinthal-resnet"), projected, 0.0006)
            << network;
        EXPECT_NEAR(billions("*conv*,*downsample.0", "multiply-add-2"), projections, 0.0006)
            << network;
        EXPECT_EQ(derived(operations(network, "*conv*")), standard) << network;
        EXPECT_EQ(derived({.network = network, .layers = "*conv*", .what = "weights"}), weights)
            << network;
    }
}

TEST(Derived, TheProfiledAlexNetHasTheOperationsOfItsKernels) {
    const char* network = "tf-cnn-benchmarks/alexnet";
    EXPECT_EQ(derived(operations(network, "conv*,fc*")), 1'677'585'792);
    // The average of three convolutions, whose minimum and maximum are printed.
    EXPECT_EQ(
        derived(
            {.network = network, .layers = "conv5", .what = "kernel", .kernel = "winograd-tile"}),
        209'813'504);
}

TEST(Derived, AlexNetWithoutGroupsHasItsWeightsWithoutBiases) {
    EXPECT_EQ(derived({.network = "alexnet-ungrouped", .what = "weights"}), 62'367'776);
}

// The bars that Kim et al. call theoretical fit these 12x12 planes.
TEST(Derived, ConvolutionsOnPlanesOfTwelveMatchTheTheoreticalBars) {
    const auto billions = [](const char* problem) { return derived({.network = problem}) / 1e9; };
    EXPECT_NEAR(billions("convolution(256x256x12x12) out_channels=384 kernel=3x3 pad_begin=1x1 "
                         "pad_end=1x1"),
                65.2, 0.05);
    EXPECT_NEAR(billions("convolution(256x384x12x12) out_channels=384 kernel=3x3 pad_begin=1x1 "
                         "pad_end=1x1"),
                97.8, 0.05);
}

// The kernels of one layer of Levinthal's language model besides its cells.
TEST(Derived, TheProjectionOfALanguageModelPadsItsTiles) {
    constexpr double steps = 32 * 128;
    Counted projection = operations("lstm:layers=1,embed=1024,length=32,vocabulary=10000",
                                    "projection", "executed-sgemm");
    projection.batch = 128;
    EXPECT_EQ(derived(projection) / steps, 20'719'488);
    projection.convention = "with-bias";
    EXPECT_EQ(derived(projection) / steps, 20'490'000);
}

TEST(Derived, CaffesBlobsOfAnImageMatchItsLogsOfABatch) {
    const auto floats = [](const char* network) {
        return derived({.network = network, .batch = 1, .what = "caffe-data-bytes"}) / 4;
    };
    EXPECT_EQ(floats("convnet-benchmarks/alexnet-owt"), 1'218'024);
    EXPECT_EQ(floats("convnet-benchmarks/vgg-a"), 16'542'184);
    EXPECT_EQ(floats("convnet-benchmarks/overfeat-fast"), 1'951'547);
    EXPECT_EQ(floats("convnet-benchmarks/googlenet"), 12'984'496);
}

// Table 2 of ParaDnn. It prints 6 values for the filters although doubling gives 3, and doubling
// its vocabulary never reaches the stated end of 1024.
TEST(Derived, TheSweepsOfParaDnnHaveTheNetworksOfTheirAxes) {
    const auto networks = [](std::initializer_list<const char*> axes) {
        std::size_t product = 1;
        for (const char* axis : axes) {
            product *= parse_range(axis, "axis").size();
        }
        return product;
    };
    EXPECT_EQ(networks({"4..128", "32..8192", "2000..8000+2000", "200..1000+200", "64..16384"}),
              9720u);
    EXPECT_EQ(networks({"1..8+1", "16..64", "200..300+50", "500..1500+500", "64..1024"}), 1080u);
    EXPECT_EQ(
        networks({"1..13+4", "100..900+400", "10..90+40", "2,8,32,128,512", "16,64,256,1024"}),
        720u);
}

}  // namespace
}  // namespace strata
