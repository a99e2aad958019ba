// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"
#include "predict/gemm.h"
#include "predict/kernel.h"

#include <vector>

namespace strata {

// A product that a layer's pass needs, and how often, one after the other.
struct LayerProduct {
    GemmProblem problem;
    std::string_view algorithm = {};  // of a convolution: "implicit-gemm"
    double repeats = 1;

    RateClass rates() const {
        return !algorithm.empty()        ? RateClass::convolution
               : problem.b_is_transposed ? RateClass::linear
                                         : RateClass::batched;
    }
};

// The products of these operators' passes; none of an update. Those of y[N,out] = x W^T are N x out
// x in, of dx = dy W N x in x out, and of dW = dy^T x out x in x N; those of a product's two
// operands likewise.
std::vector<LayerProduct> products_of(const FullyConnected& op, const Signature& signature,
                                      Pass pass);
std::vector<LayerProduct> products_of(const MatMul& op, const Signature& signature, Pass pass);

// A convolution as an implicit product, one for each group: pixels of the result x filters x window
// (forward), pixels of the image that share a phase of the stride x channels x window
// (backward_data), filters x window x pixels (backward_weights). The gradient of an image with up
// to four channels takes as long as the forward pass.
std::vector<LayerProduct> products_of(const Convolution& op, const Signature& signature, Pass pass);
std::vector<LayerProduct> products_of(const TransposedConvolution& op, const Signature& signature,
                                      Pass pass);

// A recurrent layer step by step: the product of all inputs at once, then one of each state.
std::vector<LayerProduct> products_of(const Recurrent& op, const Signature& signature, Pass pass);

// Attention that writes its scores: of queries and keys, of scores and values, and of their
// gradients.
std::vector<LayerProduct> products_of(const Attention& op, const Signature& signature, Pass pass);

// The gates that a recurrent cell computes in every step.
double gates_of(CellKind cell);

}  // namespace strata
