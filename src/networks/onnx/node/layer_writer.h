// SPDX-License-Identifier: MIT
#pragma once

#include "base/wire_message.h"
#include "graph/graph.h"
#include "networks/onnx/file/constant.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

// An attribute of an ONNX node as written (AttributeProto).
struct OnnxWrittenAttribute {
    explicit OnnxWrittenAttribute(WireMessage whole) : message(std::move(whole)) {}
    OnnxWrittenAttribute(std::string_view name, std::int64_t value);
    OnnxWrittenAttribute(std::string_view name, bool value);
    OnnxWrittenAttribute(std::string_view name, double value);
    OnnxWrittenAttribute(std::string_view name, std::string_view value);
    OnnxWrittenAttribute(std::string_view name, const char* value);
    OnnxWrittenAttribute(std::string_view name, const std::vector<std::int64_t>& values);
    OnnxWrittenAttribute(std::string_view name, const std::vector<std::string>& values);

    WireMessage message;
};

struct OnnxNodeText {
    std::string name = {};
    std::string op_type = {};
    std::string domain = {};
    std::vector<std::string> inputs = {};
    std::vector<std::string> outputs = {};
    std::vector<OnnxWrittenAttribute> attributes = {};
};
// NodeProto.
WireMessage onnx_node_message(const OnnxNodeText& node);

// A small tensor that a layer's ONNX nodes need in addition to its operands: a shape, axes, a
// bound.
struct OnnxSmallTensor {
    std::string name;
    Constant value;
};

// How a layer's operands are named: by the graph's names, or by position, because a function's
// formal parameters must be distinct.
enum class LayerNames { own, formal };

// Writes one layer as ONNX nodes. In the form `own`, operands and results have the names of the
// graph's tensors; intermediate and small tensors get new names.
class LayerWriter {
public:
    LayerWriter(const Graph& graph, const Layer& layer, LayerNames names)
        : graph_(graph), layer_(layer), names_(names) {}

    const Layer& layer() const { return layer_; }
    std::size_t input_count() const { return layer_.inputs.size(); }
    const Tensor& input(std::size_t i) const { return graph_.tensors[layer_.inputs.at(i)].tensor; }
    const Tensor& output(std::size_t i = 0) const {
        return graph_.tensors[layer_.outputs.at(i)].tensor;
    }
    std::string in(std::size_t i) const;
    std::string out(std::size_t i = 0) const;
    std::vector<std::string> inputs() const;
    std::vector<std::string> outputs() const;

    using Attributes = std::vector<OnnxWrittenAttribute>;

    // An intermediate node; returns the name of its result.
    std::string step(std::string_view op_type, std::vector<std::string> inputs,
                     const Attributes& attributes = {});
    std::vector<std::string> steps(std::string_view op_type, std::vector<std::string> inputs,
                                   std::size_t results, const Attributes& attributes = {});

    // The node that produces the layer's outputs.
    void last(std::string_view op_type, std::vector<std::string> inputs,
              const Attributes& attributes = {});

    // A node that produces one of the outputs.
    void give(std::size_t output, std::string_view op_type, std::vector<std::string> inputs,
              const Attributes& attributes = {});

    // Small tensors: integers, or one number of any type.
    std::string integers(const Dims& values);
    std::string number(double value, DataType dtype);
    // A tensor of equal numbers.
    std::string filled(const Dims& dims, double value);

    std::vector<OnnxNodeText> nodes;
    std::vector<OnnxSmallTensor> tensors;

private:
    std::string made();
    void add(std::string_view op_type, std::vector<std::string> inputs,
             std::vector<std::string> outputs, const Attributes& attributes);
    std::string keep(Constant value);

    const Graph& graph_;
    const Layer& layer_;
    LayerNames names_;
    int count_ = 0;
};

}  // namespace strata
