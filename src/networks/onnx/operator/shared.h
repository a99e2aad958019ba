// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node/row.h"

#include <cstdint>
#include <optional>

namespace strata {

// Functions that the operators of several families share.

// A count as a floating-point number.
constexpr double as_number(std::int64_t count) {
    return static_cast<double>(count);
}

// The results that the rules of several families give for a node that is not computed here.
KnownResults counted_result(Tensor result, Operations work);
KnownResults moved_result(Tensor result);      // nothing is computed
KnownResults uncounted_result(Tensor result);  // the work depends on the runtime

KnownResults as_input(const NodeImport& node);        // with an addition for each element
KnownResults moved_as_input(const NodeImport& node);  // nothing is computed
KnownResults uncounted_as_input(const NodeImport& node);

// The extents that a file states must be countable before use. Throws Unsupported.
Dims sane_extents(Dims dims);

// The type that an attribute names, or else this one.
DataType named_type(const NodeImport& node, std::string_view attribute, DataType absent);

// A layer has at least one element. Throws Unsupported.
void require_filled(const Dims& dims);

void require_rank(const NodeImport& node, std::size_t input, std::size_t rank);

// 16-bit floats are read but never produced: their arithmetic is left to layers.
bool can_make(DataType dtype);

// Integers wrap around as in every runtime; unsigned arithmetic defines that.
constexpr std::int64_t wrapped(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

constexpr std::uint64_t as_bits(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

constexpr std::int64_t negated(std::int64_t value) {
    return wrapped(-as_bits(value));
}

// A function of each element of input 0. Nothing if an integer constant would not stay integer (no
// `of_integer`), or is large.
std::optional<Constant> folded_by(const NodeImport& node, double (*of_number)(double),
                                  std::int64_t (*of_integer)(std::int64_t));

}  // namespace strata
