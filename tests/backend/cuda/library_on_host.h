// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/program.h"

namespace strata::cuda {
struct AttentionProblem;
}

namespace strata::testing {

// Computes a library's call by plain loops over memory of this processor.
void compute_on_host(const cuda::LibraryCall& call, std::span<void* const> addresses);

// In double. Addresses: those of tensors_of(problem).
void compute_attention_on_host(const cuda::AttentionProblem& problem,
                               std::span<void* const> addresses);

}  // namespace strata::testing
