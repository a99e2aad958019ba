// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "op/op.h"

#include <span>
#include <string>
#include <vector>

namespace strata {

// All data that one pass of one layer uses, as dense row-major host values in the operator's order
// of operands. A view: the memory belongs to whoever makes it.
struct ReferenceOperands {
    const Signature& signature;
    const Execution& execution;
    std::vector<std::span<const float>> inputs;  // values
    std::vector<std::span<float>> outputs;       // values, written by forward; backward passes
                                                 // recompute what they need from the inputs
    std::vector<std::span<const float>> output_gradients;  // read by backward passes
    std::vector<std::span<float>> input_gradients;         // overwritten; empty if not wanted
    std::vector<std::span<float>> statistics;  // new running statistics, by input; empty if
                                               // not wanted; may be the input itself

    const Dims& input_dims(std::size_t operand) const {
        return signature.inputs[operand].tensor.dims;
    }
    const Dims& output_dims(std::size_t result) const { return signature.outputs[result].dims; }
    bool wants_gradient(std::size_t operand) const {
        return operand < input_gradients.size() && !input_gradients[operand].empty();
    }
};

// THE list: two functions for every operator that define the correct result. Values are stored as
// f32 and every sum is accumulated in double. `reference_forward` writes the outputs from the
// inputs; `reference_backward` writes the gradient of each input, activation or parameter, that
// `input_gradients` has room for. No state is kept between calls.

void reference_forward(const Convolution& op, const ReferenceOperands& operands);
void reference_backward(const Convolution& op, const ReferenceOperands& operands);

void reference_forward(const FullyConnected& op, const ReferenceOperands& operands);
void reference_backward(const FullyConnected& op, const ReferenceOperands& operands);

// The gradient of an operand that was broadcast is the sum over its copies.
void reference_forward(const MatMul& op, const ReferenceOperands& operands);
void reference_backward(const MatMul& op, const ReferenceOperands& operands);

// The maximum's gradient goes to the first largest element of the window in row-major order. An
// average that counts padding divides by the taps inside the padded input, otherwise by the taps
// inside the input. Taps that ceil mode adds beyond the padding never count (Caffe, PyTorch).
void reference_forward(const Pooling& op, const ReferenceOperands& operands);
void reference_backward(const Pooling& op, const ReferenceOperands& operands);

// Channels c - floor((size-1)/2) to c + ceil((size-1)/2), clipped to those that exist, as in ONNX.
void reference_forward(const Lrn& op, const ReferenceOperands& operands);
void reference_backward(const Lrn& op, const ReferenceOperands& operands);

// Training normalises by the batch's mean and biased variance (divided by the number of elements)
// and sets running = momentum * running + (1 - momentum) * batch's. The backward pass recomputes
// both statistics from x and is exact, including their own dependence on x.
void reference_forward(const BatchNormalization& op, const ReferenceOperands& operands);
void reference_backward(const BatchNormalization& op, const ReferenceOperands& operands);

// At a kink the slope is that of the left side: relu'(0) = 0.
void reference_forward(const Activation& op, const ReferenceOperands& operands);
void reference_backward(const Activation& op, const ReferenceOperands& operands);

void reference_forward(const Softmax& op, const ReferenceOperands& operands);
void reference_backward(const Softmax& op, const ReferenceOperands& operands);

void reference_forward(const Dropout& op, const ReferenceOperands& operands);
void reference_backward(const Dropout& op, const ReferenceOperands& operands);

// If several operands hold the maximum or minimum, the first receives the gradient.
void reference_forward(const Elementwise& op, const ReferenceOperands& operands);
void reference_backward(const Elementwise& op, const ReferenceOperands& operands);

void reference_forward(const Concat& op, const ReferenceOperands& operands);
void reference_backward(const Concat& op, const ReferenceOperands& operands);

void reference_forward(const Reshape& op, const ReferenceOperands& operands);
void reference_backward(const Reshape& op, const ReferenceOperands& operands);

void reference_forward(const Transpose& op, const ReferenceOperands& operands);
void reference_backward(const Transpose& op, const ReferenceOperands& operands);

void reference_forward(const Pad& op, const ReferenceOperands& operands);
void reference_backward(const Pad& op, const ReferenceOperands& operands);

// The loss is the end of the chain: its gradient is 1, and no output gradient is read.
void reference_forward(const SoftmaxCrossEntropy& op, const ReferenceOperands& operands);
void reference_backward(const SoftmaxCrossEntropy& op, const ReferenceOperands& operands);

void reference_forward(const Recurrent& op, const ReferenceOperands& operands);
void reference_backward(const Recurrent& op, const ReferenceOperands& operands);

void reference_forward(const Embedding& op, const ReferenceOperands& operands);
void reference_backward(const Embedding& op, const ReferenceOperands& operands);

void reference_forward(const LayerNormalization& op, const ReferenceOperands& operands);
void reference_backward(const LayerNormalization& op, const ReferenceOperands& operands);

void reference_forward(const GroupNormalization& op, const ReferenceOperands& operands);
void reference_backward(const GroupNormalization& op, const ReferenceOperands& operands);

void reference_forward(const Attention& op, const ReferenceOperands& operands);
void reference_backward(const Attention& op, const ReferenceOperands& operands);

void reference_forward(const Gather& op, const ReferenceOperands& operands);
void reference_backward(const Gather& op, const ReferenceOperands& operands);

void reference_forward(const Slice& op, const ReferenceOperands& operands);
void reference_backward(const Slice& op, const ReferenceOperands& operands);

void reference_forward(const Reduction& op, const ReferenceOperands& operands);
void reference_backward(const Reduction& op, const ReferenceOperands& operands);

void reference_forward(const Resize& op, const ReferenceOperands& operands);
void reference_backward(const Resize& op, const ReferenceOperands& operands);

void reference_forward(const TransposedConvolution& op, const ReferenceOperands& operands);
void reference_backward(const TransposedConvolution& op, const ReferenceOperands& operands);

void reference_forward(const TopK& op, const ReferenceOperands& operands);
void reference_backward(const TopK& op, const ReferenceOperands& operands);

void reference_forward(const Hardmax& op, const ReferenceOperands& operands);
void reference_backward(const Hardmax& op, const ReferenceOperands& operands);

void reference_forward(const Expand& op, const ReferenceOperands& operands);
void reference_backward(const Expand& op, const ReferenceOperands& operands);

void reference_forward(const Cast& op, const ReferenceOperands& operands);
void reference_backward(const Cast& op, const ReferenceOperands& operands);

void reference_forward(const Unary& op, const ReferenceOperands& operands);
void reference_backward(const Unary& op, const ReferenceOperands& operands);

void reference_forward(const Select& op, const ReferenceOperands& operands);
void reference_backward(const Select& op, const ReferenceOperands& operands);

void reference_forward(const Identity& op, const ReferenceOperands& operands);
void reference_backward(const Identity& op, const ReferenceOperands& operands);

// Never called: a layer that nothing can compute is refused earlier.
void reference_forward(const Opaque& op, const ReferenceOperands& operands);
void reference_backward(const Opaque& op, const ReferenceOperands& operands);

// One pass of any operator: dispatches to the explicit list in operators.h. backward_data and
// backward_weights differ only in which input gradients have room. (These are not overloads of the
// same name: an operator would convert to the variant, and a missing overload would call itself.)
void compute_forward(const Op& op, const ReferenceOperands& operands);
void compute_backward(const Op& op, const ReferenceOperands& operands);

// Why the reference has no loops for a layer; empty if it has.
std::string reference_refusal(const Op& op, const Signature& signature);

}  // namespace strata
