// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/convert/composition.h"

namespace strata {

// Steps that the attentions of ONNX and of ONNX Runtime share.

// A number of heads, which is no more than any network has.
std::int64_t head_count(const NodeImport& node, std::string_view attribute, std::int64_t absent);

// [N, S, heads * D] as [N, heads, S, D]; unchanged if it has four axes.
TensorId by_head(Composition& steps, TensorId x, std::int64_t heads);

// Keys or values appended to those of earlier calls, if input `past` holds some.
TensorId with_past(const NodeImport& node, Composition& steps, TensorId x, std::size_t past);

// A mask that hides from query q the keys after `first` + q.
Constant causal_mask(const NodeImport& node, std::int64_t queries, std::int64_t keys,
                     std::int64_t first);

// Rotates pairs (a, b) of x[N, S, heads, D] by their angles (Su et al. 2021); elements beyond the
// first pairs, as many as there are angles, are unchanged.
TensorId rotated(Composition& steps, TensorId x, TensorId cosine, TensorId sine, bool interleaved);

}  // namespace strata
