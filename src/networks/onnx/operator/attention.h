// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node/composition.h"
#include "networks/onnx/node/row.h"

namespace strata {

// What the attention operators of ONNX and of ONNX Runtime share.

// A number of heads, limited to more than any network has.
std::int64_t head_count(const NodeImport& node, std::string_view attribute, std::int64_t absent);

// [N, S, heads * D] as [N, heads, S, D]; unchanged if it has four axes.
TensorId by_head(Composition& steps, TensorId x, std::int64_t heads);

// Keys or values appended to those of earlier calls, if input `past` has any.
TensorId with_past(const NodeImport& node, Composition& steps, TensorId x, std::size_t past);

// The keys and values for the next call, as outputs 1 and 2. Output 3 has the scores.
void give_present(const NodeImport& node, TensorId keys, TensorId values);
void require_scores_unread(const NodeImport& node);

// The result: an attention of operands by head, as [N, S, heads * D].
void give_rows(const NodeImport& node, Composition& steps, const Attention& attention,
               std::vector<TensorId> operands);

// Rotates pairs (a, b) of x[N, S, heads, D] by their angles (Su et al. 2021). There are as many
// pairs as angles; elements beyond them are unchanged.
TensorId rotated(Composition& steps, TensorId x, TensorId cosine, TensorId sine, bool interleaved);

// The results of attentions that stay opaque, and their work as our operator counts it.
KnownResults attention_results(const NodeImport& node);
KnownResults multi_head_attention_results(const NodeImport& node);
KnownResults grouped_attention_results(const NodeImport& node);
KnownResults packed_attention_results(const NodeImport& node);  // com.microsoft's Attention
KnownResults linear_attention_results(const NodeImport& node);

}  // namespace strata
