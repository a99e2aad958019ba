// SPDX-License-Identifier: MIT
#pragma once

#include "networks/generate/generator.h"

namespace strata {

// ReLU layers of `nodes` between `inputs` and `outputs`: nodes^2 (layers - 1) + nodes (inputs +
// outputs) weights, nodes * layers + outputs biases.
void generate_fully_connected(const Generator& generator, std::int64_t batch, LayerSink& sink);

// ResNet-like: 7x7 stride 2, 3x3 maximum stride 2, four groups of `blocks` with 1, 2, 4 and 8 times
// `filters` (bottlenecks output four times that), batch normalisation throughout, 7x7 average, FC.
// As in ParaDnn's code, the first block of every group projects its shortcut, and the average is a
// window of 7x7 at stride 1, so a plane of 10x10 leaves 4x4 for the FC.
void generate_residual(const Generator& generator, std::int64_t batch, LayerSink& sink);

// An embedding of `vocabulary` rows, cells as wide as its rows, and a projection of every position
// back to the vocabulary: 2 vocabulary embed + vocabulary + layers gates (2 embed^2 + embed)
// parameters, with 1, 4 or 3 gates. ParaDnn's mask for shorter sequences is omitted: all have the
// same length.
void generate_recurrent(const Generator& generator, std::int64_t batch, LayerSink& sink);

// A causal Transformer, normalised after each sum (Vaswani et al. 2017), with the same embedding
// and projection: layers (4 embed^2 + 2 embed inner + 9 embed + inner) parameters between the two.
// The positional encoding is a constant. Throws Error (usage) if heads do not divide embed.
void generate_transformer(const Generator& generator, std::int64_t batch, LayerSink& sink);

}  // namespace strata
