// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/small_gemm.h"
#include "backend/cpu/onednn/lowering.h"

#include <optional>

namespace strata::cpu {

// The products of a linear layer in bf16, y = x w^T and dx = dy w, on AMX tiles. The library's take
// 1.1 to 1.9 times as long (128 and 197 rows, extents of BERT-base, 2 processors of an Emerald
// Rapids). The weights [outputs, inputs] are stored in panels, as the library also packs them; for
// dx, in a transposed copy.
class TileProduct {
public:
    TileProduct(Lowering& lowering, TensorId weight) : lowering_(lowering), weight_(weight) {}

    // Whether the machine, the type and the extents are suitable, with this many rows of x.
    bool suits_forward(dnnl::memory::dim rows) const;
    bool suits_backward_data(dnnl::memory::dim rows) const;
    // The layout of the weights that the forward product reads.
    Desc forward_weights() const;
    // y = relu(x w^T + bias); the bias and the ReLU are optional. Requires: suitable extents.
    Call forward(const TensorView& x, const TensorView& y, const std::optional<TensorView>& bias,
                 Relu relu) const;
    Call backward_data(const TensorView& dy, const TensorView& dx) const;

private:
    dnnl::memory::dim outputs() const { return lowering_.extents(weight_)[0]; }
    dnnl::memory::dim inputs() const;
    bool suits(dnnl::memory::dim rows, dnnl::memory::dim columns, dnnl::memory::dim depth) const;

    Lowering& lowering_;
    TensorId weight_;
};

}  // namespace strata::cpu
