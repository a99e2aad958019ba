// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node/row.h"

#include <span>

namespace strata {

// The operators of ONNX, one table for each family. Each operator has one row with everything known
// about it: how a node becomes layers, how it is folded over constants, what its results are if it
// stays opaque, and how a layer is written as this node.
using OnnxRows = std::span<const OnnxRow>;

OnnxRows unary_rows();
OnnxRows activation_rows();
OnnxRows elementwise_rows();
OnnxRows reduction_rows();
OnnxRows convolution_rows();
OnnxRows pooling_rows();
OnnxRows product_rows();
OnnxRows fused_rows();
OnnxRows einsum_rows();
OnnxRows normalization_rows();
OnnxRows softmax_rows();
OnnxRows attention_rows();
OnnxRows fused_attention_rows();
OnnxRows recurrent_rows();
OnnxRows reshape_rows();
OnnxRows slice_rows();
OnnxRows pad_rows();
OnnxRows gather_rows();
OnnxRows spread_rows();
OnnxRows movement_rows();
OnnxRows resize_rows();
OnnxRows grid_rows();
OnnxRows source_rows();
OnnxRows signal_rows();
OnnxRows quantized_rows();

// The row of an operator in the default domain or in Microsoft's; null if there is none.
const OnnxRow* find_row(std::string_view domain, std::string_view op_type);

// How layers of an operator are written; null if ONNX cannot express them.
const LayerWrite* find_write(std::string_view layer);

}  // namespace strata
