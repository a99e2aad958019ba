// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/view_calls.h"

#include "backend/cpu/kernels/kernels.h"

#include <cstring>

namespace strata::cpu {

TensorView part_of(const TensorView& view, dnnl::memory::dim first,
                   const dnnl::memory::dims& extents) {
    return {view.buffer, plain(extents, ElementType::f32),
            view.offset + static_cast<std::size_t>(first) * sizeof(float)};
}

Call clear_call(const TensorView& to, dnnl::memory::dim count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
    return loop_call([bytes](void* at) { std::memset(at, 0, bytes); }, {to});
}

Call copy_call(const TensorView& from, const TensorView& to, dnnl::memory::dim count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
    return loop_call([bytes](const void* x, void* y) { std::memcpy(y, x, bytes); }, {from, to});
}

Call add_call(const TensorView& a, const TensorView& b, const TensorView& to,
              dnnl::memory::dim count) {
    return sum_call({a, b}, to, static_cast<std::size_t>(count));
}

Call sum_call(std::vector<TensorView> terms, const TensorView& sum, std::size_t count) {
    terms.push_back(sum);
    return KernelCall{
        [count, narrow = type_of(sum.desc) == ElementType::bf16](std::span<void* const> at) {
            add_up(at.first(at.size() - 1), {at.back(), narrow}, count);
        },
        std::move(terms)};
}

Call move_call(const Movement& move, const TensorView& from, const TensorView& to,
               std::size_t cleared) {
    return loop_call(
        [move, cleared](const void* x, void* y) {
            clear(y, cleared);
            move(x, y);
        },
        {from, to});
}

}  // namespace strata::cpu
