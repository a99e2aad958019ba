// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "networks/onnx/emit/layer_writer.h"

namespace strata {

// THE list: how each operator is written in ONNX (opset 22), ending with LayerWriter::last. Throws
// Error if ONNX cannot express it, as it does for an operator that is not in the list.
template <class T>
void emit(const T&, LayerWriter&) {
    throw Error(std::string(T::type) +
                " cannot be exported to ONNX; exclude the layer with --slice");
}

// products.cpp
void emit(const Convolution& op, LayerWriter& to);
void emit(const TransposedConvolution& op, LayerWriter& to);
void emit(const FullyConnected& op, LayerWriter& to);
void emit(const MatMul& op, LayerWriter& to);
void emit(const Embedding& op, LayerWriter& to);

// recurrent.cpp, attention.cpp
void emit(const Recurrent& op, LayerWriter& to);
void emit(const Attention& op, LayerWriter& to);

// normalizations.cpp
void emit(const BatchNormalization& op, LayerWriter& to);
void emit(const LayerNormalization& op, LayerWriter& to);
void emit(const GroupNormalization& op, LayerWriter& to);
void emit(const Lrn& op, LayerWriter& to);
void emit(const Softmax& op, LayerWriter& to);
void emit(const Hardmax& op, LayerWriter& to);
void emit(const Dropout& op, LayerWriter& to);
void emit(const SoftmaxCrossEntropy& op, LayerWriter& to);

// functions.cpp: of one element
void emit(const Activation& op, LayerWriter& to);
void emit(const Elementwise& op, LayerWriter& to);
void emit(const Unary& op, LayerWriter& to);
void emit(const Select& op, LayerWriter& to);
void emit(const Cast& op, LayerWriter& to);

// windows.cpp
void emit(const Pooling& op, LayerWriter& to);
void emit(const Pad& op, LayerWriter& to);
void emit(const Resize& op, LayerWriter& to);
void emit(const Reduction& op, LayerWriter& to);
void emit(const TopK& op, LayerWriter& to);

// movements.cpp
void emit(const Concat& op, LayerWriter& to);
void emit(const Reshape& op, LayerWriter& to);
void emit(const Transpose& op, LayerWriter& to);
void emit(const Gather& op, LayerWriter& to);
void emit(const Slice& op, LayerWriter& to);
void emit(const Expand& op, LayerWriter& to);
void emit(const Identity& op, LayerWriter& to);
void emit(const Opaque& op, LayerWriter& to);

}  // namespace strata
