// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/file/constant.h"
#include "networks/onnx/file/model.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace strata {

// A named tensor of the file while the graph is built.
struct Value {
    std::optional<Constant> constant;
    std::optional<TensorId> tensor;  // in the graph; a constant has one once a layer reads it
    std::string unknown;             // why its shape or type is unknown; empty if both are known
    bool is_initializer = false;     // derived from an initializer
    std::string_view transpose_of = {};  // the matrix that this transposes; or empty
    std::optional<Role> role;            // as the file states it
};

// The maximum length of a name, in bytes. Names of deep exports are shorter.
inline constexpr std::size_t max_name = 256;

// Makes names printable and unique: a second "conv" becomes "conv_2".
class UniqueNames {
public:
    std::string claim(std::string_view wanted);
    void expect(std::size_t names) { taken_.reserve(names); }
    void release(const std::string& name) { taken_.erase(name); }

private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, int> counts_;
};

// The size of the graph at some moment.
struct AssemblyMark {
    std::size_t tensors = 0;
    std::size_t layers = 0;
};

// The graph under construction, and the values of the file's names in it.
class Assembly {
public:
    // Reserves room for about this many; growing step by step would move them all repeatedly.
    void expect(std::size_t tensors, std::size_t layers);

    Value& value(std::string_view name) { return values_[name]; }
    const Value* find(std::string_view name) const;  // null: no value yet
    void forget(std::string_view name) { values_.erase(name); }

    TensorId add_tensor(std::string_view name, Tensor tensor, Role role,
                        std::optional<TensorData> data = {});

    // The same for a constant. A parameter with the same elements, shape and order as an existing
    // one is that one: layers share it.
    TensorId add_constant(std::string_view name, Constant constant, Role role);

    // The tensor of a value as an operand; `role` applies to a constant that no layer has read yet.
    // Requires: the value's shape is known.
    TensorId operand(std::string_view name, Role role);

    // Appends a layer whose outputs are tensors with the given names. Throws Error from the
    // operator's shape rule.
    TensorId add_layer(std::string_view name, Op op, std::vector<TensorId> operands,
                       std::string_view output);

    // The same for an operator with several results, one name for each; missing names are made up.
    std::vector<TensorId> add_layer(std::string_view name, Op op, std::vector<TensorId> operands,
                                    std::span<const std::string> outputs);

    // Appends a layer that no operator of ours computes, with outputs as the file states them.
    void add_opaque(std::string_view name, Opaque op, std::vector<TensorId> operands,
                    std::vector<TensorId> outputs);

    const Tensor& tensor(TensorId id) const { return graph.tensors[id].tensor; }

    AssemblyMark mark() const { return {graph.tensors.size(), graph.layers.size()}; }

    // Undoes everything that was added since. Requires: only the values in `touched` may refer to
    // it.
    void roll_back(AssemblyMark mark, std::span<const std::string_view> touched);

    Graph graph;

private:
    std::optional<TensorId> same_parameter(const Constant& constant) const;

    std::unordered_map<std::string_view, Value> values_;
    std::unordered_map<const std::byte*, TensorId> parameters_;  // by the last one's data
    UniqueNames tensor_names_;
    UniqueNames layer_names_;
};

}  // namespace strata
