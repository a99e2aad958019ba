// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node_import.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace strata {

// What is known about a node that becomes an opaque layer.
struct KnownResults {
    std::vector<std::optional<Tensor>> outputs = {};  // by output; nothing where it is unknown
    std::optional<Operations> work = {};              // of the forward pass; nothing: not known
    std::vector<std::size_t> weights = {};  // inputs that are weights if the file has them
    std::optional<DataType> packed = {};    // what the bytes of the first of them hold several of
};

// Gives what is known about a node from the shapes of its inputs, which are all known. Throws
// Unsupported if the extents depend on values that are computed at run time.
using ShapeRule = KnownResults (*)(const NodeImport& node);

// An operator that is like another one with some of its inputs, apart from the element types.
struct Likeness {
    std::string_view op_type = {};           // of the default domain, or of the node's own
    std::array<std::size_t, 5> inputs = {};  // in its order; after the first, 0: no further one
    int typed_as = -1;                       // the input whose type the result has,
    DataType dtype = DataType::f32;          // or its type
    std::optional<DataType> second = {};     // of a second result with the extents of the first
};

// Everything known about a node, by its rule, by its likeness, or else as if it computed in f32.
KnownResults known_results(const NodeImport& node);

// shape_quantized.cpp
KnownResults quantized(const NodeImport& node);
KnownResults dequantized(const NodeImport& node);
KnownResults dynamically_quantized(const NodeImport& node);
KnownResults product_with_packed(const NodeImport& node);  // MatMulNBits, MatMulBnb4
KnownResults gathered_from_packed(const NodeImport& node);
KnownResults quantized_concat(const NodeImport& node);

// shape_networks.cpp: what has weights or states
KnownResults recurrent_results(const NodeImport& node);  // LSTM, GRU, RNN
KnownResults attention_results(const NodeImport& node);
KnownResults multi_head_attention_results(const NodeImport& node);
KnownResults grouped_attention_results(const NodeImport& node);
KnownResults packed_attention_results(const NodeImport& node);  // com.microsoft's Attention
KnownResults linear_attention_results(const NodeImport& node);
KnownResults causal_convolution_results(const NodeImport& node);
KnownResults layer_normalization_results(const NodeImport& node);
KnownResults mixture_of_experts(const NodeImport& node);

// shape_standard.cpp: everything else
KnownResults as_input(const NodeImport& node);        // with an addition for each element
KnownResults moved_as_input(const NodeImport& node);  // nothing is computed
KnownResults uncounted_as_input(const NodeImport& node);
KnownResults random_as_input(const NodeImport& node);  // of the type that an attribute names
KnownResults random_of_shape(const NodeImport& node);
KnownResults broadcast_results(const NodeImport& node);
KnownResults as_input_of_type_to(const NodeImport& node);  // Cast, BitCast
KnownResults as_second_input(const NodeImport& node);
KnownResults truth(const NodeImport& node);  // one boolean
KnownResults determinant(const NodeImport& node);
KnownResults window_function(const NodeImport& node);
KnownResults padded_or_cropped(const NodeImport& node);
KnownResults columns_to_image(const NodeImport& node);
KnownResults transform(const NodeImport& node);  // DFT
KnownResults short_time_transform(const NodeImport& node);
KnownResults regions_of_interest(const NodeImport& node);  // RoiAlign, MaxRoiPool, CropAndResize
KnownResults unpooled(const NodeImport& node);
KnownResults mel_weights(const NodeImport& node);
KnownResults drawn_classes(const NodeImport& node);
KnownResults loss(const NodeImport& node);
KnownResults resized(const NodeImport& node);
KnownResults sampled_on_grid(const NodeImport& node);
KnownResults gathered_by_tuples(const NodeImport& node);
KnownResults one_hot_results(const NodeImport& node);
KnownResults weighted_terms(const NodeImport& node);

}  // namespace strata
