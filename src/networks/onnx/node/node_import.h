// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/file/constant.h"
#include "networks/onnx/file/model.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

struct BatchChange;
struct ModelImport;
struct Value;

// Thrown by a converter that cannot express its node. What it added is undone, and the node becomes
// an Opaque layer with this reason.
struct Unsupported {
    std::string reason;
};

inline void unsupported_if(bool is_so, const char* reason) {
    if (is_so) {
        throw Unsupported{reason};
    }
}

// An operand of a sketch: a name of the file, or a tensor that stands in for it.
struct SketchOperand {
    std::string_view name = {};  // empty: none
    std::optional<Tensor> stand_in = {};
    bool is_constant = false;  // whether the stand-in counts as a weight
};

// The results and work of a conversion that was undone. A result is absent if it was not given.
struct Sketch {
    std::vector<std::optional<Tensor>> results;
    Operations work = {};  // of the forward pass
};

class NodeImport;

// Expresses one ONNX operator as layers and gives every output that is read. Throws Unsupported if
// it cannot express the operator, Error if something is inconsistent.
using Convert = void (*)(const NodeImport& node);

// One node during conversion: its attributes with their defaults, its inputs, and the layers it
// adds to the graph. Every accessor throws Unsupported or Error if the node lacks what is
// requested.
class NodeImport {
public:
    NodeImport(ModelImport& model, const OnnxNode& node);

    const OnnxNode& node() const { return node_; }
    std::int64_t opset() const;
    // Charges the budget for elements that will be computed for this node at import. Throws
    // Unsupported if there are more than a few and the model's budget is used up.
    void spend(std::int64_t elements) const;

    const std::optional<BatchChange>& batch_change() const;

    // Attributes. An absent list is empty, an absent tensor is null.
    bool has_attribute(std::string_view name) const { return find(name).has_value(); }
    std::int64_t integer(std::string_view name, std::int64_t absent) const;
    double number(std::string_view name, double absent) const;
    std::string_view text(std::string_view name, std::string_view absent) const;
    Dims integers(std::string_view name) const;
    std::vector<double> numbers(std::string_view name) const;
    std::vector<std::string_view> texts(std::string_view name) const;
    std::optional<Constant> tensor_attribute(std::string_view name) const;

    // Inputs. Requires: has_input(i) for the requested input.
    std::size_t input_count() const { return node_.inputs.size(); }
    bool has_input(std::size_t i) const { return i < input_count() && !node_.inputs[i].empty(); }
    Tensor input(std::size_t i) const;  // a copy, because adding a layer moves the graph's tensors
    const Constant* constant(std::size_t i) const;  // null: computed or missing
    const Constant& known(std::size_t i) const;

    // Whether input i looks like a trained weight.
    bool is_weight(std::size_t i) const;

    // The elements of a small constant input.
    Dims integers_of_input(std::size_t i) const;
    double number_of_input(std::size_t i) const;
    std::int64_t integer_of_input(std::size_t i) const;

    // Operands. A constant becomes a tensor of the graph on first use, with this role; `computed`
    // is the usual choice: a parameter if it is a trained weight, else a constant.
    TensorId operand(std::size_t i) const;
    TensorId operand(std::size_t i, Role role) const;
    // A constant derived from input i.
    TensorId operand(std::size_t i, std::string_view suffix, Constant changed, Role role) const;

    // The parameter of which input i is the transpose, so that layers share it; or nothing.
    std::optional<TensorId> shared_transpose(std::size_t i) const;

    // A constant that is not an input; its name is the node's with a suffix.
    TensorId constant_operand(std::string_view suffix, Constant made,
                              Role role = Role::constant) const;
    TensorId scalar(std::string_view suffix, double number, DataType dtype) const;

    Tensor tensor(TensorId id) const;

    // Layers. Intermediate ones are named by the node's name and a suffix; the result has the
    // node's name and gives its first output.
    TensorId add(std::string_view suffix, Op op, std::vector<TensorId> operands) const;
    std::vector<TensorId> add_several(std::string_view suffix, Op op,
                                      std::vector<TensorId> operands) const;
    void result(Op op, std::vector<TensorId> operands) const;

    // A layer that gives one output; its name is the node's with a suffix or the output's index.
    void result_of(std::size_t output, std::string_view suffix, Op op,
                   std::vector<TensorId> operands) const;
    void result_part(std::size_t output, Op op, std::vector<TensorId> operands) const;

    // A layer with the node's name and results called `names`; `give` makes a result an output.
    std::vector<TensorId> add_whole(Op op, std::vector<TensorId> operands,
                                    std::span<const std::string> names) const;
    void give(std::size_t output, TensorId tensor) const;
    // Gives an output without elements; it is known at import.
    void give_empty(std::size_t output, Tensor tensor) const;

    // One layer that gives all outputs that its operator has.
    void results(Op op, std::vector<TensorId> operands) const;

    // A layer that a converter makes from some of the node's inputs, with its attributes.
    TensorId part(std::string_view suffix, Convert convert,
                  std::vector<std::string_view> inputs) const;

    // Converts the node as if it had this type and these operands, and undoes it; nothing if that
    // fails.
    std::optional<Sketch> sketch(std::string_view op_type, Convert convert,
                                 std::span<const SketchOperand> operands) const;

    // Whether output i is read.
    bool is_used(std::size_t i) const;
    // Throws Unsupported if an output other than the first is read.
    void require_single_output() const;

    // The name of the node's layer: the module that computes it, else its own name, else its first
    // output's.
    std::string_view name() const;

private:
    std::optional<OnnxAttribute> find(std::string_view name) const;
    Value& value(std::size_t i) const;

    ModelImport& model_;
    const OnnxNode& node_;
    std::string module_path_;
};

// An axis counted from the front. Throws Error if it does not exist.
std::size_t axis_of(std::int64_t axis, std::size_t rank);

}  // namespace strata
