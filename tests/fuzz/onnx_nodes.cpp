// SPDX-License-Identifier: MIT
// Whole ONNX models with hostile contents: the bytes choose nodes, attributes and extents, so that
// every run reaches the converters, which random bytes as a file seldom do.
#include "networks/onnx/import.h"
#include "tests/fuzz/use_graph.h"
#include "tests/support/onnx_writer.h"

#include <array>
#include <string>
#include <vector>

namespace strata {
namespace {

constexpr std::array<const char*, 62> operators = {"Abs",
                                                   "Add",
                                                   "And",
                                                   "AveragePool",
                                                   "BatchNormalization",
                                                   "Cast",
                                                   "Ceil",
                                                   "Clip",
                                                   "Concat",
                                                   "Constant",
                                                   "ConstantOfShape",
                                                   "Conv",
                                                   "Div",
                                                   "Dropout",
                                                   "Elu",
                                                   "Equal",
                                                   "Expand",
                                                   "Flatten",
                                                   "Floor",
                                                   "Gather",
                                                   "Gemm",
                                                   "GlobalAveragePool",
                                                   "GlobalMaxPool",
                                                   "Greater",
                                                   "HardSigmoid",
                                                   "Identity",
                                                   "If",
                                                   "LRN",
                                                   "LeakyRelu",
                                                   "Less",
                                                   "LogSoftmax",
                                                   "MatMul",
                                                   "Max",
                                                   "MaxPool",
                                                   "Min",
                                                   "Mod",
                                                   "Mul",
                                                   "Neg",
                                                   "Not",
                                                   "Or",
                                                   "Pad",
                                                   "Pow",
                                                   "Range",
                                                   "Reciprocal",
                                                   "ReduceMean",
                                                   "ReduceProd",
                                                   "Relu",
                                                   "Reshape",
                                                   "Shape",
                                                   "Sigmoid",
                                                   "Size",
                                                   "Slice",
                                                   "Softmax",
                                                   "Sqrt",
                                                   "Squeeze",
                                                   "Sub",
                                                   "Sum",
                                                   "Tanh",
                                                   "Transpose",
                                                   "Unknown",
                                                   "Unsqueeze",
                                                   "Where"};

constexpr std::array<const char*, 30> attributes = {
    "allowzero",    "alpha",     "auto_pad",
    "axes",         "axis",      "beta",
    "broadcast",    "ceil_mode", "count_include_pad",
    "dilations",    "end",       "ends",
    "epsilon",      "group",     "keepdims",
    "kernel_shape", "mode",      "pads",
    "perm",         "ratio",     "size",
    "start",        "starts",    "steps",
    "strides",      "to",        "transA",
    "transB",       "value",     "value_ints"};

constexpr std::array<std::int64_t, 16> numbers = {
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    -1,
    -2,
    64,
    65536,
    std::int64_t{1} << 31,
    std::int64_t{1} << 40,
    std::int64_t{1} << 62,
    -(std::int64_t{1} << 62) - (std::int64_t{1} << 62)};

// Decisions, one byte each; zeros once the bytes are used up.
class Choices {
public:
    Choices(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

    bool any() const { return !rest_.empty(); }
    std::size_t below(std::size_t limit) {
        if (rest_.empty()) {
            return 0;
        }
        const std::size_t chosen = rest_[0] % limit;
        rest_ = rest_.subspan(1);
        return chosen;
    }
    template <class List>
    auto one_of(const List& list) {
        return list[below(list.size())];
    }
    std::vector<std::int64_t> list() {
        std::vector<std::int64_t> values(below(6));
        for (std::int64_t& value : values) {
            value = one_of(numbers);
        }
        return values;
    }
    // Extents small enough to carry data.
    std::vector<std::int64_t> small_dims() {
        std::vector<std::int64_t> dims(below(5));
        for (std::int64_t& extent : dims) {
            extent = static_cast<std::int64_t>(below(6));
        }
        return dims;
    }

private:
    std::span<const std::uint8_t> rest_;
};

WireWriter attribute(Choices& choices) {
    const std::string name = choices.one_of(attributes);
    switch (choices.below(5)) {
        case 0:
            return onnx_attribute(name, choices.one_of(numbers));
        case 1:
            return onnx_attribute(name, static_cast<float>(choices.one_of(numbers)) / 4);
        case 2:
            return onnx_attribute(
                name, std::string_view(choices.one_of(std::array{"SAME_UPPER", "VALID", "edge"})));
        case 3:
            return onnx_attribute_tensor(name, onnx_integers("", {1}, {choices.one_of(numbers)}));
        default: {
            WireWriter list = WireWriter().text(1, name);
            for (const std::int64_t value : choices.list()) {
                list.integer(8, value);
            }
            return list;
        }
    }
}

void add_tensors(Choices& choices, OnnxWriter& writer, std::vector<std::string>& names) {
    writer.input("x", {1, 2, 3, 4}).input("n", choices.list());
    names = {"x", "n", ""};
    for (int i = 0; i < 3; ++i) {
        names.push_back("w" + std::to_string(i));
        writer.weight(names.back(), choices.small_dims());
        names.push_back("i" + std::to_string(i));
        writer.integers(names.back(), choices.list());
    }
}

void add_node(Choices& choices, OnnxWriter& writer, std::vector<std::string>& names) {
    std::vector<std::string> inputs(choices.below(5));
    for (std::string& input : inputs) {
        input = names[choices.below(names.size())];
    }
    std::vector<WireWriter> given;
    for (std::size_t i = choices.below(5); i > 0; --i) {
        given.push_back(attribute(choices));
    }
    const std::string output = "t" + std::to_string(names.size());
    writer.node(choices.one_of(operators), inputs, {output}, given);
    names.push_back(output);
    writer.output(output);
}

std::string model(Choices choices) {
    OnnxWriter writer(static_cast<std::int64_t>(7 + choices.below(16)));
    std::vector<std::string> names;
    add_tensors(choices, writer, names);
    while (choices.any() && names.size() < 40) {
        add_node(choices, writer, names);
    }
    writer.output("x");
    return writer.model();
}

}  // namespace
}  // namespace strata

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes = strata::model({data, size});
    strata::graph_or_error([&] {
        return strata::import_onnx({.name = "fuzz.onnx",
                                    .bytes = std::as_bytes(std::span(bytes)),
                                    .owner = nullptr,
                                    .folder = {}},
                                   {.batch = 3, .dims = {}});
    });
    return 0;
}
