// SPDX-License-Identifier: MIT
#include "analyze/remarks.h"

#include "analyze/advice.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

std::string name_of_step(const StepResult& step) {
    const std::string kind = step.kind.empty() || step.kind == "compute" ? "" : " " + step.kind;
    return fmt::format("{} {}{}", step.layer, name_of(step.pass), kind);
}

std::string sentence_on(const StepResult& step, const StepTime& time, const StepBound& bound) {
    const std::string advice = advice_on(step, bound, time.time->median);
    return fmt::format("{} takes {} of the step ({}){}{}.", name_of_step(step), percent(time.share),
                       duration(time.time->median), advice.empty() ? "" : ": ", advice);
}

// Steps of one sort: how many there are and what they take together.
struct Tally {
    std::size_t count = 0;
    double share = 0;
};

template <class Predicate>
Tally tally(const Run& run, const Summary& summary, Predicate&& wanted) {
    Tally tally;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (wanted(run.steps[i])) {
            ++tally.count;
            tally.share += summary.steps[i].share;
        }
    }
    return tally;
}

std::string steps(std::size_t count, std::string_view kind) {
    return fmt::format("{} step{}{}", count, count == 1 ? "" : "s", kind);
}

void remark_on_tally(std::vector<std::string>& remarks, const Tally& tally, std::string_view kind,
                     std::string_view meaning) {
    if (tally.count > 0) {
        remarks.push_back(fmt::format("{} {} {} of the step: {}.", steps(tally.count, kind),
                                      tally.count == 1 ? "takes" : "take", percent(tally.share),
                                      meaning));
    }
}

// Where others used the machine, time that nothing explains is theirs, not the kernel's.
void remark_on_disturbance(std::vector<std::string>& remarks, const Run& run) {
    std::vector<std::string> kinds;
    for (const auto& flag : run.flags) {
        if (flag.kind == "preempted" || flag.kind == "noisy-neighbour" || flag.kind == "steal") {
            kinds.push_back(flag.kind);
        }
    }
    if (!kinds.empty()) {
        remarks.push_back(
            fmt::format("The machine was disturbed ({}): steps said to be bound by "
                        "overhead may be waiting for others, so measure again on a "
                        "quiet one.",
                        join(kinds, ", ")));
    }
}

void remark_on_ceilings(std::vector<std::string>& remarks, const Run& run) {
    if (run.steps.empty() || ceilings_of(run)) {
        return;
    }
    const int threads = run.settings.threads;
    const auto crowded = [](const Flag& flag) { return flag.kind == "oversubscribed"; };
    if (run.provenance.contains("gpu.name")) {
        remarks.push_back(
            fmt::format("No ceilings are known: `strata calibrate --backend {}` measures them, and "
                        "later runs say what bounds each layer.",
                        run.settings.backend));
    } else if (std::ranges::any_of(run.flags, crowded)) {
        remarks.emplace_back(
            "More threads than processors have no ceilings: run with fewer --threads to learn "
            "what bounds each layer.");
    } else {
        remarks.push_back(fmt::format(
            "No ceilings of {} thread{} are known: `strata calibrate --threads {}` measures them, "
            "and later runs say what bounds each layer.",
            threads, threads == 1 ? "" : "s", threads));
    }
}

}  // namespace

std::vector<std::string> heaviest_steps(const Run& run, const Summary& summary,
                                        const std::vector<StepBound>& bounds, std::size_t count) {
    std::vector<std::size_t> order(run.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t i) { return summary.steps[i].share; });
    std::vector<std::string> sentences;
    for (const std::size_t i : order) {
        if (sentences.size() == count || !summary.steps[i].time) {
            break;
        }
        sentences.push_back(sentence_on(run.steps[i], summary.steps[i], bounds[i]));
    }
    return sentences;
}

std::vector<std::string> general_remarks(const Run& run, const Summary& summary) {
    std::vector<std::string> remarks;
    remark_on_disturbance(remarks, run);
    const auto reorders = tally(run, summary, [](const auto& s) { return s.kind == "reorder"; });
    remark_on_tally(remarks, reorders, " of kind reorder",
                    "changes of layout that compute nothing");
    remark_on_tally(remarks, tally(run, summary, is_unoptimised), " without an optimised kernel",
                    "the library runs its reference code there");
    remark_on_ceilings(remarks, run);
    return remarks;
}

}  // namespace strata
