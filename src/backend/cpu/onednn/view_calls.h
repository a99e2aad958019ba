// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/program.h"

namespace strata::cpu {

// A part of a view with these dense extents, beginning `first` floats into it.
TensorView part_of(const TensorView& view, dnnl::memory::dim first,
                   const dnnl::memory::dims& extents);

// Loops over `count` floats: to = 0, to = from, to = a + b.
Call clear_call(const TensorView& to, dnnl::memory::dim count);
Call copy_call(const TensorView& from, const TensorView& to, dnnl::memory::dim count);
Call add_call(const TensorView& a, const TensorView& b, const TensorView& to,
              dnnl::memory::dim count);

}  // namespace strata::cpu
