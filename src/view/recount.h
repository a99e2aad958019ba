// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/sweep.h"
#include "op/convention.h"
#include "record/run.h"

namespace strata {

// The run with the operations of its steps counted by another convention, each from its one-line
// problem; an update also needs the optimizer from the run's settings. Reorders and accumulations
// have no operations. Bounds still come from the run itself, which counts by multiply-add-2.
Run counted_by(const Convention& convention, Run run);

// The sweep with its points' operations counted in the same way; its runs are unchanged.
Sweep counted_by(const Convention& convention, Sweep sweep);

}  // namespace strata
