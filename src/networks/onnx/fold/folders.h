// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node_import.h"
#include "op/tensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// Computes one ONNX operator on constants: the arithmetic with which exporters compute shapes.
// Nothing if the result would be large or the case is not supported; the node then becomes a layer
// like any other.
using Folder = std::optional<Constant> (*)(const NodeImport& node);

// The folder of an operator in the default domain; null if there is none.
Folder find_folder(std::string_view op_type);

// Whether an operator needs only the shape of its input, so that the input need not be constant.
bool folds_by_shape(std::string_view op_type);

// The parts into which a Split divides a constant; nothing if they would be large.
std::optional<std::vector<Constant>> folded_parts(const NodeImport& node);

// source.cpp: constants out of attributes and shapes
std::optional<Constant> fold_constant(const NodeImport& node);
std::optional<Constant> fold_constant_of_shape(const NodeImport& node);
std::optional<Constant> fold_shape(const NodeImport& node);
std::optional<Constant> fold_size(const NodeImport& node);
std::optional<Constant> fold_range(const NodeImport& node);
std::optional<Constant> fold_eye_like(const NodeImport& node);

// arrangement.cpp: the same values in other positions; unlimited in size if none are copied
std::optional<Constant> fold_identity(const NodeImport& node);
std::optional<Constant> fold_reshape(const NodeImport& node);
std::optional<Constant> fold_flatten(const NodeImport& node);
std::optional<Constant> fold_squeeze(const NodeImport& node);
std::optional<Constant> fold_unsqueeze(const NodeImport& node);
std::optional<Constant> fold_transpose(const NodeImport& node);
std::optional<Constant> fold_concat(const NodeImport& node);
std::optional<Constant> fold_gather(const NodeImport& node);
std::optional<Constant> fold_slice(const NodeImport& node);
std::optional<Constant> fold_expand(const NodeImport& node);
std::optional<Constant> fold_tile(const NodeImport& node);
std::optional<Constant> fold_moved(const NodeImport& node);  // by an element map
std::optional<Constant> fold_trilu(const NodeImport& node);
std::optional<Constant> fold_non_zero(const NodeImport& node);

// arithmetic.cpp: one element from one or from two, broadcast
std::optional<Constant> fold_cast(const NodeImport& node);
std::optional<Constant> fold_unary(const NodeImport& node);
std::optional<Constant> fold_binary(const NodeImport& node);
std::optional<Constant> fold_where(const NodeImport& node);

// reduction.cpp
std::optional<Constant> fold_reduction(const NodeImport& node);
std::optional<Constant> fold_cumulative_sum(const NodeImport& node);

// The extents to which shapes broadcast by NumPy's rule; nothing if they do not fit.
std::optional<Dims> broadcast_dims(std::span<const Dims> shapes);

// For each element of a tensor with extents `to`, the source element in a tensor with extents
// `from` that is broadcast to it. Requires: `from` broadcasts to `to`, which has few elements.
std::vector<std::int64_t> broadcast_elements(const Dims& from, const Dims& to);

}  // namespace strata
