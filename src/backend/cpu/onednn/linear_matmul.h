// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/lowering.h"

#include <functional>

namespace strata::cpu {

// Throws Refusal if the library has only plain loops for the product.
dnnl::matmul::primitive_desc checked(dnnl::matmul::primitive_desc described);

// The product of `make(weight)`, which describes it for a layout of the weight [outputs, inputs]:
// in training in the weight's layout if that is as fast as row-major, else row-major; in inference
// in the library's own layout.
dnnl::matmul::primitive_desc with_weight(
    Lowering& lowering, TensorId weight,
    const std::function<dnnl::matmul::primitive_desc(const Desc& weight)>& make);

// The same description with its two axes swapped.
Desc transposed(const Desc& matrix);

// The sum of dy's rows, a bias's gradient.
Call sum_of_rows(const TensorView& dy, const TensorView& sum);

// Whether the library's general product, which it uses without AVX-512, would read a matrix with
// this distance between its columns at half its speed: at a multiple of 2 KiB they share few cache
// sets. Read as its transpose it is as fast as any other. (512 x 512 weights, 256 rows, AVX2 on a
// Zen 4: 69 and 105 of 118 GFLOP/s; 1,024 x 1,024: 51 and 95.)
bool shares_cache_sets(dnnl::memory::dim floats, std::string_view implementation);

// The products of a linear layer by the library's matmul, each a step in f32: y = x w^T + b, dx =
// dy w, dw = dy^T x. The library's inner product has other kernels. x, y and the weight's gradient
// are row-major; the weight's layout is that of with_weight.
class LinearMatMul {
public:
    // x [rows, columns of w]; `bias` empty: none.
    LinearMatMul(Lowering& lowering, TensorId weight, std::optional<TensorId> bias,
                 dnnl::memory::dim rows);

    // Each adds the layer's step, or throws Refusal or the library's error before it adds anything.
    void forward(TensorId x, TensorId y, StepText text) const;
    void backward_data(TensorId dy_of, TensorId dx_of, StepText text) const;
    void backward_weights(TensorId x_of, TensorId dy_of, StepText text) const;

private:
    Lowering& lowering_;
    TensorId weight_;
    std::optional<TensorId> bias_;
    dnnl::memory::dim rows_, inputs_, outputs_;
};

}  // namespace strata::cpu
