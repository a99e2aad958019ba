// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "networks/onnx/node/layer_writer.h"
#include "networks/onnx/node/node_import.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

// The origin of an operator: ONNX itself, or ONNX Runtime (com.microsoft).
enum class Domain { standard, microsoft, both };

// The element types that a node supports. Arithmetic is in floating point, so integers of up to 24
// bits may be added and compared, but not used otherwise.
enum class Elements { any, floating };

// Whether more than one output of a node may be read.
enum class Outputs { one, several };

// Computes a node on constants: the arithmetic that exporters use for shapes. Nothing if the result
// would be large or the case is not supported; the node then becomes an ordinary layer.
using Fold = std::optional<Constant> (*)(const NodeImport& node);

// The same for an operator with several results.
using FoldParts = std::optional<std::vector<Constant>> (*)(const NodeImport& node);

// The cost of folding that the budget is charged for in addition to the inputs' elements.
enum class FoldCost {
    elements,
    may_grow,    // the result can be much larger than the inputs
    may_shrink,  // more of the first input is read than is written
};

// What is known about a node that becomes an opaque layer.
struct KnownResults {
    std::vector<std::optional<Tensor>> outputs = {};  // by output; nothing: unknown
    std::optional<Operations> work = {};              // of the forward pass; nothing: unknown
    std::vector<std::size_t> weights = {};  // inputs that are weights if the file has them
    std::optional<DataType> packed = {};    // the element type inside the bytes of the first
};

// Gives what is known about a node from the shapes of its inputs, which are all known. Throws
// Unsupported if the extents depend on values computed at run time.
using ShapeRule = KnownResults (*)(const NodeImport& node);

// An operator that behaves like another one with some of its inputs, apart from element types.
struct Likeness {
    std::string_view op_type = {};           // of the default domain; empty: none
    std::array<std::size_t, 5> inputs = {};  // in its order; 0 after the first: no more
    int typed_as = -1;                       // the input whose type the result has,
    DataType dtype = DataType::f32;          // or its type
    std::optional<DataType> second = {};     // of a second result with the extents of the first
};

// Writes a layer of one operator as ONNX nodes (opset 22), ending with LayerWriter::last. Throws
// Error if ONNX cannot express it.
struct LayerWrite {
    std::string_view layer = {};  // the type of the layer's operator
    void (*write)(const Op& op, LayerWriter& to) = nullptr;
};

// All that is known about one ONNX operator. Without a conversion, it is an opaque layer whose
// shapes follow from a rule or a likeness. These also serve cases that a conversion refuses.
struct OnnxRow {
    constexpr OnnxRow(std::string_view type, Domain of = Domain::standard)
        : op_type(type), domain(of) {}

    // Converted to layers by this function.
    constexpr OnnxRow in(Convert by, Elements which = Elements::any,
                         Outputs read = Outputs::one) const {
        OnnxRow row = *this;
        row.convert = by;
        row.elements = which;
        row.outputs = read;
        return row;
    }
    // The same if it computes with floating-point numbers, not with integers.
    constexpr OnnxRow in_floating(Convert by, Outputs read = Outputs::one) const {
        return in(by, Elements::floating, read);
    }
    // Computed on constants by this function.
    constexpr OnnxRow folded(Fold by, FoldCost costs = FoldCost::elements) const {
        OnnxRow row = *this;
        row.fold = by;
        row.fold_cost = costs;
        return row;
    }
    constexpr OnnxRow folded_by_shape(Fold by, FoldCost costs = FoldCost::elements) const {
        OnnxRow row = folded(by, costs);
        row.folds_by_shape = true;
        return row;
    }
    constexpr OnnxRow folded_to_parts(FoldParts by) const {
        OnnxRow row = *this;
        row.fold_parts = by;
        row.fold_cost = FoldCost::may_shrink;
        return row;
    }
    // The results of an opaque layer, by this rule.
    constexpr OnnxRow shaped(ShapeRule by) const {
        OnnxRow row = *this;
        row.shape_rule = by;
        return row;
    }
    constexpr OnnxRow shaped(const Likeness& as) const {
        OnnxRow row = *this;
        row.like = as;
        return row;
    }
    // Exported: this function writes layers of its operator as this node, alone or with others.
    template <auto write>
    constexpr OnnxRow out() const {
        return out_by<write>(write);
    }

    std::string_view op_type;
    Domain domain;
    Convert convert = nullptr;
    Elements elements = Elements::any;
    Outputs outputs = Outputs::one;
    Fold fold = nullptr;
    FoldParts fold_parts = nullptr;
    FoldCost fold_cost = FoldCost::elements;
    bool folds_by_shape = false;  // needs only its input's shape, not the elements
    ShapeRule shape_rule = nullptr;
    Likeness like = {};
    std::array<LayerWrite, 2> writes = {};

private:
    template <auto write, class T>
    constexpr OnnxRow out_by(void (*)(const T& op, LayerWriter& to)) const {
        OnnxRow row = *this;
        row.writes[writes[0].write == nullptr ? 0 : 1] = {
            T::type, [](const Op& op, LayerWriter& to) { write(std::get<T>(op), to); }};
        return row;
    }
};

// One row for each function of a family whose functions differ in little else, and further rows.
template <class Functions, class MakeRow, std::size_t count>
constexpr auto rows_of(const Functions& functions, MakeRow make,
                       const std::array<OnnxRow, count>& further) {
    const auto joined = [&]<std::size_t... i, std::size_t... k>(std::index_sequence<i...>,
                                                                std::index_sequence<k...>) {
        return std::array{make(functions[i])..., further[k]...};
    };
    return joined(std::make_index_sequence<std::tuple_size_v<Functions>>(),
                  std::make_index_sequence<count>());
}

// The function of a family that a node calls.
template <class Functions>
const auto& function_of(const NodeImport& node, const Functions& functions) {
    const auto found = std::ranges::find_if(
        functions, [&](const auto& function) { return function.op_type == node.node().op_type; });
    check(found != functions.end(), "a conversion is called for types that it lists");
    return *found;
}

// The function of a kind; it has the ONNX name. Null if ONNX has none.
template <class Functions, class Kind>
const auto* function_of_kind(const Functions& functions, Kind kind) {
    const auto found = std::ranges::find_if(
        functions, [&](const auto& function) { return function.kind == kind; });
    return found == functions.end() ? nullptr : &*found;
}

}  // namespace strata
