// SPDX-License-Identifier: MIT
#pragma once

#include "op/convention.h"
#include "record/run.h"

namespace strata {

// The run with the operations of its steps counted by another convention, each from its problem in
// one line. Reorders and accumulations have none, and updates keep theirs, which the optimizer
// decides and not the problem. What bounds a step is still told from the run itself, whose counts
// are those of multiply-add-2.
Run counted_by(const Convention& convention, Run run);

}  // namespace strata
