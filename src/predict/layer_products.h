// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"
#include "predict/attention.h"
#include "predict/convolution.h"
#include "predict/kernel.h"
#include "predict/recurrent.h"

#include <optional>
#include <vector>

namespace strata {

// A product that a layer's pass needs, and how often, one after the other.
struct LayerProduct {
    GemmProblem problem;
    std::string_view algorithm = {};  // of a convolution: "implicit-gemm"
    double repeats = 1;

    RateClass rates() const;
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

// What a pass of a transposed convolution is of the convolution whose gradient it computes: forward
// there is backward_data here.
Pass turned(Pass pass);

// The products of a recurrent layer that take all its steps at once: of its inputs, and of the
// gradients of its weights.
std::vector<LayerProduct> products_of(const Recurrent& op, const Signature& signature, Pass pass);

// The other products of such a layer, one for each step, where no kernel does all of them; none of
// the gradients of weights.
std::vector<LayerProduct> step_products_of(const Recurrent& op, const Signature& signature,
                                           Pass pass);

// Attention that writes its scores: of queries and keys, of scores and values, and of their
// gradients.
std::vector<LayerProduct> products_of(const Attention& op, const Signature& signature, Pass pass);

// A convolution with one or two axes as libraries know it, where the numbers are fp32: nothing of
// others, nor of an update. A transposed one is the gradient of another convolution's images.
std::optional<ConvolutionProblem> convolution_of(const Convolution& op, const Signature& signature,
                                                 Pass pass);
std::optional<ConvolutionProblem> convolution_of(const TransposedConvolution& op,
                                                 const Signature& signature, Pass pass);

// What runs step by step, one problem for each direction of each layer; nothing where all steps run
// at once (backward_weights) or none does.
std::vector<RecurrentProblem> sequences_of(const Recurrent& op, const Signature& signature,
                                           Pass pass);

// Attention as one kernel; nothing where queries and values differ in their width, or in passes
// that it does not have.
std::optional<AttentionProblem> attention_of(const Attention& op, const Signature& signature,
                                             Pass pass);

// What products of such numbers compute in; nothing for types that no GPU's products take.
std::optional<Arithmetic> arithmetic_of(DataType dtype);

}  // namespace strata
