// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/assembly.h"
#include "networks/onnx/constant_reader.h"
#include "networks/onnx/extents.h"
#include "networks/onnx/module_path.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace strata {

// Thrown by a converter that cannot express its node; what it had added is taken back, and the node
// becomes an Opaque layer with this reason.
struct Unsupported {
    std::string reason;
};

// What was computed at import so far.
struct Folding {
    std::int64_t elements = 0;  // looked at or made
    std::int64_t bytes = 0;     // of constants that no file holds
};

// What the conversion of every node of a model needs.
struct ModelImport {
    const WireFile& file;
    const OnnxModel& model;
    std::int64_t opset = 0;  // of the default domain
    const OnnxOptions& options;
    Extents& extents;
    ConstantReader& constants;
    Assembly assembly;
    std::unordered_map<std::string_view, const OnnxValueInfo*> stated;  // by tensor name
    std::unordered_set<std::string_view> used;                          // names that somebody reads
    Folding folding = {};

    // Whether no more than a few elements may be computed for any node from now on. What a file
    // brings along may be computed once, so that the time and the memory stay linear in its size.
    bool is_spent() const {
        const std::int64_t read = constants.bytes_read();
        return folding.elements > max_folded_elements_in_all + read ||
               folding.bytes > max_folded_bytes_in_all + 4 * read;
    }
};

// One node in conversion: its attributes with their defaults, its inputs, and what it adds to the
// graph. Every accessor throws Unsupported or Error instead of giving what the node does not have.
class NodeImport {
public:
    NodeImport(ModelImport& model, const OnnxNode& node)
        : model_(model), node_(node), module_path_(module_path_of(node)) {}

    const OnnxNode& node() const { return node_; }
    std::int64_t opset() const { return model_.opset; }
    // Accounts for elements that are about to be computed for this node at import. Throws
    // Unsupported where they are more than a few and the model's budget is spent.
    void spend(std::int64_t elements) const;

    const std::optional<BatchChange>& batch_change() const { return model_.extents.batch_change(); }

    // Attributes. Lists are empty and tensors null where absent.
    bool has_attribute(std::string_view name) const { return find(name).has_value(); }
    std::int64_t integer(std::string_view name, std::int64_t absent) const;
    double number(std::string_view name, double absent) const;
    std::string_view text(std::string_view name, std::string_view absent) const;
    Dims integers(std::string_view name) const;
    std::vector<double> numbers(std::string_view name) const;
    std::vector<std::string_view> texts(std::string_view name) const;
    std::optional<Constant> tensor_attribute(std::string_view name) const;

    // Inputs. Requires: has_input(i) where one is requested.
    std::size_t input_count() const { return node_.inputs.size(); }
    bool has_input(std::size_t i) const { return i < input_count() && !node_.inputs[i].empty(); }
    Tensor input(std::size_t i) const;  // a copy: a layer that is added moves the graph's tensors
    const Constant* constant(std::size_t i) const;  // null where it is computed or missing
    const Constant& known(std::size_t i) const;

    // Whether input i is a trained weight by its looks.
    bool is_weight(std::size_t i) const;

    // The elements of a small constant input.
    Dims integers_of_input(std::size_t i) const;
    double number_of_input(std::size_t i) const;
    std::int64_t integer_of_input(std::size_t i) const;

    // Operands. A constant becomes a tensor of the graph on first use, with this role; `computed`
    // stands for the usual: a parameter where it is a trained weight, else a constant.
    TensorId operand(std::size_t i) const;
    TensorId operand(std::size_t i, Role role) const;
    // A constant made of input i.
    TensorId operand(std::size_t i, std::string_view suffix, Constant changed, Role role) const;

    // A constant that no input is: its name is the node's and a suffix.
    TensorId constant_operand(std::string_view suffix, Constant made,
                              Role role = Role::constant) const;
    TensorId scalar(std::string_view suffix, double number, DataType dtype) const;

    Tensor tensor(TensorId id) const { return model_.assembly.tensor(id); }

    // Layers: those on the way are called by the node's name and a suffix; the result has the
    // node's name and gives its first output.
    TensorId add(std::string_view suffix, Op op, std::vector<TensorId> operands) const;
    std::vector<TensorId> add_several(std::string_view suffix, Op op,
                                      std::vector<TensorId> operands) const;
    void result(Op op, std::vector<TensorId> operands) const;

    // A layer that gives one output; its name is the node's with a suffix, or with the output's
    // number.
    void result_of(std::size_t output, std::string_view suffix, Op op,
                   std::vector<TensorId> operands) const;
    void result_part(std::size_t output, Op op, std::vector<TensorId> operands) const;

    // A layer of the node's name with results called `names`; `give` makes one of them an output.
    std::vector<TensorId> add_whole(Op op, std::vector<TensorId> operands,
                                    std::span<const std::string> names) const;
    void give(std::size_t output, TensorId tensor) const;
    // Makes an output without elements, which is known before anything runs.
    void give_empty(std::size_t output, Tensor tensor) const;

    // One layer that gives all outputs, each where the operator has it.
    void results(Op op, std::vector<TensorId> operands) const;

    // Whether somebody reads output i.
    bool is_used(std::size_t i) const;
    // Requires, as Unsupported: only the first output is read.
    void require_single_output() const;

    // What its layer is called: the module that computes it, its own name, or its first output's.
    std::string_view name() const;

private:
    std::optional<OnnxAttribute> find(std::string_view name) const;
    Value& value(std::size_t i) const { return model_.assembly.value(node_.inputs[i]); }

    ModelImport& model_;
    const OnnxNode& node_;
    std::string module_path_;
};

}  // namespace strata
