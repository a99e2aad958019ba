// SPDX-License-Identifier: MIT
#pragma once

#include "graph/onnx/node_import.h"

#include <string_view>

namespace strata {

// Each expresses one ONNX operator in layers of ours, ending with NodeImport::result. What it
// cannot express it throws as Unsupported before adding anything; what does not fit is an Error.
using Convert = void (*)(const NodeImport& node);

// Arithmetic is done in floating point, so integers may be moved but not computed with.
enum class Elements { floating, any };

struct Converter {
    std::string_view op_type;
    Convert convert;
    Elements elements = Elements::floating;
};

// The converter of an operator of the default domain; null where there is none.
const Converter* find_converter(std::string_view op_type);

// convolution.cpp
void convert_convolution(const NodeImport& node);

// pooling.cpp
void convert_max_pool(const NodeImport& node);
void convert_average_pool(const NodeImport& node);
void convert_global_max_pool(const NodeImport& node);
void convert_global_average_pool(const NodeImport& node);
void convert_reduce_mean(const NodeImport& node);  // over all spatial axes only

// product.cpp
void convert_gemm(const NodeImport& node);
void convert_matmul(const NodeImport& node);

// normalization.cpp
void convert_batch_normalization(const NodeImport& node);
void convert_lrn(const NodeImport& node);
void convert_softmax(const NodeImport& node);
void convert_log_softmax(const NodeImport& node);
void convert_dropout(const NodeImport& node);

// activation.cpp
void convert_relu(const NodeImport& node);
void convert_leaky_relu(const NodeImport& node);
void convert_clip(const NodeImport& node);
void convert_elu(const NodeImport& node);
void convert_sigmoid(const NodeImport& node);
void convert_hard_sigmoid(const NodeImport& node);
void convert_tanh(const NodeImport& node);
void convert_softplus(const NodeImport& node);

// elementwise.cpp
void convert_add(const NodeImport& node);  // also Sum
void convert_subtract(const NodeImport& node);
void convert_multiply(const NodeImport& node);
void convert_divide(const NodeImport& node);
void convert_maximum(const NodeImport& node);
void convert_minimum(const NodeImport& node);

// arrangement.cpp
void convert_concat(const NodeImport& node);
void convert_reshape(const NodeImport& node);
void convert_flatten(const NodeImport& node);
void convert_squeeze(const NodeImport& node);
void convert_unsqueeze(const NodeImport& node);
void convert_transpose(const NodeImport& node);
void convert_identity(const NodeImport& node);
void convert_cast(const NodeImport& node);

// pad.cpp
void convert_pad(const NodeImport& node);

}  // namespace strata
