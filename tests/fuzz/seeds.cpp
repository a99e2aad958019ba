// SPDX-License-Identifier: MIT
// Writes a few small valid files for each fuzzer into FOLDER/NAME, for it to start from.
#include "base/npy.h"
#include "graph/network.h"
#include "graph/text.h"
#include "tests/support/onnx_writer.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace strata {
namespace {

void write(const std::filesystem::path& file, std::string_view content) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
}

std::string convolutional_model() {
    OnnxWriter writer(12);
    writer.input("x", {-1, 3, 8, 8})
        .weight("w", {4, 3, 3, 3})
        .weight("v", {4})
        .node("Conv", {"x", "w", "v"}, {"c"}, {onnx_attribute("pads", {1, 1, 1, 1})})
        .node("BatchNormalization", {"c", "v", "v", "v", "v"}, {"n"})
        .node("MaxPool", {"n"}, {"p"}, {onnx_attribute("kernel_shape", {2, 2})})
        .node("Softmax", {"p"}, {"y"}, {onnx_attribute("axis", std::int64_t{1})})
        .output("y");
    return writer.model();
}

std::string shape_arithmetic_model() {
    const OnnxWriter body = OnnxWriter().node("Relu", {"r"}, {"b"}).output("b");
    OnnxWriter writer(17);
    writer.input("x", {2, 3, 4})
        .integers("zero", {0})
        .integers("rest", {-1})
        .node("Shape", {"x"}, {"s"})
        .node("Gather", {"s", "zero"}, {"g"})
        .node("Concat", {"g", "rest"}, {"t"}, {onnx_attribute("axis", std::int64_t{0})})
        .node("Reshape", {"x", "t"}, {"r"})
        .node("If", {"r"}, {"y"}, {onnx_attribute_graph("then_branch", body.graph())})
        .output("y")
        .value_info("y", {2, 12});
    return writer.model();
}

void write_seeds(const std::filesystem::path& folder) {
    write(folder / "onnx/convolutional", convolutional_model());
    write(folder / "onnx/shape_arithmetic", shape_arithmetic_model());
    for (char choice = 0; choice < 62; ++choice) {  // each operator once, over x
        const std::string skip(20, '\0');
        write(folder / "onnx_nodes" / std::to_string(choice), skip + "\1\0\0" + choice + skip);
    }
    for (const char* name : {"alexnet", "squeezenet"}) {
        NetworkRequest request;
        request.network = name;
        write(folder / "graph_text" / name, to_text(load_network(request)));
    }
    write(
        folder / "dnnmark/lenet",
        "[DNNMark]\nrun_mode=composed\n[Data]\nname=data\nn=2\nc=1\nh=8\nw=8\nprevious_layer=null\n"
        "[Convolution]\nname=conv1\nconv_mode=cross_correlation\nnum_output=4\nkernel_size=3\n"
        "pad=1\nstride=1\nprevious_layer=data\n[Activation]\nname=relu1\nprevious_layer=conv1\n");
    std::filesystem::create_directories(folder / "npy");
    write_npy(folder / "npy/matrix", std::array<std::int64_t, 2>{1, 2}, std::array{1.0f, 2.0f});
}

}  // namespace
}  // namespace strata

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: seeds FOLDER\n", stderr);
        return 2;
    }
    strata::write_seeds(arguments[1]);
}
