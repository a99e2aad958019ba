// SPDX-License-Identifier: MIT
#pragma once

#include "op/activation.h"
#include "op/attention.h"
#include "op/cast.h"
#include "op/concat.h"
#include "op/convolution.h"
#include "op/cross_entropy.h"
#include "op/dropout.h"
#include "op/elementwise.h"
#include "op/embedding.h"
#include "op/expand.h"
#include "op/fully_connected.h"
#include "op/gather.h"
#include "op/hardmax.h"
#include "op/identity.h"
#include "op/lrn.h"
#include "op/matmul.h"
#include "op/normalization.h"
#include "op/opaque.h"
#include "op/operator.h"
#include "op/optimizer.h"
#include "op/pad.h"
#include "op/pooling.h"
#include "op/recurrent.h"
#include "op/reduction.h"
#include "op/reshape.h"
#include "op/resize.h"
#include "op/select.h"
#include "op/slice.h"
#include "op/softmax.h"
#include "op/top_k.h"
#include "op/transpose.h"
#include "op/transposed_convolution.h"
#include "op/unary.h"

#include <type_traits>
#include <utility>
#include <variant>

namespace strata {

// A closed set of operators; each must satisfy the concept, so an operator that lacks a rule fails
// to compile here.
template <Operator... Operators>
using AnyOf = std::variant<Operators...>;

// THE list: every operator that the system knows, one per line.
// clang-format off
using OneOperator = AnyOf<Convolution,
                          TransposedConvolution,
                          FullyConnected,
                          MatMul,
                          Attention,
                          Recurrent,
                          Embedding,
                          Pooling,
                          Resize,
                          Lrn,
                          BatchNormalization,
                          LayerNormalization,
                          GroupNormalization,
                          Activation,
                          Softmax,
                          Dropout,
                          Elementwise,
                          Unary,
                          Select,
                          Reduction,
                          TopK,
                          Hardmax,
                          Concat,
                          Slice,
                          Gather,
                          Expand,
                          Reshape,
                          Transpose,
                          Pad,
                          Cast,
                          SoftmaxCrossEntropy,
                          Identity,
                          Opaque>;
// clang-format on

// One of them. Copying, moving and destroying it are compiled once, in op.cpp: each is a switch
// over all operators, and every source that holds a Layer would otherwise compile it again.
struct Op : OneOperator {
    template <typename T>
    requires(Operator<std::remove_cvref_t<T>>) Op(T&& op) : OneOperator(std::forward<T>(op)) {}
    Op();
    Op(const Op& other);
    Op(Op&& other) noexcept;
    Op& operator=(const Op& other);
    Op& operator=(Op&& other) noexcept;
    ~Op();
};

// The operator's name: "convolution". A finer name, such as "relu" or "max_pooling", is `kind_of`.
std::string_view type_of(const Op& op);
std::string kind_of(const Op& op);

std::vector<ParameterShape> parameters_of(const Op& op, std::span<const Tensor> activations);

// Shapes of the results. Throws Error, one sentence that names the operator and what does not fit.
std::vector<Tensor> outputs_of(const Op& op, std::span<const Tensor> inputs);

BackwardReads reads_of(const Op& op);

// The bytes that the forward pass of a training step saves for the backward passes, in addition to
// the tensors themselves.
Bytes saved_bytes_of(const Op& op, const Signature& signature);

// How an operand's values are drawn if the network carries none.
Draw draw_of(const Op& op, const Signature& signature, std::size_t operand);

// The number of rows that the operand's values index; nothing if it is not an index.
std::optional<std::int64_t> rows_indexed_by(const Op& op, const Signature& signature,
                                            std::size_t operand);

// The sums behind the elements of the first output, of an operand's gradient, and of a running
// statistic that a training step updates.
SumShape forward_sum(const Op& op, const OperandValues& values);
SumShape gradient_sum(const Op& op, const OperandValues& values, std::size_t operand);
SumShape statistic_sum(const Op& op, const OperandValues& values, std::size_t operand);

// Whether the operator has this pass with these operands: backward_data if an activation can
// receive a gradient, backward_weights and update if it has a parameter.
bool has_pass(const Op& op, const Signature& signature, Pass pass);

// Whether the work of a layer is known: always, unless it is opaque and no rule counts it.
bool is_counted(const Op& op);

// Arithmetic and compulsory traffic of one pass; an update costs what the optimizer says. Zero for
// a pass that the operator does not have.
Work work_of(const Op& op, const Signature& signature, Pass pass, const UpdateCost& update = {});

}  // namespace strata
