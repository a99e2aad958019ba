// SPDX-License-Identifier: MIT
#include "analyze/memory_check.h"

#include <algorithm>

namespace strata {

MemoryCheck memory_check_of(const Run& run) {
    MemoryCheck check{.predicted = {}, .scratch = {}, .measured = run.measured_memory, .ratio = {}};
    if (run.origin == Origin::imported) {
        return check;
    }
    Bytes scratch{};
    for (const StepResult& step : run.steps) {
        scratch = std::max(scratch, step.workspace);
    }
    check.predicted = run.predicted_memory;
    check.scratch = scratch;
    if (check.measured && *check.measured > Bytes{0}) {
        check.ratio = (run.predicted_memory + scratch) / *check.measured;
    }
    return check;
}

}  // namespace strata
