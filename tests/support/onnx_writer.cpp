// SPDX-License-Identifier: MIT
#include "tests/support/onnx_writer.h"

#include <bit>
#include <functional>
#include <numeric>

namespace strata {

WireWriter& WireWriter::varint(std::uint64_t value) {
    while (value >= 0x80) {
        bytes += static_cast<char>(value | 0x80);
        value >>= 7;
    }
    bytes += static_cast<char>(value);
    return *this;
}

WireWriter& WireWriter::key(int field, int wire_type) {
    return varint(static_cast<std::uint64_t>(field * 8 + wire_type));
}

WireWriter& WireWriter::integer(int field, std::int64_t value) {
    return key(field, 0).varint(static_cast<std::uint64_t>(value));
}

WireWriter& WireWriter::number(int field, float value) {
    key(field, 5);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) {
        bytes += static_cast<char>(bits >> shift);
    }
    return *this;
}

WireWriter& WireWriter::text(int field, std::string_view content) {
    key(field, 2).varint(content.size());
    bytes += content;
    return *this;
}

WireWriter onnx_attribute(std::string_view name, std::int64_t value) {
    return WireWriter().text(1, name).integer(3, value).integer(20, 2);
}

WireWriter onnx_attribute(std::string_view name, float value) {
    return WireWriter().text(1, name).number(2, value).integer(20, 1);
}

WireWriter onnx_attribute(std::string_view name, std::string_view value) {
    return WireWriter().text(1, name).text(4, value).integer(20, 3);
}

WireWriter onnx_attribute(std::string_view name, std::initializer_list<std::int64_t> values) {
    WireWriter attribute = WireWriter().text(1, name).integer(20, 7);
    for (std::int64_t value : values) {
        attribute.integer(8, value);
    }
    return attribute;
}

WireWriter onnx_attribute_tensor(std::string_view name, const WireWriter& tensor) {
    return WireWriter().text(1, name).message(5, tensor).integer(20, 4);
}

WireWriter onnx_attribute_graph(std::string_view name, const WireWriter& graph) {
    return WireWriter().text(1, name).message(6, graph).integer(20, 5);
}

namespace {

template <class T>
WireWriter tensor_with_raw_data(std::string_view name, const std::vector<std::int64_t>& dims,
                                int data_type, const std::vector<T>& values) {
    WireWriter tensor;
    for (std::int64_t extent : dims) {
        tensor.integer(1, extent);
    }
    const std::string_view raw(reinterpret_cast<const char*>(values.data()),
                               values.size() * sizeof(T));
    return tensor.integer(2, data_type).text(8, name).text(9, raw);
}

WireWriter dimension(std::int64_t extent) {
    if (extent >= 0) {
        return WireWriter().integer(1, extent);
    }
    return WireWriter().text(2, extent == -1 ? "N" : "N" + std::to_string(extent).substr(1));
}

}  // namespace

WireWriter onnx_floats(std::string_view name, std::vector<std::int64_t> dims,
                       const std::vector<float>& values) {
    return tensor_with_raw_data(name, dims, 1, values);
}

WireWriter onnx_integers(std::string_view name, std::vector<std::int64_t> dims,
                         const std::vector<std::int64_t>& values) {
    return tensor_with_raw_data(name, dims, 7, values);
}

WireWriter onnx_value_info(std::string_view name, const std::vector<std::int64_t>& dims,
                           int element_type) {
    WireWriter shape;
    for (std::int64_t extent : dims) {
        shape.message(1, dimension(extent));
    }
    const auto tensor_type = WireWriter().integer(1, element_type).message(2, shape);
    return WireWriter().text(1, name).message(2, WireWriter().message(1, tensor_type));
}

OnnxWriter& OnnxWriter::input(std::string_view name, const std::vector<std::int64_t>& dims,
                              int element_type) {
    graph_.message(11, onnx_value_info(name, dims, element_type));
    return *this;
}

OnnxWriter& OnnxWriter::output(std::string_view name) {
    graph_.message(12, WireWriter().text(1, name));
    return *this;
}

OnnxWriter& OnnxWriter::value_info(std::string_view name, const std::vector<std::int64_t>& dims) {
    graph_.message(13, onnx_value_info(name, dims));
    return *this;
}

OnnxWriter& OnnxWriter::initializer(const WireWriter& tensor) {
    graph_.message(5, tensor);
    return *this;
}

OnnxWriter& OnnxWriter::weight(std::string_view name, const std::vector<std::int64_t>& dims,
                               float step) {
    const auto elements =
        std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
    std::vector<float> values(static_cast<std::size_t>(elements));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i) * step;
    }
    return initializer(onnx_floats(name, dims, values));
}

OnnxWriter& OnnxWriter::integers(std::string_view name, const std::vector<std::int64_t>& values) {
    return initializer(onnx_integers(name, {static_cast<std::int64_t>(values.size())}, values));
}

OnnxWriter& OnnxWriter::node(std::string_view op, std::vector<std::string> inputs,
                             std::vector<std::string> outputs,
                             const std::vector<WireWriter>& attributes, std::string_view name,
                             std::string_view domain) {
    WireWriter node;
    for (const auto& input : inputs) {
        node.text(1, input);
    }
    for (const auto& output : outputs) {
        node.text(2, output);
    }
    node.text(3, name).text(4, op);
    for (const auto& attribute : attributes) {
        node.message(5, attribute);
    }
    graph_.message(1, node.text(7, domain));
    return *this;
}

OnnxWriter& OnnxWriter::node(const WireWriter& node) {
    graph_.message(1, node);
    return *this;
}

std::string OnnxWriter::model() const {
    return WireWriter()
        .integer(1, 8)
        .text(2, "strata tests")
        .message(7, graph_)
        .message(8, WireWriter().text(1, "").integer(2, opset_))
        .bytes;
}

}  // namespace strata
