// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/move.h"
#include "backend/cpu/onednn/compat.h"
#include "op/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace strata::cpu {

using ElementType = dnnl::memory::data_type;

// The library's extents of a tensor. It has no scalars; they become one axis with one element.
dnnl::memory::dims extents_of(const Tensor& tensor);

// Row-major, dense.
Desc plain(const dnnl::memory::dims& dims, ElementType type);

// Any layout, as the primitive prefers.
Desc any_layout(const dnnl::memory::dims& dims, ElementType type);

// Whether elements have the positions of `plain`; strides of axes with extent 1 are ignored.
bool is_plain(const Desc& desc);

// Whether the layout holds more elements than the tensor, because blocks are padded with zeros.
bool is_padded(const Desc& desc);

std::size_t elements_of(const Desc& desc);

// The number of elements in memory, including padding. Requires: dense.
std::size_t stored_elements_of(const Desc& desc);

// Requires: a blocked layout.
AxisOffsets offsets_of(const Desc& desc);

// The layout of `model` for other extents and another type: its order and blocks, if the library
// has a name for them and the blocks are not mostly padding; otherwise plain.
Desc alike(const Desc& model, const dnnl::memory::dims& dims, ElementType type);

// The library's format tag: "abcd", "aBcd16b"; "any" or "opaque" if there are no strides.
std::string text_of(const Desc& desc);

// "aBcd16b -> abcd", with element types if they differ.
std::string text_of(const Desc& from, const Desc& to);

}  // namespace strata::cpu
