// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/sweep.h"
#include "op/convention.h"
#include "record/run.h"

namespace strata {

// The run with the operations of its steps counted by another convention, each from its problem in
// one line; an update also from the optimizer among the run's settings. Reorders and accumulations
// have none. What bounds a step is still told from the run itself, whose counts are those of
// multiply-add-2.
Run counted_by(const Convention& convention, Run run);

// The sweep with the operations of its points counted likewise; its runs stay as they are.
Sweep counted_by(const Convention& convention, Sweep sweep);

}  // namespace strata
