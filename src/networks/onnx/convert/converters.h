// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "networks/onnx/node_import.h"

#include <algorithm>
#include <string_view>

namespace strata {

// The element types that a converter supports. Arithmetic is done in floating point, so integers of
// up to 24 bits may be added and compared, but no more than that.
enum class Elements { floating, any };

// Whether more than one output of a node may be read.
enum class Outputs { one, several };

struct Converter {
    std::string_view op_type;
    Convert convert;
    Elements elements = Elements::any;
    Outputs outputs = Outputs::one;
};

// The row for the node's type in the table of a converter that serves several types.
template <class Table>
const auto& row_for(const NodeImport& node, const Table& table) {
    const auto found = std::ranges::find_if(
        table, [&](const auto& row) { return row.op_type == node.node().op_type; });
    check(found != std::ranges::end(table), "a converter is called for types that it lists");
    return *found;
}

// The converter of an operator in the default domain or in Microsoft's; null if there is none.
const Converter* find_converter(std::string_view domain, std::string_view op_type);

// convolution.cpp, transposed_convolution.cpp
void convert_convolution(const NodeImport& node);
void convert_transposed_convolution(const NodeImport& node);

// pooling.cpp
void convert_max_pool(const NodeImport& node);
void convert_average_pool(const NodeImport& node);
void convert_lp_pool(const NodeImport& node);
void convert_global_max_pool(const NodeImport& node);
void convert_global_average_pool(const NodeImport& node);

// product.cpp, einsum.cpp
void convert_gemm(const NodeImport& node);
void convert_matmul(const NodeImport& node);
void convert_einsum(const NodeImport& node);

// normalization.cpp
void convert_batch_normalization(const NodeImport& node);
void convert_layer_normalization(const NodeImport& node);
void convert_rms_normalization(const NodeImport& node);
void convert_group_normalization(const NodeImport& node);
void convert_instance_normalization(const NodeImport& node);
void convert_lrn(const NodeImport& node);
void convert_softmax(const NodeImport& node);
void convert_log_softmax(const NodeImport& node);
void convert_dropout(const NodeImport& node);

// activation.cpp
void convert_activation(const NodeImport& node);  // all that are one activation, by name
void convert_clip(const NodeImport& node);
void convert_gelu(const NodeImport& node);
void convert_swish(const NodeImport& node);
void convert_shrink(const NodeImport& node);

// unary.cpp
void convert_unary(const NodeImport& node);  // all that are one function, by name
void convert_is_infinite(const NodeImport& node);
void convert_cast(const NodeImport& node);  // also CastLike
void convert_where(const NodeImport& node);

// elementwise.cpp
void convert_elementwise(const NodeImport& node);  // all that are one function, by name
void convert_modulo(const NodeImport& node);
void convert_mean(const NodeImport& node);

// reduction.cpp
void convert_reduction(const NodeImport& node);  // all Reduce..., by name
void convert_arg_max(const NodeImport& node);
void convert_arg_min(const NodeImport& node);
void convert_top_k(const NodeImport& node);
void convert_hardmax(const NodeImport& node);
void convert_cumulative_sum(const NodeImport& node);
void convert_lp_normalization(const NodeImport& node);
void convert_global_lp_pool(const NodeImport& node);
void convert_mean_variance_normalization(const NodeImport& node);

// arrangement.cpp
void convert_concat(const NodeImport& node);
void convert_reshape(const NodeImport& node);
void convert_flatten(const NodeImport& node);
void convert_squeeze(const NodeImport& node);
void convert_unsqueeze(const NodeImport& node);
void convert_transpose(const NodeImport& node);
void convert_identity(const NodeImport& node);

// movement.cpp
void convert_gather(const NodeImport& node);
void convert_moved(const NodeImport& node);  // all that an element map describes
void convert_slice(const NodeImport& node);
void convert_split(const NodeImport& node);
void convert_expand(const NodeImport& node);
void convert_tile(const NodeImport& node);
void convert_trilu(const NodeImport& node);
void convert_depth_to_space(const NodeImport& node);
void convert_space_to_depth(const NodeImport& node);
void convert_one_hot(const NodeImport& node);

// grid_sample.cpp
void convert_grid_sample(const NodeImport& node);
void convert_affine_grid(const NodeImport& node);

// pad.cpp, resize.cpp
void convert_pad(const NodeImport& node);
void convert_resize(const NodeImport& node);  // also Upsample

// recurrent.cpp
void convert_lstm(const NodeImport& node);
void convert_gru(const NodeImport& node);
void convert_rnn(const NodeImport& node);

// attention.cpp
void convert_attention(const NodeImport& node);
void convert_rotary_embedding(const NodeImport& node);

// fused.cpp: ONNX Runtime's fused operators
void convert_bias_gelu(const NodeImport& node);  // BiasGelu, FastGelu
void convert_elementwise_sum(const NodeImport& node);
void convert_embed_normalization(const NodeImport& node);
void convert_fused_convolution(const NodeImport& node);
void convert_fused_gemm(const NodeImport& node);
void convert_fused_matmul(const NodeImport& node);
void convert_gemm_gelu(const NodeImport& node);
void convert_skip_normalization(const NodeImport& node);  // by mean and deviation, or by RMS
void convert_swiglu(const NodeImport& node);

// fused_attention.cpp: ONNX Runtime's attentions
void convert_packed_attention(const NodeImport& node);
void convert_multi_head_attention(const NodeImport& node);
void convert_grouped_attention(const NodeImport& node);
void convert_fused_rotary(const NodeImport& node);

}  // namespace strata
