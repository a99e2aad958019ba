// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/attention.h"
#include "backend/cuda/layer_lowering.h"

namespace strata::cuda {

// By one of cuDNN's plans a pass; nothing where a pass that the network needs has none: then all
// are unfused, for the backward pass reads what a fused forward one leaves.
Made fused_attention(Lowering& lowering, const Layer& layer, const Attention& op);

// By products, and kernels between them.
Made unfused_attention(const Layer& layer, const Attention& op);

// The call of a plan. Views: of tensors_of the problem.
std::shared_ptr<LibraryCall> attention_call(const AttentionProblem& problem,
                                            std::shared_ptr<const BuiltPlan> plan);

// What a plan stands for, by plain loops over host memory in doubles. Addresses: of tensors_of the
// problem.
void compute_attention_on_host(const AttentionProblem& problem, std::span<void* const> addresses);

}  // namespace strata::cuda
