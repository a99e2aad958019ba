// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <array>
#include <string>

namespace strata::cuda {

// The storage type of an element. Integers and booleans are f32 too, exact up to 2^24.
enum class ElementType { f32, f16, bf16 };
inline constexpr std::array<std::string_view, 3> names_of(ElementType) {
    return {"f32", "f16", "bf16"};
}

// The order of a tensor's elements, always dense: row-major, or, for an image (batch, channels,
// spatial axes), with channels innermost, as tensor cores prefer.
enum class Order { rows, channels_last };
inline constexpr std::array<std::string_view, 2> names_of(Order) {
    return {"rows", "channels_last"};
}

struct Format {
    ElementType type = ElementType::f32;
    Order order = Order::rows;

    bool operator==(const Format&) const = default;
};

std::size_t size_in_bytes(ElementType type);

// For each axis, the distance in elements from one index to the next.
Dims strides_of(const Dims& dims, Order order);

// Whether channels_last makes a difference: some axis after the channels is longer than 1, and
// there is more than one channel.
bool has_channel_order(const Dims& dims);

// "f16 nhwc", "f32 nchw"; "bf16 768x3072" if the tensor is not an image.
std::string text_of(const Dims& dims, Format format);

}  // namespace strata::cuda
