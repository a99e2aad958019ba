// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "view/sweep.h"

#include <span>
#include <string>
#include <vector>

namespace strata {

// The largest batch of a network that fits in memory, in one mode.
struct FittingBatch {
    Mode mode = Mode::training;
    Capacity capacity;
};

// How large a batch fits, without running anything:
//
//   resnet-50 in 16.0 GB, f32, momentum
//   mode       largest batch  needs [GB]  limited by
//   training             168        15.9  memory
//   inference           1431        16.0  memory
Document fit_document(const std::string& network, const Execution& execution,
                      std::span<const FittingBatch> batches);

}  // namespace strata
