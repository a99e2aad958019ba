// SPDX-License-Identifier: MIT
#include "analyze/remarks.h"

#include "analyze/advice.h"
#include "base/text.h"
#include "record/completeness.h"
#include "record/step_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

std::string steps(std::size_t count, std::string_view kind) {
    return fmt::format("{} step{}{}", count, count == 1 ? "" : "s", kind);
}

// Steps of one kind: their number and total time.
struct Tally {
    std::size_t count = 0;
    Seconds time = {};
    std::optional<double> share = {};
};

template <class Predicate>
Tally tally(const Run& run, const Summary& summary, Predicate&& wanted) {
    Tally tally;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (wanted(run.steps[i])) {
            ++tally.count;
            const StepTime& time = summary.steps[i];
            tally.time += time.time ? time.time->median : Seconds{};
            add_share(tally.share, time.share);
        }
    }
    return tally;
}

void remark_on_tally(std::vector<std::string>& remarks, const Tally& tally, std::string_view kind,
                     std::string_view meaning) {
    if (tally.count > 0) {
        const std::string amount =
            tally.share ? percent(*tally.share) + " of the step" : duration(tally.time);
        remarks.push_back(fmt::format("{} {} {}: {}.", steps(tally.count, kind),
                                      tally.count == 1 ? "takes" : "take", amount, meaning));
    }
}

bool has(const Run& run, DoubtKind kind) {
    return std::ranges::any_of(run.flags, [&](const Flag& flag) { return flag.kind == kind; });
}

// If other processes used the machine, unexplained time may be theirs rather than the kernel's. On
// a GPU it can only be theirs if the host launched the steps one by one.
void remark_on_disturbance(std::vector<std::string>& remarks, const Run& run) {
    if (run.ran_on_gpu() && !has(run, DoubtKind::not_recorded)) {
        return;
    }
    std::vector<std::string> kinds;
    for (const auto& flag : run.flags) {
        if (flag.kind == DoubtKind::preempted || flag.kind == DoubtKind::noisy_neighbour ||
            flag.kind == DoubtKind::steal) {
            kinds.push_back(kind_text(flag));
        }
    }
    if (!kinds.empty()) {
        remarks.push_back(fmt::format(
            "The machine was disturbed ({}): steps reported as bound by overhead may "
            "have waited for {}, so measure again on a quiet machine.",
            join(kinds, ", "), run.ran_on_gpu() ? "launches that came late" : "other processes"));
    }
}

void remark_on_ceilings(std::vector<std::string>& remarks, const Run& run) {
    if (run.steps.empty() || ceilings_of(run)) {
        return;
    }
    const int threads = run.settings.threads();
    if (run.origin == Origin::imported) {
        remarks.emplace_back(
            "An imported profile has no ceilings of the machine that it was recorded on, so what "
            "bounds each layer is unknown.");
    } else if (run.ran_on_gpu()) {
        remarks.push_back(
            fmt::format("No ceilings are known: `{}` measures them, and later runs then show what "
                        "bounds each layer.",
                        calibrate_command(run)));
    } else if (has(run, DoubtKind::oversubscribed)) {
        remarks.emplace_back(
            "There are no ceilings for more threads than processors: run with fewer --threads to "
            "see what bounds each layer.");
    } else {
        remarks.push_back(
            fmt::format("No ceilings are known for {} thread{}: `{}` measures them, and later runs "
                        "then show what bounds each layer.",
                        threads, threads == 1 ? "" : "s", calibrate_command(run)));
    }
}

}  // namespace

std::string closing_sentence(const Run& run, const Reach& all) {
    const Device* device = ceilings_of(run);
    if (!device || device->memory.empty() || !all.has_ceiling || is_incomplete(run)) {
        return "";
    }
    const std::string& source = device->memory.back().bandwidth.source;
    const std::string threads =
        run.origin == Origin::modelled || run.ran_on_gpu()
            ? ""
            : fmt::format(" with {} thread{}", device->threads, device->threads == 1 ? "" : "s");
    const std::string judged =
        all.unjudged > Seconds{}
            ? fmt::format("the {} of the steps that have one", duration(all.judged()))
            : fmt::format("the {} of all steps", duration(all.judged()));
    return fmt::format(
        "With every step at its ceiling, {} would be {} ({}). This is modelled from the ceilings "
        "of {}{} ({}), which a layer's shape may not allow.",
        judged, duration(all.at_ceilings()), percent(all.at_ceilings() / all.judged()),
        device->model, threads, source.substr(0, source.find(':')));
}

// A GPU's ceilings are those of work that is too short for its power limit to act.
void remark_on_power(std::vector<std::string>& remarks, const Run& run) {
    const Device* device = ceilings_of(run);
    if (device == nullptr || !run.ran_on_gpu() || !has(run, DoubtKind::throttled)) {
        return;
    }
    const std::string arithmetic = arithmetic_of(run.settings);
    const auto found = std::ranges::find(device->compute, arithmetic, &ComputeCeiling::dtype);
    if (found != device->compute.end() && found->sustained) {
        remarks.push_back(fmt::format(
            "The GPU's clock was held down meanwhile: a product that lasts for a second keeps {} "
            "of the {} peak then, so no step could come nearer to it for long.",
            percent(found->sustained->value / found->peak.value), arithmetic));
    }
}

std::vector<std::string> general_remarks(const Run& run, const Summary& summary) {
    std::vector<std::string> remarks;
    remark_on_disturbance(remarks, run);
    remark_on_power(remarks, run);
    const auto reorders =
        tally(run, summary, [](const auto& s) { return s.kind == StepKind::reorder; });
    remark_on_tally(remarks, reorders, " of kind reorder", "layout changes that compute nothing");
    remark_on_tally(remarks, tally(run, summary, is_unoptimised), " without an optimised kernel",
                    "the library runs its reference code there");
    remark_on_ceilings(remarks, run);
    return remarks;
}

}  // namespace strata
