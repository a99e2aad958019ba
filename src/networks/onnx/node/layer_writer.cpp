// SPDX-License-Identifier: MIT
#include "networks/onnx/node/layer_writer.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace strata {

// AttributeProto's fields: the name, the value, and the value's type.
OnnxWrittenAttribute::OnnxWrittenAttribute(std::string_view name, std::int64_t value) {
    message.text(1, name).integer(3, value).integer(20, 2);
}

OnnxWrittenAttribute::OnnxWrittenAttribute(std::string_view name, bool value)
    : OnnxWrittenAttribute(name, std::int64_t{value}) {}

OnnxWrittenAttribute::OnnxWrittenAttribute(std::string_view name, double value) {
    message.text(1, name).number(2, static_cast<float>(value)).integer(20, 1);
}

OnnxWrittenAttribute::OnnxWrittenAttribute(std::string_view name, std::string_view value) {
    message.text(1, name).text(4, value).integer(20, 3);
}

OnnxWrittenAttribute::OnnxWrittenAttribute(std::string_view name, const char* value)
    : OnnxWrittenAttribute(name, std::string_view(value)) {}

OnnxWrittenAttribute::OnnxWrittenAttribute(std::string_view name,
                                           const std::vector<std::int64_t>& values) {
    message.text(1, name);
    for (const std::int64_t value : values) {
        message.integer(8, value);
    }
    message.integer(20, 7);
}

OnnxWrittenAttribute::OnnxWrittenAttribute(std::string_view name,
                                           const std::vector<std::string>& values) {
    message.text(1, name);
    for (const std::string& value : values) {
        message.text(9, value);
    }
    message.integer(20, 8);
}

WireMessage onnx_node_message(const OnnxNodeText& node) {
    WireMessage message;
    for (const std::string& input : node.inputs) {
        message.text(1, input);
    }
    for (const std::string& output : node.outputs) {
        message.text(2, output);
    }
    message.text(3, node.name).text(4, node.op_type);
    for (const OnnxWrittenAttribute& attribute : node.attributes) {
        message.message(5, attribute.message);
    }
    if (!node.domain.empty()) {
        message.text(7, node.domain);
    }
    return message;
}

std::string LayerWriter::in(std::size_t i) const {
    return names_ == LayerNames::formal ? fmt::format("x{}", i)
                                        : graph_.tensors[layer_.inputs.at(i)].name;
}

std::string LayerWriter::out(std::size_t i) const {
    return names_ == LayerNames::formal ? fmt::format("y{}", i)
                                        : graph_.tensors[layer_.outputs.at(i)].name;
}

std::vector<std::string> LayerWriter::inputs() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < input_count(); ++i) {
        names.push_back(in(i));
    }
    return names;
}

std::vector<std::string> LayerWriter::outputs() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < layer_.outputs.size(); ++i) {
        names.push_back(out(i));
    }
    return names;
}

// A graph's tensor has such a name only if a file was written to collide; validation of the result
// then reports it.
std::string LayerWriter::made() {
    return fmt::format("{}/onnx.{}", layer_.name, ++count_);
}

void LayerWriter::add(std::string_view op_type, std::vector<std::string> inputs,
                      std::vector<std::string> outputs, const Attributes& attributes) {
    nodes.push_back({.name = layer_.name,
                     .op_type = std::string(op_type),
                     .domain = {},
                     .inputs = std::move(inputs),
                     .outputs = std::move(outputs),
                     .attributes = attributes});
}

std::string LayerWriter::step(std::string_view op_type, std::vector<std::string> inputs,
                              const Attributes& attributes) {
    return steps(op_type, std::move(inputs), 1, attributes).at(0);
}

std::vector<std::string> LayerWriter::steps(std::string_view op_type,
                                            std::vector<std::string> inputs, std::size_t results,
                                            const Attributes& attributes) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < results; ++i) {
        names.push_back(made());
    }
    add(op_type, std::move(inputs), names, attributes);
    return names;
}

void LayerWriter::last(std::string_view op_type, std::vector<std::string> inputs,
                       const Attributes& attributes) {
    add(op_type, std::move(inputs), outputs(), attributes);
}

void LayerWriter::give(std::size_t output, std::string_view op_type,
                       std::vector<std::string> inputs, const Attributes& attributes) {
    add(op_type, std::move(inputs), {out(output)}, attributes);
}

std::string LayerWriter::keep(Constant value) {
    tensors.push_back({made(), std::move(value)});
    return tensors.back().name;
}

std::string LayerWriter::integers(const Dims& values) {
    return keep(constant_of({{std::ssize(values)}, DataType::s64}, values));
}

std::string LayerWriter::number(double value, DataType dtype) {
    return keep(constant_of({{}, dtype}, std::array{value}));
}

std::string LayerWriter::filled(const Dims& dims, double value) {
    Constant one = constant_of({{1}, DataType::f32}, std::array{value});
    one.tensor.dims = dims;
    return keep(std::move(one));
}

}  // namespace strata
