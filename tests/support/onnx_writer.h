// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Writes one protobuf message field by field; the counterpart of networks/onnx/file/wire.h for
// tests.
class WireWriter {
public:
    WireWriter& integer(int field, std::int64_t value);
    WireWriter& number(int field, float value);
    WireWriter& text(int field, std::string_view bytes);
    WireWriter& message(int field, const WireWriter& message) { return text(field, message.bytes); }
    WireWriter& varint(std::uint64_t value);
    WireWriter& key(int field, int wire_type);

    std::string bytes;
};

// An attribute of a node, by the type of its value.
WireWriter onnx_attribute(std::string_view name, std::int64_t value);
WireWriter onnx_attribute(std::string_view name, float value);
WireWriter onnx_attribute(std::string_view name, std::string_view value);
WireWriter onnx_attribute(std::string_view name, std::initializer_list<std::int64_t> values);
WireWriter onnx_attribute_tensor(std::string_view name, const WireWriter& tensor);
WireWriter onnx_attribute_graph(std::string_view name, const WireWriter& graph);

// TensorProto with raw data.
WireWriter onnx_floats(std::string_view name, std::vector<std::int64_t> dims,
                       const std::vector<float>& values);
WireWriter onnx_integers(std::string_view name, std::vector<std::int64_t> dims,
                         const std::vector<std::int64_t>& values);

// ValueInfoProto. An extent below 0 is written as the name "N", "N2", "N3" by its value.
WireWriter onnx_value_info(std::string_view name, const std::vector<std::int64_t>& dims,
                           int element_type = 1);

// Makes a model piece by piece; each call appends to the graph.
class OnnxWriter {
public:
    explicit OnnxWriter(std::int64_t opset = 17) : opset_(opset) {}

    OnnxWriter& input(std::string_view name, const std::vector<std::int64_t>& dims,
                      int element_type = 1);
    OnnxWriter& output(std::string_view name);
    OnnxWriter& value_info(std::string_view name, const std::vector<std::int64_t>& dims);
    OnnxWriter& initializer(const WireWriter& tensor);
    // Floats that count up from 0 by `step`, so that tests can tell them apart.
    OnnxWriter& weight(std::string_view name, const std::vector<std::int64_t>& dims,
                       float step = 0.25f);
    OnnxWriter& integers(std::string_view name, const std::vector<std::int64_t>& values);
    OnnxWriter& node(std::string_view op, std::vector<std::string> inputs,
                     std::vector<std::string> outputs,
                     const std::vector<WireWriter>& attributes = {}, std::string_view name = {},
                     std::string_view domain = {});

    // Appends a NodeProto as it is.
    OnnxWriter& node(const WireWriter& node);

    const WireWriter& graph() const { return graph_; }
    std::string model() const;

private:
    std::int64_t opset_;
    WireWriter graph_;
};

}  // namespace strata
