// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/attention.h"
#include "backend/cuda/layer_lowering.h"

namespace strata::cuda {

// Uses one cuDNN plan for each pass. Returns nothing if some pass that the network needs has no
// plan: then all passes are unfused, because the backward pass reads what a fused forward pass
// saves.
Made fused_attention(Lowering& lowering, const Layer& layer, const Attention& op);

// Composed of matrix products and our own kernels between them.
Made unfused_attention(const Layer& layer, const Attention& op);

// A call that runs the plan. Views: those of tensors_of(problem).
std::shared_ptr<LibraryCall> attention_call(const AttentionProblem& problem,
                                            std::shared_ptr<const BuiltPlan> plan);

// Computes what a plan computes, with plain loops over host memory in double. Addresses: those of
// tensors_of(problem).
void compute_attention_on_host(const AttentionProblem& problem, std::span<void* const> addresses);

}  // namespace strata::cuda
