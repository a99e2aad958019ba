// SPDX-License-Identifier: MIT
// Dong et al., "Characterizing the Microarchitectural Implications of a Convolutional Neural
// Network (CNN) Execution on GPUs", ICPE 2018, Table 1: operations of each layer of AlexNet for one
// image, as whole numbers where the table rounds.
#include "tests/physics/support.h"

namespace strata {
namespace {

struct Row {
    const char* layer;
    double operations;
};

constexpr Row table_1[] = {{"conv1", 210'830'400}, {"relu1", 290'400},     {"lrn1", 4'065'600},
                           {"pool1", 629'856},     {"conv2", 895'795'200}, {"relu2", 186'624},
                           {"lrn2", 2'612'736},    {"pool2", 389'376},     {"conv3", 299'040'768},
                           {"relu3", 64'896},      {"conv4", 448'561'152}, {"relu4", 64'896},
                           {"conv5", 299'040'768}, {"relu5", 43'264},      {"pool5", 82'944},
                           {"fc6", 75'497'472},    {"relu6", 4'096},       {"fc7", 33'554'432},
                           {"relu7", 4'096},       {"fc8", 8'192'000},     {"softmax", 1'000'000}};

TEST(Dong2018, EveryRowOfTableOneComesOutToTheDigit) {
    const Graph alexnet = zoo_graph("alexnet-ungrouped");
    ASSERT_EQ(alexnet.layers.size(), std::size(table_1));
    for (std::size_t i = 0; i < std::size(table_1); ++i) {
        const Layer& layer = alexnet.layers[i];
        EXPECT_EQ(layer.name, table_1[i].layer);
        EXPECT_EQ(operations_of(alexnet, layer, "dong2018"), table_1[i].operations) << layer.name;
    }
}

TEST(Dong2018, TheSumsOfConvolutionsAndFullyConnectedLayersAreTheOnesOfItsFormulas) {
    const Graph alexnet = zoo_graph("alexnet-ungrouped");
    const auto operations = [&](const Layer& layer) { return operations_of(alexnet, layer); };
    EXPECT_EQ(sum_over(alexnet, is<Convolution>, operations), 2'153'268'288);
    EXPECT_EQ(sum_over(alexnet, is<FullyConnected>, operations), 117'243'904);
}

TEST(Dong2018, GroupsHalveTheConvolutionsThatHaveThem) {
    const Graph grouped = zoo_graph("alexnet");
    EXPECT_EQ(operations_of(grouped, "conv2"), 447'897'600);
    EXPECT_EQ(operations_of(grouped, "conv4"), 224'280'576);
    EXPECT_EQ(operations_of(grouped, "conv5"), 149'520'384);
}

TEST(Dong2018, TheFirstConvolutionIsTheOnlyLayerWithoutAGradientWorthComputing) {
    // Their kernel database: 28 backward kernels of 21 layers, conv1 with weights only.
    const Graph alexnet = zoo_graph("alexnet-ungrouped");
    int passes = 0;
    for (const Layer& layer : alexnet.layers) {
        const Signature signature = signature_of(alexnet, layer);
        passes += has_pass(layer.op, signature, Pass::backward_weights) ? 1 : 0;
        passes +=
            layer.name != "conv1" && has_pass(layer.op, signature, Pass::backward_data) ? 1 : 0;
    }
    EXPECT_EQ(passes, 28);
}

}  // namespace
}  // namespace strata
