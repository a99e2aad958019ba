// SPDX-License-Identifier: MIT
// Zhao et al., "Layer-wise performance bottleneck analysis of deep neural networks", AIM 2017.
#include "tests/physics/support.h"

#include <vector>

namespace strata {
namespace {

TEST(Zhao2017, EveryConvolutionOfVgg16HasItsPublishedCount) {
    const std::vector<double> published = {
        173'408'256,   3'699'376'128, 1'849'688'064, 3'699'376'128, 1'849'688'064, 3'699'376'128,
        3'699'376'128, 1'849'688'064, 3'699'376'128, 3'699'376'128, 924'844'032,   924'844'032,
        924'844'032,   205'520'896,   33'554'432,    8'192'000};
    const Graph vgg = zoo_graph("vgg-16");
    std::vector<double> counted;
    double total = 0;
    for (const Layer& layer : vgg.layers) {
        if (is<Convolution>(layer) || is<FullyConnected>(layer)) {
            counted.push_back(operations_of(vgg, layer));
            total += counted.back();
        }
    }
    EXPECT_EQ(counted, published);
    EXPECT_EQ(total, 30'940'528'640);
}

// Blobs of the memory slide's model: the input and every layer's output, ReLU and dropout in place,
// no loss.
double blob_floats(const Graph& graph) {
    const auto has_blob = [](const Layer& layer) {
        return !is<Activation>(layer) && !is<Dropout>(layer) && !is<SoftmaxCrossEntropy>(layer);
    };
    const double data = static_cast<double>(graph.tensors[graph.inputs.at(0)].tensor.elements());
    return data +
           sum_over(graph, has_blob, [&](const Layer& layer) { return outputs_of(graph, layer); });
}

TEST(Zhao2017, TheMemorySlidesBlobsAreThoseOfTheZoo) {
    EXPECT_EQ(blob_floats(zoo_graph("alexnet")), 1'413'347);
    EXPECT_EQ(blob_floats(zoo_graph("googlenet")), 6'834'584);
    EXPECT_EQ(blob_floats(zoo_graph("vgg-16")), 15'237'608);
    EXPECT_EQ(blob_floats(zoo_graph("vgg-19")), 16'542'184);
}

}  // namespace
}  // namespace strata
