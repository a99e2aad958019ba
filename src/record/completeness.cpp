// SPDX-License-Identifier: MIT
#include "record/completeness.h"

#include "base/enumeration.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Why a step was not done; empty if it was.
std::string_view reason_of(const StepResult& step) {
    if (const auto* skipped = std::get_if<Skipped>(&step.time)) {
        return skipped->reason;
    }
    const auto* failed = std::get_if<Failed>(&step.time);
    return failed == nullptr ? std::string_view() : failed->reason;
}

std::string counted(std::size_t steps, std::size_t of) {
    return fmt::format("{} of {} step{}", steps, of, of == 1 ? "" : "s");
}

std::string counts_text(const Holes& holes) {
    if (holes.skipped == 0) {
        return counted(holes.failed, holes.steps) + " failed";
    }
    const std::string skipped = counted(holes.skipped, holes.steps) + " could not run here";
    return holes.failed == 0 ? skipped : fmt::format("{} and {} failed", skipped, holes.failed);
}

}  // namespace

Holes holes_of(const Run& run) {
    Holes holes{.steps = run.steps.size()};
    for (const StepResult& step : run.steps) {
        const bool skipped = std::holds_alternative<Skipped>(step.time);
        const bool failed = std::holds_alternative<Failed>(step.time);
        if (!holes.any() && (skipped || failed)) {
            holes.first = fmt::format("{} {}: {}", step.layer, name_of(step.pass), reason_of(step));
        }
        holes.skipped += skipped ? 1 : 0;
        holes.failed += failed ? 1 : 0;
    }
    return holes;
}

bool is_incomplete(const Run& run) {
    return holes_of(run).any();
}

std::string_view progress_of(const Run& run) {
    return run.state == RunState::complete && is_incomplete(run) ? "incomplete"
                                                                 : name_of(run.state);
}

std::string holes_text(const Run& run) {
    const Holes holes = holes_of(run);
    return holes.any() ? fmt::format("{} ({})", counts_text(holes), holes.first) : "";
}

std::string incompleteness_sentence(const Run& run) {
    const std::string holes = holes_text(run);
    return holes.empty() ? ""
                         : fmt::format(
                               "This run is incomplete: {}. Sums cover the steps that ran. The "
                               "total time is unknown, so there is no end to end time, throughput, "
                               "share, ranking or comparison.",
                               holes);
}

}  // namespace strata
