// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/tile_product.h"

#include "backend/cpu/kernels/tile_gemm.h"
#include "backend/cpu/onednn/isa.h"

namespace strata::cpu {

namespace {

using Dim = dnnl::memory::dim;

// With fewer rows half of the tiles are empty, and reading the weights is the bottleneck.
constexpr Dim min_rows = 17;
constexpr Dim tile_depth = 32;

// w[columns, depth] in panels of 64 columns, with pairs along the depth.
Desc panels(Dim columns, Dim depth) {
    return {{columns, depth}, ElementType::bf16, dnnl::memory::format_tag::AB16b64a2b};
}

Call call_of(const TileGemm& product, std::vector<TensorView> views, Relu relu) {
    return KernelCall{[product, relu](std::span<void* const> at) {
                          const Epilogue epilogue = {
                              at.size() > 3 ? static_cast<const float*>(at[3]) : nullptr, relu};
                          tile_gemm(product, static_cast<const std::uint16_t*>(at[0]),
                                    static_cast<const std::uint16_t*>(at[1]),
                                    static_cast<std::uint16_t*>(at[2]), epilogue);
                      },
                      std::move(views)};
}

TileGemm product_of(Dim rows, Dim columns, Dim depth) {
    return {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns),
            static_cast<std::size_t>(depth)};
}

}  // namespace

Dim TileProduct::inputs() const {
    const auto extents = lowering_.extents(weight_);
    return product(extents) / extents[0];
}

bool TileProduct::suits(Dim rows, Dim columns, Dim depth) const {
    return lowering_.element_type() == ElementType::bf16 && has_tiles() && rows >= min_rows &&
           columns % static_cast<Dim>(panel_columns) == 0 && depth % tile_depth == 0;
}

bool TileProduct::suits_forward(Dim rows) const {
    return suits(rows, outputs(), inputs());
}

bool TileProduct::suits_backward_data(Dim rows) const {
    return suits(rows, inputs(), outputs());
}

Desc TileProduct::forward_weights() const {
    return panels(outputs(), inputs());
}

Call TileProduct::forward(const TensorView& x, const TensorView& y,
                          const std::optional<TensorView>& bias, Relu relu) const {
    std::vector<TensorView> views = {x, lowering_.value(weight_, forward_weights()), y};
    if (bias) {
        views.push_back(*bias);
    }
    return call_of(product_of(dims_of(x.desc).front(), outputs(), inputs()), std::move(views),
                   relu);
}

Call TileProduct::backward_data(const TensorView& dy, const TensorView& dx) const {
    const Desc transposed = panels(inputs(), outputs());
    const TensorView weights = lowering_.value(weight_, transposed.permute_axes({1, 0}));
    return call_of(product_of(dims_of(dy.desc).front(), inputs(), outputs()), {dy, weights, dx},
                   Relu::none);
}

}  // namespace strata::cpu
