// SPDX-License-Identifier: MIT
// The nine classic networks in the Python package onnx, if it is installed.
#include "networks/onnx/import.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace strata {
namespace {

// The output of a shell command; empty if it fails.
std::string output_of(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                               ::pclose);
    std::array<char, 4096> line = {};
    return pipe && std::fgets(line.data(), line.size(), pipe.get()) ? line.data() : "";
}

// The folder of the networks; empty without the package.
std::filesystem::path folder() {
    const char* named = std::getenv("STRATA_PYTHON");
    const std::string python = named ? named : "python3";
    std::string package = output_of(
        python +
        " -c 'import importlib.util as u; print(u.find_spec(\"onnx\").origin)' 2>/dev/null");
    if (package.empty()) {
        return {};
    }
    package.pop_back();  // the newline
    return std::filesystem::path(package).parent_path() / "backend/test/data/light";
}

struct Expectation {
    const char* file;
    std::int64_t parameters;  // as published for the network in this form
    std::size_t layers;       // nodes minus the constant ones
    Dims output;
};

// The batch normalisations of DenseNet, Inception-v2 and ShuffleNet are Caffe2's, each followed by
// a separate scale and shift (DenseNet-121: 7,978,856 + 83,648).
const std::array expectations = {
    Expectation{"light_bvlc_alexnet.onnx", 60'965'224, 24, {1, 1000}},
    Expectation{"light_densenet121.onnx", 8'062'504, 668, {1, 1000, 1, 1}},
    Expectation{"light_inception_v1.onnx", 6'998'552, 143, {1, 1000}},
    Expectation{"light_inception_v2.onnx", 11'214'888, 371, {1, 1000}},
    Expectation{"light_resnet50.onnx", 25'557'032, 176, {1, 1000}},
    Expectation{"light_shufflenet.onnx", 1'393'320, 203, {1, 1000}},
    Expectation{"light_squeezenet.onnx", 1'235'496, 66, {1, 1000, 1, 1}},
    Expectation{"light_vgg19.onnx", 143'667'240, 46, {1, 1000}},
    Expectation{"light_zfnet512.onnx", 87'250'536, 22, {1, 1000}}};

TEST(ClassicNetworks, EachImportsWholeWithItsPublishedParameters) {
    const auto networks = folder();
    if (networks.empty()) {
        GTEST_SKIP() << "no Python package onnx; name an interpreter that has it in STRATA_PYTHON";
    }
    for (const Expectation& expected : expectations) {
        const Graph graph = import_onnx(networks / expected.file);
        EXPECT_EQ(parameter_count(graph), expected.parameters) << expected.file;
        EXPECT_EQ(graph.layers.size(), expected.layers) << expected.file;
        EXPECT_EQ(graph.tensors[graph.outputs.at(0)].tensor.dims, expected.output) << expected.file;
        EXPECT_TRUE(std::ranges::none_of(graph.layers, [](const Layer& layer) {
            return std::holds_alternative<Opaque>(layer.op);
        })) << expected.file;
    }
}

TEST(ClassicNetworks, EachTakesAnotherBatch) {
    const auto networks = folder();
    if (networks.empty()) {
        GTEST_SKIP() << "no Python package onnx; name an interpreter that has it in STRATA_PYTHON";
    }
    for (const Expectation& expected : expectations) {
        const Graph graph = import_onnx(networks / expected.file, {.batch = 8, .dims = {}});
        Dims output = expected.output;
        output[0] = 8;
        EXPECT_EQ(graph.tensors[graph.outputs.at(0)].tensor.dims, output) << expected.file;
        EXPECT_EQ(parameter_count(graph), expected.parameters) << expected.file;
    }
}

}  // namespace
}  // namespace strata
