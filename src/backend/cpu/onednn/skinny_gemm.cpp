// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/skinny_gemm.h"

#include <omp.h>

#include <algorithm>

namespace strata::cpu {

namespace {

using Dim = dnnl::memory::dim;

// With more rows, reading the weights is no longer the bottleneck.
constexpr Dim max_rows = 64;

constexpr Dim panel = panel_columns;
constexpr Dim library_block = 16;  // panel rows are in blocks of this size, which must be full

// Rows of a panel that stay in the L1 cache while every row of x is multiplied by them: 32 KB.
constexpr std::size_t block_depth = 128;

std::size_t size(Dim extent) {
    return static_cast<std::size_t>(extent);
}

// w[rows, columns] in panels of 64 rows, which the library calls AB16b64a.
Desc panels(Dim rows, Dim columns) {
    return {{rows, columns}, ElementType::f32, dnnl::memory::format_tag::AB16b64a};
}

Call call_of(const SkinnyGemm& product, const TensorView& x, const TensorView& b,
             const TensorView& y, Into into) {
    return KernelCall{[product, into](std::span<void* const> at) {
                          skinny_gemm(product, static_cast<const float*>(at[0]),
                                      static_cast<const float*>(at[1]), static_cast<float*>(at[2]),
                                      into);
                      },
                      {x, b, y}};
}

}  // namespace

// Hands out panels one by one to free threads: on a busy machine threads are not equally fast.
void skinny_gemm(const SkinnyGemm& product, const float* x, const float* b, float* y, Into into) {
    const auto step = static_cast<std::ptrdiff_t>(product.depth);
    const std::size_t count = product.columns / panel_columns;
#pragma omp parallel for schedule(dynamic) if (count > 1)
    for (std::size_t i = 0; i < count; ++i) {
        const float* first = b + i * product.panel_step;
        for (std::size_t k = 0; k < product.depth; k += block_depth) {
            gemm_by_panel(product.rows, std::min(block_depth, product.depth - k), {x + k, step},
                          first + k * panel_columns,
                          {y + i * panel_columns, static_cast<std::ptrdiff_t>(product.columns)},
                          k > 0 ? Into::add : into);
        }
    }
}

// Unsuitable if some threads would have no panel.
bool SkinnyGemmLowering::suits(Dim rows, Dim columns, Dim depth) const {
    return has_register_tiles() && rows <= max_rows && columns % panel == 0 &&
           depth % library_block == 0 && columns / panel >= omp_get_max_threads();
}

std::optional<Call> SkinnyGemmLowering::forward(const TensorView& x, const TensorView& y,
                                                Into into) const {
    const Dim rows = dims_of(x.desc).front();
    if (!suits(rows, weight_.rows, weight_.columns) || weight_.first % panel != 0 ||
        weight_.rows_of_tensor % panel != 0) {
        return std::nullopt;
    }
    const TensorView whole =
        lowering_.value(weight_.tensor, panels(weight_.rows_of_tensor, weight_.columns));
    const auto skipped = size(weight_.first * weight_.columns) * sizeof(float);
    const SkinnyGemm product = {size(rows), size(weight_.rows), size(weight_.columns),
                                size(weight_.columns) * panel_columns};
    return call_of(product, x, {whole.buffer, whole.desc, whole.offset + skipped}, y, into);
}

std::optional<Call> SkinnyGemmLowering::backward_data(const TensorView& dy,
                                                      const TensorView& dx) const {
    const Dim rows = dims_of(dy.desc).front();
    if (!suits(rows, weight_.columns, weight_.rows) ||
        weight_.rows_of_tensor % library_block != 0) {
        return std::nullopt;
    }
    const Desc transposed = panels(weight_.columns, weight_.rows_of_tensor);
    const TensorView whole = lowering_.value(weight_.tensor, transposed.permute_axes({1, 0}));
    const auto skipped = size(weight_.first) * panel_columns * sizeof(float);
    const SkinnyGemm product = {size(rows), size(weight_.columns), size(weight_.rows),
                                size(weight_.rows_of_tensor) * panel_columns};
    return call_of(product, dy, {whole.buffer, whole.desc, whole.offset + skipped}, dx,
                   Into::overwrite);
}

}  // namespace strata::cpu
