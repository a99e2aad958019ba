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

// The products of these operators' passes; none for an update. For y[N,out] = x W^T they are N x
// out x in, for dx = dy W N x in x out, and for dW = dy^T x out x in x N; a product's two operands
// likewise.
std::vector<LayerProduct> products_of(const FullyConnected& op, const Signature& signature,
                                      Pass pass);
std::vector<LayerProduct> products_of(const MatMul& op, const Signature& signature, Pass pass);

// The same for any operator; nothing for one without products.
std::optional<std::vector<LayerProduct>> layer_products(const Op& op, const Signature& signature,
                                                        Pass pass);

// The extents of a convolution's pass. A transposed one is a pass of the plain convolution whose
// gradient it computes, so its images are its results.
struct WindowExtents {
    std::int64_t groups, filters, channels;  // the last two of each group
    std::int64_t window;                     // elements of a filter's channel
    std::int64_t pixels, outputs;            // of all images and of all results, in one channel
    std::int64_t row;                        // of a result
    std::int64_t stride;                     // of all axes together
    Pass pass;
};

// Nothing for other operators.
std::optional<WindowExtents> window_extents(const Op& op, const Signature& signature, Pass pass);

// A convolution as an implicit product, one for each group: pixels of the result x filters x window
// (forward), pixels of the image that share a phase of the stride x channels x window
// (backward_data), filters x window x pixels (backward_weights). The gradient of an image with up
// to four channels takes as long as the forward pass.
std::vector<LayerProduct> products_of(const Convolution& op, const Signature& signature, Pass pass);
std::vector<LayerProduct> products_of(const TransposedConvolution& op, const Signature& signature,
                                      Pass pass);

// A pass of a transposed convolution as a pass of the plain convolution whose gradient it computes:
// forward becomes backward_data.
Pass turned(Pass pass);

// The products of a recurrent layer that take all steps at once: of its inputs, and of the
// gradients of its weights.
std::vector<LayerProduct> products_of(const Recurrent& op, const Signature& signature, Pass pass);

// The other products of such a layer, one for each step, if no single kernel does them all; none
// for the gradients of weights.
std::vector<LayerProduct> step_products_of(const Recurrent& op, const Signature& signature,
                                           Pass pass);

// Attention that writes its scores: the products of queries and keys, of scores and values, and of
// their gradients.
std::vector<LayerProduct> products_of(const Attention& op, const Signature& signature, Pass pass);

// A convolution with one or two axes in a library's form, if the numbers are fp32; otherwise
// nothing, nor for an update. A transposed one is the gradient of another convolution's images.
std::optional<ConvolutionProblem> convolution_of(const Convolution& op, const Signature& signature,
                                                 Pass pass);
std::optional<ConvolutionProblem> convolution_of(const TransposedConvolution& op,
                                                 const Signature& signature, Pass pass);

// The sequences that run step by step, one problem for each direction of each layer; nothing if all
// steps run at once (backward_weights) or none does.
std::vector<RecurrentProblem> sequences_of(const Recurrent& op, const Signature& signature,
                                           Pass pass);

// Attention as one kernel; nothing if queries and values have different widths, or for passes that
// it does not have.
std::optional<AttentionProblem> attention_of(const Attention& op, const Signature& signature,
                                             Pass pass);

// The arithmetic of products of such numbers; nothing for types that no GPU multiplies.
std::optional<Arithmetic> arithmetic_of(DataType dtype);

}  // namespace strata
