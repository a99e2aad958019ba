// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"

namespace strata {

// Executions and small building blocks of networks for this module's tests.
inline const Execution training = {};
inline const Execution inference = {.numerics = {.mode = Mode::inference}};
inline const Execution kept = {.scheduling = {.memory = MemoryReuse::kept}};

inline const Convolution pointwise = {.out_channels = 4, .kernel = {1, 1}};
inline const Tensor image = {{2, 4, 4, 4}};

}  // namespace strata
