// SPDX-License-Identifier: MIT
#include "run/exit_code.h"

#include "record/completeness.h"

#include <algorithm>

namespace strata {

namespace {

bool ran_nothing(const Run& run) {
    return !run.steps.empty() && holes_of(run).skipped == run.steps.size();
}

ExitCode exit_code_of(const Run& run) {
    const Holes holes = holes_of(run);
    if (holes.any()) {
        return holes.failed > 0 ? ExitCode::failed : ExitCode::machine_cannot;
    }
    const auto imprecise = [](const Flag& flag) { return flag.kind == "imprecise"; };
    return std::ranges::any_of(run.flags, imprecise) ? ExitCode::unstable : ExitCode::done;
}

}  // namespace

ExitCode exit_code_of(std::span<const Run> runs) {
    const bool one_ran = !std::ranges::all_of(runs, ran_nothing);
    ExitCode code = ExitCode::done;
    for (const Run& run : runs) {
        code = graver(code, ran_nothing(run) && one_ran ? ExitCode::done : exit_code_of(run));
    }
    return code;
}

ExitCode graver(ExitCode a, ExitCode b) {
    for (const ExitCode grave : {ExitCode::failed, ExitCode::machine_cannot, ExitCode::unstable}) {
        if (a == grave || b == grave) {
            return grave;
        }
    }
    return ExitCode::done;
}

}  // namespace strata
