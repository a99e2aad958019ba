// SPDX-License-Identifier: MIT
#include "analyze/memory_check.h"

#include <algorithm>

namespace strata {

MemoryCheck memory_check_of(const Run& run) {
    MemoryCheck check{.predicted = run.predicted_memory,
                      .scratch = {},
                      .measured = run.measured_memory,
                      .ratio = {}};
    for (const StepResult& step : run.steps) {
        check.scratch = std::max(check.scratch, step.workspace);
    }
    if (check.measured && *check.measured > Bytes{0}) {
        check.ratio = (check.predicted + check.scratch) / *check.measured;
    }
    return check;
}

}  // namespace strata
