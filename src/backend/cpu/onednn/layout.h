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

// The library's extents of a tensor: it knows no scalars, one element along one axis stands for
// them.
dnnl::memory::dims extents_of(const Tensor& tensor);

// Row-major, dense.
Desc plain(const dnnl::memory::dims& dims, ElementType type);

// Whatever layout the primitive likes best.
Desc any_layout(const dnnl::memory::dims& dims, ElementType type);

// Whether elements lie as `plain` would have them, gaps of extent 1 aside.
bool is_plain(const Desc& desc);

// Whether the layout holds more elements than the tensor: zeros that fill up blocks.
bool is_padded(const Desc& desc);

std::size_t elements_of(const Desc& desc);

// Elements that lie in memory, those that fill up blocks included. Requires: dense.
std::size_t stored_elements_of(const Desc& desc);

// Requires: a blocked layout.
AxisOffsets offsets_of(const Desc& desc);

// The layout of `model`, with other extents and type: its order and blocks where the library names
// them and they do not mostly fill up, else plain.
Desc alike(const Desc& model, const dnnl::memory::dims& dims, ElementType type);

// As the library's format tags: "abcd", "aBcd16b"; "any" or "opaque" where there are no strides.
std::string text_of(const Desc& desc);

// "aBcd16b -> abcd", with element types where they differ.
std::string text_of(const Desc& from, const Desc& to);

}  // namespace strata::cpu
