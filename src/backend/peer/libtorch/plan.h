// SPDX-License-Identifier: MIT
#pragma once

#include "backend/peer/libtorch/network.h"

#include <optional>

namespace strata::libtorch {

// What no task reads after the one that has it.
struct Releases {
    std::vector<std::size_t> values;     // tensors
    std::vector<std::size_t> gradients;  // tensors
    std::vector<std::size_t> saved;      // layers
};

// How tasks divide the work, each by its number. Where one call gives the gradients of data and of
// weights, the task of the data's asks for both and the weights' is included in it.
struct Plan {
    std::vector<std::vector<Contribution>> operands;
    std::vector<std::optional<std::size_t>> included_in;
    std::vector<Releases> releases;  // empty ones where every tensor is kept
};

Plan plan_of(const Network& network);

}  // namespace strata::libtorch
