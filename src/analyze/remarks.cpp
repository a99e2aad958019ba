// SPDX-License-Identifier: MIT
#include "analyze/remarks.h"

#include "analyze/advice.h"
#include "analyze/next_command.h"
#include "base/text.h"
#include "record/completeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

std::string pass_and_kind(const StepResult& step) {
    const std::string kind =
        step.kind == StepKind::compute ? "" : " " + std::string(name_of(step.kind));
    return std::string(name_of(step.pass)) + kind;
}

std::string name_of_step(const StepResult& step) {
    return fmt::format("{} {}", step.layer, pass_and_kind(step));
}

std::string steps(std::size_t count, std::string_view kind) {
    return fmt::format("{} step{}{}", count, count == 1 ? "" : "s", kind);
}

Finding finding_on(const Run& run, const Summary& summary, const StepBound& bound, std::size_t i) {
    const StepResult& step = run.steps[i];
    const StepTime& time = summary.steps[i];
    Finding finding;
    finding.layer = step.layer;
    finding.pass = name_of(step.pass);
    finding.kind = name_of(step.kind);
    finding.median = time.time->median;
    finding.share = time.share;
    finding.command = command_for(run, step, bound);
    return finding;
}

// A time that is hardly longer than that of a step which does nothing says so wherever it is
// ranked.
std::string stamp_text(const StepTime& time) {
    return time.is_near_empty()
               ? fmt::format(" ({} of it is what an empty step takes)", percent(*time.stamp_share))
               : std::string();
}

// "32.0 ± 0.4 ms"; a single sample has no uncertainty.
std::string gain_text(const Gain& gain) {
    if (!gain.uncertainty) {
        return duration(gain.gain);
    }
    const Seconds unit = gain.gain >= Seconds{0.9995}      ? Seconds{1}
                         : gain.gain >= Seconds{0.9995e-3} ? Seconds{1e-3}
                                                           : Seconds{1e-6};
    const std::string text = duration(gain.gain);
    const auto end_of_number = text.find(' ');
    return fmt::format("{} ± {:.2g}{}", text.substr(0, end_of_number), *gain.uncertainty / unit,
                       text.substr(end_of_number));
}

Finding finding_on_gain(const Run& run, const Summary& summary, const StepBound& bound,
                        const Gain& gain) {
    Finding finding = finding_on(run, summary, bound, gain.step);
    finding.gain = gain.gain;
    finding.gain_share = gain.share;
    finding.uncertainty = gain.uncertainty;
    const StepResult& step = run.steps[gain.step];
    const Estimate& time = *summary.steps[gain.step].time;
    const bool single = run.origin == Origin::measured && time.samples == 1;
    finding.sentence =
        fmt::format("{} takes {}{}{} and could save at most {}, {} of the step: {}.",
                    name_of_step(step), duration(time.median), single ? " (a single sample)" : "",
                    stamp_text(summary.steps[gain.step]), gain_text(gain), percent(gain.share),
                    advice_on(step, bound, time.median));
    return finding;
}

Finding finding_on_weight(const Run& run, const Summary& summary, const StepBound& bound,
                          std::size_t i) {
    Finding finding = finding_on(run, summary, bound, i);
    const std::string advice = advice_on(run.steps[i], bound, finding.median);
    finding.sentence =
        fmt::format("{} takes {} of the step ({}){}{}{}.", name_of_step(run.steps[i]),
                    percent(finding.share.value_or(0)), duration(finding.median),
                    stamp_text(summary.steps[i]), advice.empty() ? "" : ": ", advice);
    return finding;
}

std::vector<Finding> heaviest(const Run& run, const Summary& summary,
                              const std::vector<StepBound>& bounds, std::size_t count) {
    std::vector<std::size_t> order(run.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t i) { return summary.steps[i].share; });
    std::vector<Finding> findings;
    for (const std::size_t i : order) {
        if (findings.size() == count || !summary.steps[i].time) {
            break;
        }
        findings.push_back(finding_on_weight(run, summary, bounds[i], i));
    }
    return findings;
}

// Steps that only less work makes faster, by what would reduce the work.
enum class Remedy { fewer_operations, more_examples };

std::optional<Remedy> remedy_of(const StepResult& step, const StepBound& bound) {
    if (!bound.achieved || *bound.achieved < good_share || step.kind == StepKind::reorder) {
        return std::nullopt;
    }
    if (bound.verdict == Bottleneck::compute) {
        return Remedy::fewer_operations;
    }
    return bound.verdict == Bottleneck::memory && step.pass == Pass::update
               ? std::optional(Remedy::more_examples)
               : std::nullopt;
}

// A smaller share of the step is not worth a sentence.
constexpr double weighty = 0.1;

Finding finding_at_ceiling(const Run& run, const Summary& summary,
                           const std::vector<StepBound>& bounds, Remedy remedy) {
    Finding finding;
    std::size_t count = 0;
    double heaviest = 0;  // of the steps for which a command is known
    std::string ceiling;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const StepTime& time = summary.steps[i];
        if (!time.time || remedy_of(run.steps[i], bounds[i]) != remedy) {
            continue;
        }
        ++count;
        finding.median += time.time->median;
        add_share(finding.share, time.share);
        ceiling = bounds[i].ceiling;
        const std::string command = command_for(run, run.steps[i], bounds[i]);
        if (!command.empty() && time.share.value_or(0) > heaviest) {
            heaviest = *time.share;
            finding.command = command;
        }
    }
    if (finding.share.value_or(0) < weighty) {
        return {};
    }
    finding.sentence = fmt::format(
        "{} {} at {} of the {} or more and {} {} of the step ({}) together: {}.", steps(count, ""),
        count == 1 ? "runs" : "run", percent(good_share), ceiling, count == 1 ? "takes" : "take",
        percent(*finding.share), duration(finding.median),
        remedy == Remedy::fewer_operations
            ? "only fewer operations or a lower precision would help"
            : "weights, gradients and optimizer state move once per step whatever the batch, so a "
              "larger batch spreads this traffic over more examples");
    return finding;
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

// Where other processes used the machine, unexplained time may be theirs and not the kernel's.
void remark_on_disturbance(std::vector<std::string>& remarks, const Run& run) {
    std::vector<std::string> kinds;
    for (const auto& flag : run.flags) {
        if (flag.kind == DoubtKind::preempted || flag.kind == DoubtKind::noisy_neighbour ||
            flag.kind == DoubtKind::steal) {
            kinds.push_back(kind_text(flag));
        }
    }
    if (!kinds.empty()) {
        remarks.push_back(
            fmt::format("The machine was disturbed ({}): steps reported as bound by overhead may "
                        "have waited for other processes, so measure again on a quiet machine.",
                        join(kinds, ", ")));
    }
}

void remark_on_ceilings(std::vector<std::string>& remarks, const Run& run) {
    if (run.steps.empty() || ceilings_of(run)) {
        return;
    }
    const int threads = run.settings.threads();
    const auto crowded = [](const Flag& flag) { return flag.kind == DoubtKind::oversubscribed; };
    if (run.origin == Origin::imported) {
        remarks.emplace_back(
            "An imported profile has no ceilings of the machine that it was recorded on, so "
            "nothing says what bounds each layer.");
    } else if (run.provenance.contains("gpu.name")) {
        remarks.push_back(
            fmt::format("No ceilings are known: `strata calibrate --backend {}` measures them, and "
                        "later runs then say what bounds each layer.",
                        run.settings.backend));
    } else if (std::ranges::any_of(run.flags, crowded)) {
        remarks.emplace_back(
            "There are no ceilings for more threads than processors: run with fewer --threads to "
            "see what bounds each layer.");
    } else {
        remarks.push_back(
            fmt::format("No ceilings are known for {} thread{}: `strata calibrate --threads {}` "
                        "measures them, and later runs then say what bounds each layer.",
                        threads, threads == 1 ? "" : "s", threads));
    }
}

}  // namespace

std::vector<Finding> findings_on(const Run& run, const Summary& summary,
                                 const std::vector<StepBound>& bounds, std::size_t count) {
    if (is_incomplete(run)) {
        return {};
    }
    if (std::ranges::none_of(bounds, [](const StepBound& b) { return b.bound.has_value(); })) {
        return heaviest(run, summary, bounds, count);
    }
    std::vector<Finding> findings;
    for (const Gain& gain : gains_of(run, summary, bounds).steps) {
        if (findings.size() == count) {
            break;
        }
        if (gain.is_certain()) {
            findings.push_back(finding_on_gain(run, summary, bounds[gain.step], gain));
        }
    }
    return findings;
}

std::vector<Finding> findings_at_ceilings(const Run& run, const Summary& summary,
                                          const std::vector<StepBound>& bounds) {
    std::vector<Finding> findings;
    for (const Remedy remedy : {Remedy::fewer_operations, Remedy::more_examples}) {
        Finding finding = finding_at_ceiling(run, summary, bounds, remedy);
        if (!finding.sentence.empty()) {
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

std::string closing_sentence(const Run& run, const Gains& gains) {
    const Device* device = ceilings_of(run);
    if (!device || device->memory.empty() || !gains.is_judged || is_incomplete(run)) {
        return "";
    }
    const std::string beside =
        gains.unjudged > Seconds{}
            ? fmt::format(", {} of it without a ceiling", duration(gains.unjudged))
            : "";
    const std::string& source = device->memory.back().bandwidth.source;
    const std::string threads =
        run.origin == Origin::modelled
            ? ""
            : fmt::format(" with {} thread{}", device->threads, device->threads == 1 ? "" : "s");
    return fmt::format(
        "With every step at its ceiling, the {} of all steps{} would be {} ({}). This is modelled "
        "from the ceilings of {}{} ({}), which the shape of a layer may not allow.",
        duration(gains.median), beside, duration(gains.at_ceilings),
        percent(gains.at_ceilings / gains.median), device->model, threads,
        source.substr(0, source.find(':')));
}

std::vector<std::string> general_remarks(const Run& run, const Summary& summary) {
    std::vector<std::string> remarks;
    remark_on_disturbance(remarks, run);
    const auto reorders =
        tally(run, summary, [](const auto& s) { return s.kind == StepKind::reorder; });
    remark_on_tally(remarks, reorders, " of kind reorder", "layout changes that compute nothing");
    remark_on_tally(remarks, tally(run, summary, is_unoptimised), " without an optimised kernel",
                    "the library runs its reference code there");
    remark_on_ceilings(remarks, run);
    return remarks;
}

}  // namespace strata
