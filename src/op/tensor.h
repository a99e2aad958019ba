// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The element types that a tensor may hold. No operator computes with those after boolean: they are
// the types of stored weights and of opaque layers' results.
enum class DataType {
    f32,
    f64,
    f16,
    bf16,
    s8,
    u8,
    s32,
    s64,
    boolean,  // clang-format off
    s16, u16, u32, u64, s4, u4, s2, u2,
    f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0, f4e2m1  // clang-format on
};

inline constexpr std::array<std::string_view, 23> names_of(DataType) {
    return {"f32",     "f64",      "f16",        "bf16",   "s8",         "u8",     "s32",   "s64",
            "boolean", "s16",      "u16",        "u32",    "u64",        "s4",     "u4",    "s2",
            "u2",      "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "f8e8m0", "f4e2m1"};
}

// Spelling used everywhere: "f32", "bf16", "s64", ...; parse throws Error with exit code usage.
std::string_view name_of(DataType dtype);
DataType parse_data_type(std::string_view name);
std::int64_t size_in_bytes(DataType dtype);  // of a single element
bool is_floating(DataType dtype);            // f32, f64, f16 or bf16
bool is_integer(DataType dtype);             // excluding booleans
bool is_computed(DataType dtype);            // whether operators compute with it

// Extents, outermost first. Images are batch, channels, then depth / height / width.
using Dims = std::vector<std::int64_t>;

// The limit on a shape's elements: its bytes fit an int64 whatever its type.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 59;

// Number of elements; 1 for a scalar. Throws Error if it exceeds max_elements or an extent is
// negative.
std::int64_t product(std::span<const std::int64_t> dims);
// Strides in elements of a dense row-major tensor; all 0 for a tensor without elements, because the
// product of its other extents may overflow.
Dims strides_of(std::span<const std::int64_t> dims);
std::string to_text(std::span<const std::int64_t> dims);  // "32x3x224x224", "scalar" for no extents
Dims parse_dims(std::string_view text);                   // inverse of to_text; throws Error

// The shape and element type of a dense tensor. Its memory layout is up to a backend.
struct Tensor {
    Dims dims;
    DataType dtype = DataType::f32;

    bool operator==(const Tensor&) const = default;
    std::int64_t elements() const { return product(dims); }
    Bytes bytes() const;  // sub-byte elements are packed
};

// The part a tensor plays in a network.
enum class Role {
    input,       // an input; no gradient unless requested
    label,       // class indices, an input; never a gradient
    activation,  // computed by a layer
    parameter,   // trained: has a gradient and an update
    statistic,   // kept between steps but not trained: running mean and variance
    constant,    // fixed: a mask, a scalar, a shape
};

std::string_view name_of(Role role);
std::optional<Role> parse_role(std::string_view name);

// A tensor as an operand of a layer.
struct Operand {
    Tensor tensor;
    Role role = Role::activation;

    bool operator==(const Operand&) const = default;
};

// Everything a layer reads and writes, in the operator's order of operands. It decides the layer's
// work, so two layers with the same operator and signature are the same problem.
struct Signature {
    std::vector<Operand> inputs;
    std::vector<Tensor> outputs;

    bool operator==(const Signature&) const = default;
};

}  // namespace strata
