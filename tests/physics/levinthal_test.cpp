// SPDX-License-Identifier: MIT
// Levinthal, "Performance analysis of DNNs": expected operations of one image, forward.
#include "networks/zoo/resnet.h"
#include "networks/zoo/transformers.h"
#include "tests/physics/support.h"

namespace strata {
namespace {

TEST(Levinthal, TheEightExpectedRowsComeOutToTheDigit) {
    const Graph alexnet = zoo_graph("alexnet-levinthal");
    EXPECT_EQ(operations_of(alexnet, "conv1"), 140'553'600);
    EXPECT_EQ(operations_of(alexnet, "conv2"), 447'897'600);
    EXPECT_EQ(operations_of(alexnet, "conv3"), 224'280'576);
    EXPECT_EQ(operations_of(alexnet, "conv4"), 299'040'768);
    EXPECT_EQ(operations_of(alexnet, "conv5"), 199'360'512);
    EXPECT_EQ(operations_of(alexnet, "fc6"), 75'497'472);
    EXPECT_EQ(operations_of(alexnet, "fc7"), 33'554'432);
    EXPECT_EQ(operations_of(alexnet, "fc8"), 8'192'000);
}

TEST(Levinthal, AMeasuredPoolingIsOneOperationAnOutput) {
    const Graph alexnet = zoo_graph("alexnet-levinthal");
    EXPECT_EQ(outputs_of(alexnet, layer_of(alexnet, "pool1")), 46'656);
    EXPECT_EQ(outputs_of(alexnet, layer_of(alexnet, "pool2")), 32'448);
    EXPECT_EQ(outputs_of(alexnet, layer_of(alexnet, "pool5")), 9'216);
}

struct Published {
    ResNet variant;
    double operations;        // convolutions without projections
    double weights;           // of them
    double with_projections;  // rounded to 1e6
};

class LevinthalResNet : public ::testing::TestWithParam<Published> {};

// Table 1 of the ResNet paper is version 1: the first 1x1 convolution of a block has the stride.
Graph version_1(ResNet variant) {
    variant.stride = StridePlacement::first_1x1;
    return build(variant, 1);
}

bool in_table(const Layer& layer) {
    return is<Convolution>(layer) && layer.name.find("downsample") == std::string::npos;
}

TEST_P(LevinthalResNet, ConvolutionsCountAsThePaperTabulatesThem) {
    const Graph resnet = version_1(GetParam().variant);
    const auto operations = [&](const Layer& layer) { return operations_of(resnet, layer); };
    EXPECT_EQ(sum_over(resnet, in_table, operations), GetParam().operations);
    EXPECT_NEAR(sum_over(resnet, is<Convolution>, operations), GetParam().with_projections, 0.5e6);
}

TEST_P(LevinthalResNet, TheirWeightsAreThePublishedNumber) {
    const Graph resnet = version_1(GetParam().variant);
    EXPECT_EQ(sum_over(resnet, in_table,
                       [&](const Layer& layer) {
                           return static_cast<double>(
                               resnet.tensors[layer.inputs.at(1)].tensor.elements());
                       }),
              GetParam().weights);
}

INSTANTIATE_TEST_SUITE_P(
    Depths, LevinthalResNet,
    ::testing::Values(Published{resnet_18, 3'588'587'520, 10'994'880, 3.627e9},
                      Published{resnet_34, 7'287'963'648, 21'095'616, 7.326e9},
                      Published{resnet_50, 6'992'527'360, 20'686'016, 7.712e9},
                      Published{resnet_101, 14'416'969'728, 39'625'920, 15.136e9},
                      Published{resnet_152, 21'841'412'096, 55'223'488, 22.561e9}),
    [](const auto& parameter) {
        std::string name(parameter.param.variant.name);
        name.erase(name.find('-'), 1);
        return name;
    });

// The textbook's 6 (56 L d^2 + 12 L^2 d) for six layers of encoder and decoder. The formula on the
// slides gives 12,183,552,000: it leaves out attention times V, divides the projections by the
// heads and counts the feed-forward layers twice.
TEST(Levinthal, ATransformerOnThirtyWordsCountsAsTheTextbookSays) {
    Transformer transformer = transformer_big;
    transformer.length = 30;
    const Graph graph = build(transformer, 1);
    const auto in_layers = [](const Layer& layer) {
        return layer.name.starts_with("encoder.") || layer.name.starts_with("decoder.");
    };
    EXPECT_EQ(sum_over(graph, in_layers,
                       [&](const Layer& layer) { return operations_of(graph, layer, "products"); }),
              10'636'001'280);
}

}  // namespace
}  // namespace strata
