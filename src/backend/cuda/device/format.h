// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <array>
#include <string>

namespace strata::cuda {

// What an element is stored as. Integers and booleans are f32 too, exact to 2^24.
enum class ElementType { f32, f16, bf16 };
inline constexpr std::array<std::string_view, 3> names_of(ElementType) {
    return {"f32", "f16", "bf16"};
}

// In which order the elements of a tensor lie, always without gaps: its axes as they are, or, of an
// image (batch, channels, spatial axes), the channels innermost, as tensor cores want them.
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

// By axis, the distance in elements from one index to the next.
Dims strides_of(const Dims& dims, Order order);

// Whether channels_last makes a difference: some axis after the channels is longer than 1, and
// there is more than one channel.
bool has_channel_order(const Dims& dims);

// "f16 nhwc", "f32 nchw"; "bf16 768x3072" where the tensor is no image.
std::string text_of(const Dims& dims, Format format);

}  // namespace strata::cuda
