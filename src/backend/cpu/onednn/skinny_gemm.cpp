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
    return loop_call(skinny_gemm, {x, b, y}, product, into, Epilogue{});
}

// Finishes a panel's columns of the whole result.
void finish_panel(const SkinnyGemm& product, const Epilogue& epilogue, std::size_t column,
                  float* y) {
    for (std::size_t row = 0; row < product.rows; ++row) {
        float* at = y + row * product.columns + column;
        for (std::size_t j = 0; j < panel_columns; ++j) {
            const float sum = at[j] + (epilogue.bias != nullptr ? epilogue.bias[column + j] : 0);
            at[j] = epilogue.relu == Relu::applied ? std::max(sum, 0.0F) : sum;
        }
    }
}

}  // namespace

// Hands out panels one by one to free threads: on a busy machine threads are not equally fast.
void skinny_gemm(const SkinnyGemm& product, const float* x, const float* b, float* y, Into into,
                 const Epilogue& epilogue) {
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
        if (epilogue.bias != nullptr || epilogue.relu == Relu::applied) {
            finish_panel(product, epilogue, i * panel_columns, y);
        }
    }
}

// Unsuitable if some threads would have no panel.
bool SkinnyGemmLowering::suits(Dim rows, Dim columns, Dim depth) const {
    return has_register_tiles() && rows <= max_rows && columns % panel == 0 &&
           depth % library_block == 0 && columns / panel >= omp_get_max_threads();
}

bool SkinnyGemmLowering::suits_forward(Dim rows) const {
    return suits(rows, weight_.rows, weight_.columns) && weight_.first % panel == 0 &&
           weight_.rows_of_tensor % panel == 0;
}

bool SkinnyGemmLowering::suits_backward_data(Dim rows) const {
    return suits(rows, weight_.columns, weight_.rows) &&
           weight_.rows_of_tensor % library_block == 0;
}

TensorView SkinnyGemmLowering::forward_weights() const {
    const TensorView whole =
        lowering_.value(weight_.tensor, panels(weight_.rows_of_tensor, weight_.columns));
    const auto skipped = size(weight_.first * weight_.columns) * sizeof(float);
    return {whole.buffer, whole.desc, whole.offset + skipped};
}

SkinnyGemm SkinnyGemmLowering::forward_product(Dim rows) const {
    return {size(rows), size(weight_.rows), size(weight_.columns),
            size(weight_.columns) * panel_columns};
}

std::optional<Call> SkinnyGemmLowering::forward(const TensorView& x, const TensorView& y,
                                                Into into) const {
    const Dim rows = dims_of(x.desc).front();
    return suits_forward(rows)
               ? std::optional(call_of(forward_product(rows), x, forward_weights(), y, into))
               : std::nullopt;
}

Call SkinnyGemmLowering::forward(const TensorView& x, const TensorView& y,
                                 const std::optional<TensorView>& bias, Relu relu) const {
    std::vector<TensorView> views = {x, forward_weights(), y};
    if (bias) {
        views.push_back(*bias);
    }
    return KernelCall{
        [product = forward_product(dims_of(x.desc).front()), relu](std::span<void* const> at) {
            const Epilogue epilogue = {at.size() > 3 ? static_cast<const float*>(at[3]) : nullptr,
                                       relu};
            skinny_gemm(product, static_cast<const float*>(at[0]), static_cast<const float*>(at[1]),
                        static_cast<float*>(at[2]), Into::overwrite, epilogue);
        },
        std::move(views)};
}

std::optional<Call> SkinnyGemmLowering::backward_data(const TensorView& dy,
                                                      const TensorView& dx) const {
    const Dim rows = dims_of(dy.desc).front();
    if (!suits_backward_data(rows)) {
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
