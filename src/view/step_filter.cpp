// SPDX-License-Identifier: MIT
#include "view/step_filter.h"

#include "analyze/summary.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

bool is_meant(const std::string& glob, const StepResult& step) {
    return matches_glob(glob, step.layer) ||
           (!step.alias.empty() && matches_glob(glob, step.alias));
}

}  // namespace

std::vector<Pass> passes_in(const std::string& list) {
    if (list.empty()) {
        return {all_passes.begin(), all_passes.end()};
    }
    std::vector<Pass> passes;
    for (const auto name : split(list, ',')) {
        passes.push_back(parse_pass(trim(name)));
    }
    return passes;
}

std::vector<std::size_t> wanted_steps(const Run& run, const StepFilter& filter) {
    const auto passes = passes_in(filter.passes);
    std::vector<std::size_t> wanted;
    for (const std::size_t i : steps_by_layer(run)) {
        const StepResult& step = run.steps[i];
        if ((filter.layers.empty() || is_meant(filter.layers, step)) &&
            std::ranges::find(passes, step.pass) != passes.end()) {
            wanted.push_back(i);
        }
    }
    if (wanted.empty() && !run.steps.empty()) {
        throw Error(
            fmt::format(
                "no step of {} matches layer '{}' and pass '{}'; `strata show` lists the layers.",
                printable(run.settings.network),
                filter.layers.empty() ? "*" : printable(filter.layers),
                filter.passes.empty() ? "*" : printable(filter.passes)),
            ExitCode::usage);
    }
    return wanted;
}

}  // namespace strata
