// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/move.h"
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
Call sum_call(std::vector<TensorView> terms, const TensorView& sum, std::size_t count);

// Copies elements from view to view, after clearing the first bytes of `to`.
Call move_call(const Movement& move, const TensorView& from, const TensorView& to,
               std::size_t cleared);

}  // namespace strata::cpu
