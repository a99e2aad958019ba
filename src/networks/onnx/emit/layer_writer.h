// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"
#include "networks/onnx/constant.h"
#include "networks/onnx/wire_writer.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// TensorProto.DataType of a data type.
std::int64_t onnx_type_of(DataType dtype);

// A small tensor that a layer's ONNX nodes need beside its operands: a shape, axes, a bound.
struct OnnxSmallTensor {
    std::string name;
    Constant value;
};

// What a layer's operands are called: by the graph's names, or by their places, as the formal
// parameters of a function must be, which may not repeat.
enum class LayerNames { own, formal };

// One layer on its way to ONNX nodes. Own names are those of the graph's tensors; what lies between
// two nodes of one layer, and its small tensors, get names of their own.
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

    using Attributes = std::initializer_list<OnnxNamedValue>;

    // A node on the way; gives the name of its result.
    std::string step(std::string_view op_type, std::vector<std::string> inputs,
                     Attributes attributes = {});
    std::vector<std::string> steps(std::string_view op_type, std::vector<std::string> inputs,
                                   std::size_t results, Attributes attributes = {});

    // The node that gives the layer's outputs.
    void last(std::string_view op_type, std::vector<std::string> inputs,
              Attributes attributes = {});

    // A node that gives one of them.
    void give(std::size_t output, std::string_view op_type, std::vector<std::string> inputs,
              Attributes attributes = {});

    // Small tensors: whole numbers, or one number of a type.
    std::string integers(const Dims& values);
    std::string number(double value, DataType dtype);
    // A tensor of equal numbers.
    std::string filled(const Dims& dims, double value);

    std::vector<OnnxNodeText> nodes;
    std::vector<OnnxSmallTensor> tensors;

private:
    std::string made();
    void add(std::string_view op_type, std::vector<std::string> inputs,
             std::vector<std::string> outputs, Attributes attributes);
    std::string keep(Constant value);

    const Graph& graph_;
    const Layer& layer_;
    LayerNames names_;
    int count_ = 0;
};

}  // namespace strata
