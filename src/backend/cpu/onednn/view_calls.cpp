// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/view_calls.h"

#include "backend/cpu/kernels/kernels.h"

#include <array>
#include <cstring>

namespace strata::cpu {

TensorView part_of(const TensorView& view, dnnl::memory::dim first,
                   const dnnl::memory::dims& extents) {
    return {view.buffer, plain(extents, ElementType::f32),
            view.offset + static_cast<std::size_t>(first) * sizeof(float)};
}

Call clear_call(const TensorView& to, dnnl::memory::dim count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
    return KernelCall{[bytes](std::span<void* const> at) { std::memset(at[0], 0, bytes); }, {to}};
}

Call copy_call(const TensorView& from, const TensorView& to, dnnl::memory::dim count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
    return KernelCall{[bytes](std::span<void* const> at) { std::memcpy(at[1], at[0], bytes); },
                      {from, to}};
}

Call add_call(const TensorView& a, const TensorView& b, const TensorView& to,
              dnnl::memory::dim count) {
    return KernelCall{[n = static_cast<std::size_t>(count)](std::span<void* const> at) {
                          add_up(at.first(2), static_cast<float*>(at[2]), n);
                      },
                      {a, b, to}};
}

}  // namespace strata::cpu
