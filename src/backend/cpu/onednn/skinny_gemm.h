// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/small_gemm.h"
#include "backend/cpu/onednn/inner_product.h"

namespace strata::cpu {

// y[rows, columns] = x[rows, depth] b or y += x b with few rows, on OpenMP's threads. b is stored
// in panels [depth][64] of 64 columns each, `panel_step` floats apart; x and y are dense.
struct SkinnyGemm {
    std::size_t rows = 0;
    std::size_t columns = 0;  // a multiple of 64
    std::size_t depth = 0;
    std::size_t panel_step = 0;
};
void skinny_gemm(const SkinnyGemm& product, const float* x, const float* b, float* y, Into into,
                 const Epilogue& epilogue = {});

// The products of a recurrent cell's step, y = x w^T and dx = dy w, with a batch so small that
// reading the weights is the bottleneck. The library's products take 1.3 (forward) and 1.8 times as
// long for 32 rows and 4,096 x 1,024 weights, because they do not prefetch. The weights are stored
// in panels, as the library also packs them; for dx, in a transposed copy.
class SkinnyGemmLowering {
public:
    SkinnyGemmLowering(Lowering& lowering, const WeightRows& weight)
        : lowering_(lowering), weight_(weight) {}

    // Empty if the extents are unsuitable: then use the library's product.
    std::optional<Call> forward(const TensorView& x, const TensorView& y, Into into) const;
    // Whether the extents are suitable for a forward product with this many rows.
    bool suits_forward(dnnl::memory::dim rows) const;
    // y = relu(x w^T + bias); the bias and the ReLU are optional. Requires: suitable extents.
    Call forward(const TensorView& x, const TensorView& y, const std::optional<TensorView>& bias,
                 Relu relu) const;
    // Whether the extents are suitable for a product with this many rows of gradients.
    bool suits_backward_data(dnnl::memory::dim rows) const;
    std::optional<Call> backward_data(const TensorView& dy, const TensorView& dx) const;

private:
    TensorView forward_weights() const;
    SkinnyGemm forward_product(dnnl::memory::dim rows) const;
    bool suits(dnnl::memory::dim rows, dnnl::memory::dim columns, dnnl::memory::dim depth) const;

    Lowering& lowering_;
    WeightRows weight_;
};

}  // namespace strata::cpu
