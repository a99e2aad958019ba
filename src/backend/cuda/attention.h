// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/attention.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

// A layer with cuDNN's plans; or none and the reason, unless the problem itself makes that clear.
struct FusedLayer {
    Made made = nullptr;
    std::string refusal = {};
};

// Uses one cuDNN plan for each pass. Makes none if some pass that the network needs has no plan:
// then all passes are unfused, because the backward pass reads what a fused forward pass saves.
FusedLayer fused_attention(Lowering& lowering, const Layer& layer, const Attention& op);

// Composed of matrix products and our own kernels between them. Its steps say why they are unfused,
// unless `reason` is empty.
Made unfused_attention(const Layer& layer, const Attention& op, const std::string& reason);

// A call that runs the plan. Views: those of tensors_of(problem).
std::shared_ptr<LibraryCall> attention_call(const AttentionProblem& problem,
                                            std::shared_ptr<const BuiltPlan> plan);

}  // namespace strata::cuda
