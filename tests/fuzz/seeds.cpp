// SPDX-License-Identifier: MIT
// Writes a few small valid files for each fuzzer to start from, into FOLDER/NAME.
#include "base/npy.h"
#include "base/text.h"
#include "image/jpeg.h"
#include "networks/network.h"
#include "networks/text.h"
#include "store/save.h"
#include "tests/store/sample_run.h"
#include "tests/support/onnx_writer.h"

#include <sqlite3.h>

#include <algorithm>
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

// A model of one node over x and given tensors.
struct SeedNode {
    const char* op;
    std::vector<std::int64_t> x;
    std::vector<std::string> inputs;  // by name: x, w... weights, i... lists of integers
    std::vector<WireWriter> attributes = {};
    std::size_t outputs = 1;
};

// Operators whose conversion or folding depends on more than shapes.
std::vector<SeedNode> seed_nodes() {
    const auto number = [](std::string_view name, std::int64_t value) {
        return onnx_attribute(name, value);
    };
    return {
        {"Attention",
         {2, 5, 8},
         {"x", "w2x5x8", "w2x5x8"},
         {number("q_num_heads", 2), number("kv_num_heads", 2), number("is_causal", 1)},
         3},
        {"Attention",
         {1, 2, 5, 4},
         {"x", "w1x2x3x4", "w1x2x3x4", "", "w1x2x3x4", "w1x2x3x4"},
         {number("is_causal", 1)},
         3},
        {"BatchNormalization",
         {2, 3, 4, 4},
         {"x", "w3", "w3", "w3", "w3"},
         {number("training_mode", 1)},
         3},
        {"Compress", {4, 3}, {"w4x3", "i1,0,1"}, {number("axis", 0)}},
        {"ConvTranspose",
         {1, 3, 5, 5},
         {"x", "w3x2x3x3", "w2"},
         {onnx_attribute("strides", {2, 2}), onnx_attribute("output_padding", {1, 1}),
          onnx_attribute("auto_pad", "SAME_UPPER")}},
        {"CumSum", {3, 4}, {"x", "i1"}, {number("reverse", 1)}},
        {"DepthToSpace", {1, 8, 2, 3}, {"x"}, {number("blocksize", 2)}},
        {"Dropout", {2, 3}, {"x", "w", "i1"}, {}, 2},
        {"Einsum", {2, 3, 4}, {"x", "w2x4x5"}, {onnx_attribute("equation", "bij,bjk->bik")}},
        {"Expand", {3, 1}, {"w3x1", "i2,3,6"}},
        {"EyeLike", {4, 4}, {"x"}, {number("k", 1)}},
        {"GRU",
         {3, 2, 4},
         {"x", "w1x9x4", "w1x9x3", "w1x18"},
         {number("hidden_size", 3), number("linear_before_reset", 1)},
         2},
        {"Gather", {5, 4}, {"w5x4", "i0,-1,3"}, {number("axis", 0)}},
        {"GatherElements", {2, 2}, {"w2x2", "i1,0"}, {number("axis", 1)}},
        {"GatherND", {2, 2}, {"w2x2", "i1,0"}},
        {"Gemm",
         {3, 4},
         {"x", "w4x5", "w5"},
         {onnx_attribute("alpha", 0.5F), onnx_attribute("beta", 2.0F)}},
        {"GridSample",
         {1, 2, 4, 4},
         {"x", "w1x3x3x2"},
         {onnx_attribute("padding_mode", "reflection")}},
        {"GroupNormalization", {1, 4, 3, 3}, {"x", "w2", "w2"}, {number("num_groups", 2)}},
        {"Hardmax", {2, 4}, {"x"}},
        {"LSTM",
         {3, 2, 4},
         {"x", "w2x12x4", "w2x12x3", "w2x24", "", "w2x2x3", "w2x2x3"},
         {number("hidden_size", 3), onnx_attribute("direction", "bidirectional")},
         3},
        {"LayerNormalization", {2, 3, 4}, {"x", "w4", "w4"}},
        {"LpPool",
         {1, 2, 6},
         {"x"},
         {onnx_attribute("kernel_shape", {3}), onnx_attribute("pads", {1, 1})}},
        {"NonZero", {2, 3}, {"w2x3"}},
        {"OneHot", {2, 3}, {"x", "i4", "w2"}},
        {"Pad", {2, 3}, {"x", "i0,-1,2,1", "w"}, {onnx_attribute("mode", "edge")}},
        {"Range", {1}, {"i0", "i9", "i2"}},
        {"ReduceSum", {2, 3, 4}, {"w2x3x4", "i0,-1"}, {number("keepdims", 0)}},
        {"Resize", {1, 2, 4, 4}, {"x", "", "w4"}, {onnx_attribute("mode", "linear")}},
        {"Resize", {4, 4, 2, 1}, {"x", "", "", "i8,6,2,1"}, {onnx_attribute("mode", "cubic")}},
        {"ReverseSequence", {3, 2}, {"w3x2", "i2,3"}},
        {"RotaryEmbedding", {1, 2, 3, 4}, {"x", "w1x3x2", "w1x3x2"}},
        {"ScatterElements", {2, 2}, {"w2x2", "i1,0", "w2x2"}},
        {"ScatterND", {4}, {"w4", "i1,3", "w2"}},
        {"Slice", {4, 6}, {"w4x6", "i0,5", "i4,0", "i0,1", "i1,-2"}},
        {"SpaceToDepth", {1, 2, 4, 6}, {"x"}, {number("blocksize", 2)}},
        {"Split", {6, 2}, {"x", "i2,4"}, {number("axis", 0)}, 2},
        {"Tile", {2, 3}, {"w2x3", "i2,2"}},
        {"TopK", {2, 5}, {"x", "i3"}, {}, 2},
        {"Trilu", {4, 4}, {"x", "i1"}},
        {"Where", {2, 3}, {"w2x1", "w3", "w2x3"}},
    };
}

std::vector<std::int64_t> numbers_in(std::string_view list, char separator) {
    std::vector<std::int64_t> numbers;
    for (const auto part : split(list, separator)) {
        if (const auto number = parse_integer(part)) {
            numbers.push_back(*number);
        }
    }
    return numbers;
}

std::string model_of(const SeedNode& node) {
    OnnxWriter writer(23);
    writer.input("x", node.x);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const std::string& name = node.inputs[i];
        const bool again = std::ranges::find(node.inputs, name) - node.inputs.begin() <
                           static_cast<std::ptrdiff_t>(i);
        if (name.starts_with('w') && !again) {
            writer.weight(name, numbers_in(std::string_view(name).substr(1), 'x'));
        } else if (name.starts_with('i') && !again) {
            writer.integers(name, numbers_in(std::string_view(name).substr(1), ','));
        }
    }
    std::vector<std::string> outputs;
    for (std::size_t i = 0; i < node.outputs; ++i) {
        outputs.push_back("y" + std::to_string(i));
        writer.output(outputs.back());
    }
    writer.node(node.op, node.inputs, outputs, node.attributes);
    return writer.model();
}

// Small images of noise, so that each of their bytes matters.
void write_jpeg_seeds(const std::filesystem::path& folder) {
    for (const std::int64_t channels :
         has_jpeg() ? std::vector<std::int64_t>{1, 3} : std::vector<std::int64_t>()) {
        Bitmap image{.width = 17, .height = 9, .channels = channels};
        for (std::int64_t i = 0; i < image.width * image.height * channels; ++i) {
            image.pixels.push_back(static_cast<std::uint8_t>(i * i % 251));
        }
        const auto file = encode_jpeg(image, 60);
        write(folder / std::to_string(channels),
              {reinterpret_cast<const char*>(file.data()), file.size()});
    }
}

// A run with everything that runs have, in small pages.
void write_database(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    const std::filesystem::path file = folder / "runs";
    std::filesystem::remove(file);
    sqlite3* handle = nullptr;
    sqlite3_open(file.c_str(), &handle);
    sqlite3_exec(handle, "PRAGMA page_size = 512; CREATE TABLE a (b); DROP TABLE a; VACUUM",
                 nullptr, nullptr, nullptr);
    sqlite3_close(handle);
    const Database database = Database::open(file);
    Run run = sample_run();
    save_run(database, run);
    database.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; VACUUM");
}

void write_seeds(const std::filesystem::path& folder) {
    write(folder / "onnx_models/convolutional", convolutional_model());
    write(folder / "onnx_models/shape_arithmetic", shape_arithmetic_model());
    int number = 0;
    for (const SeedNode& node : seed_nodes()) {
        write(folder / "onnx_models" / (node.op + std::to_string(++number)), model_of(node));
    }
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
    write_jpeg_seeds(folder / "jpeg");
    std::filesystem::create_directories(folder / "npy");
    std::filesystem::create_directories(folder / "trace");
    std::ofstream(folder / "trace/accesses") << "# a trace\nr 0x7f00 64\nw 4096 4\n";
    write(folder / "peer/answers",
          R"({"protocol": 1, "version": "1", "details": "", "apart": "", "modes": ["training"], )"
          R"("layouts": ["nchw"], "optimizers": ["momentum"], "options": {"jit": ["on"]}}
{"steps": [{"state": "runs", "implementation": "a"}, {"state": "refused", "reason": "r"}]}
{"seconds": 0.1}
{"seconds": 0.3, "times": [0.1, 0.1]}
{}
{"error": "no luck", "step": 1}
)");
    std::filesystem::create_directories(folder / "device");
    for (const auto& file : std::filesystem::directory_iterator(STRATA_DEVICE_DATA)) {
        if (file.is_regular_file()) {
            std::filesystem::copy_file(file, folder / "device" / file.path().filename(),
                                       std::filesystem::copy_options::overwrite_existing);
        }
    }
    write_database(folder / "database");
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
