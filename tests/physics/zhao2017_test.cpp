// SPDX-License-Identifier: MIT
// Zhao et al., "Layer-wise performance bottleneck analysis of deep neural networks", AIM 2017.
#include "graph/memory.h"
#include "tests/physics/support.h"

#include <array>
#include <cmath>
#include <vector>

namespace strata {
namespace {

TEST(Zhao2017, EveryConvolutionOfVgg16HasItsTextbookCount) {
    const std::vector<double> expected = {
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
    EXPECT_EQ(counted, expected);
    EXPECT_EQ(total, 30'940'528'640);
}

// The memory model of the slide (the slide itself can only be read by its axis): 8 bytes for every
// blob of every image and 12 for every parameter. MiB at batch 64, 128 and 256.
struct Memory {
    const char* network;
    double blobs;  // floats an image
    double parameters;
    std::array<double, 3> mebibytes;
};

constexpr Memory memory_slide[] = {{"alexnet", 1'413'347, 60'965'224, {1388, 2078, 3458}},
                                   {"googlenet", 6'834'584, 6'998'552, {3417, 6754, 13429}},
                                   {"vgg-16", 15'237'608, 138'357'544, {9024, 16464, 31344}},
                                   {"vgg-19", 16'542'184, 143'667'240, {9721, 17799, 33953}}};

TEST(Zhao2017, TrainingMemoryFollowsTheModelOfTheMemorySlide) {
    for (const auto& [network, blobs, parameters, mebibytes] : memory_slide) {
        for (std::size_t i = 0; i < mebibytes.size(); ++i) {
            const std::int64_t batch = std::int64_t{64} << i;
            const double bytes = caffe_training_bytes(zoo_graph(network, batch)).value;
            EXPECT_EQ(bytes, 8 * static_cast<double>(batch) * blobs + 12 * parameters) << network;
            EXPECT_EQ(std::round(bytes / 1048576), mebibytes[i]) << network << " " << batch;
        }
    }
}

}  // namespace
}  // namespace strata
