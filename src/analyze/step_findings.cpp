// SPDX-License-Identifier: MIT
#include "analyze/step_findings.h"

#include "analyze/advice.h"
#include "analyze/family.h"
#include "record/completeness.h"
#include "record/step_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace strata {

namespace {

std::string steps_text(std::size_t count) {
    return fmt::format("{} step{}", count, count == 1 ? "" : "s");
}

std::vector<std::size_t> all_steps(const Run& run) {
    std::vector<std::size_t> all(run.steps.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

// A run with the analyses of its steps.
class Findings {
public:
    Findings(const Run& run, const Summary& summary, const std::vector<StepBound>& bounds)
        : run_(run), summary_(summary), bounds_(bounds), names_(layers_of(run)) {
        for (std::size_t i = 0; i < run.steps.size(); ++i) {
            const auto& time = summary.steps[i].time;
            advice_.push_back(time ? advice_for(run, i, bounds[i], time->median) : Advice{});
        }
    }

    // Groups of steps with the same bound and the same advice; without advice, by operator.
    std::vector<StepGroup> alike() const {
        using Key = std::tuple<Bottleneck, std::string, std::string>;
        std::map<Key, std::vector<std::size_t>> groups;
        for (std::size_t i = 0; i < run_.steps.size(); ++i) {
            const StepResult& step = run_.steps[i];
            const bool is_own = step.kind != StepKind::compute;
            const std::string& command = advice_[i].command;
            const std::string among = !command.empty() && advice_[i].saving ? std::string()
                                      : is_own ? std::string(name_of(step.kind))
                                               : step.operation;
            if (summary_.steps[i].time && !is_inconclusive(summary_.steps[i].time)) {
                groups[{bounds_[i].verdict, advice_[i].saving ? command : "", among}].push_back(i);
            }
        }
        std::vector<StepGroup> found;
        for (auto& [key, members] : groups) {
            found.push_back(group_of(run_, summary_, bounds_, "", std::move(members)));
        }
        return found;
    }

    Finding on_gain(const StepGroup& group) const {
        const StepEvidence evidence = evidence_of(group);
        Finding finding = finding_of(group);
        finding.gain = group.reach.gain;
        finding.gain_share = group.reach.gain / whole();
        finding.uncertainty = group.reach.uncertainty;
        if (group.reach.is_certain()) {
            finding.advice = advice_of(group);
        }
        finding.sentence = fmt::format(
            "{} {} {}{}{} and would save {} at {}, {} of the step: {}.{}", subject(group),
            verb(group), duration(finding.median), sample_text(group), stamp_text(group),
            duration(*finding.gain, finding.uncertainty),
            group.members.size() == 1 ? "its ceiling" : "their ceilings",
            percent(*finding.gain_share), reason_for(evidence),
            group.reach.is_certain() ? promise(finding.advice) + alignment_text(group)
                                     : " Its times vary by more than that, so it is not certain.");
        return finding;
    }

    Finding on_weight(const StepGroup& group) const {
        Finding finding = finding_of(group);
        finding.advice = advice_of(group);
        const std::string reason = reason_for(evidence_of(group));
        finding.sentence =
            fmt::format("{} {} {} of the step ({}){}{}{}.", subject(group), verb(group),
                        percent(finding.share.value_or(0)), duration(finding.median),
                        stamp_text(group), reason.empty() ? "" : ": ", reason);
        return finding;
    }

    const Advice& advice(std::size_t step) const { return advice_[step]; }

    // The first advice with a command, longest step first, with the savings of all steps that share
    // it.
    Advice advice_of(const StepGroup& group) const {
        Advice found;
        Seconds longest;
        for (const std::size_t i : group.members) {
            const Seconds time = summary_.steps[i].time->median;
            if (!advice_[i].command.empty() && time > longest) {
                longest = time;
                found = advice_[i];
            }
        }
        if (found.saving) {
            found.saving = Seconds{};
            for (const std::size_t i : group.members) {
                found.saving = *found.saving + advice_[i].saving.value_or(Seconds{});
            }
        }
        return found;
    }

    static std::string promise(const Advice& advice) {
        if (!advice.saving) {
            return "";
        }
        const std::string saving = duration(*advice.saving);
        switch (advice.remedy) {
            case Remedy::other_algorithm:
                return fmt::format(" Other algorithms, {} above all, commonly save about {} of it.",
                                   name_of(*advice.algorithm), saving);
            case Remedy::narrower_type:
                return fmt::format(" bf16 may save about {} of it.", saving);
            case Remedy::larger_batch:
                return fmt::format(
                    " A batch {} times as large spreads it over more examples, saving about {} of "
                    "it for the same number of examples.",
                    batch_growth, saving);
            case Remedy::fusion:
                return fmt::format(" Fusing it with the layers before saves about {} of it.",
                                   saving);
            case Remedy::none:
            case Remedy::closer_look:
                return "";
        }
        return "";
    }

    // "conv2 forward", "h.0–h.47.attention forward (48 layers)", "conv1–conv5 (14 steps)".
    std::string subject(const StepGroup& group) const {
        const auto layers = layers_of(run_, group.members);
        const StepResult& first = run_.steps[group.members.front()];
        const std::string names = names_.text(layers);
        const bool is_one_pass = std::ranges::all_of(group.members, [&](std::size_t i) {
            return run_.steps[i].pass == first.pass && run_.steps[i].kind == first.kind;
        });
        if (!is_one_pass) {
            return fmt::format("{} ({})", names, steps_text(group.members.size()));
        }
        return fmt::format("{} {}{}", names, pass_text(first),
                           layers.size() == 1 ? "" : fmt::format(" ({} layers)", layers.size()));
    }

private:
    Seconds whole() const { return reach_of(run_, summary_, bounds_).median; }

    StepEvidence evidence_of(const StepGroup& group) const {
        StepEvidence evidence;
        for (const std::size_t i : group.members) {
            add(evidence, run_.steps[i], bounds_[i], summary_.steps[i].time->median);
        }
        return evidence;
    }

    Finding finding_of(const StepGroup& group) const {
        const StepResult& first = run_.steps[group.members.front()];
        const auto all_have = [&](auto member) {
            return std::ranges::all_of(group.members, [&](std::size_t i) {
                return run_.steps[i].*member == first.*member;
            });
        };
        return {.layers = names_.text(layers_of(run_, group.members)),
                .operation = all_have(&StepResult::operation) ? first.operation : "",
                .pass = all_have(&StepResult::pass) ? std::string(name_of(first.pass)) : "",
                .kind = std::string(name_of(first.kind)),
                .steps = group.members.size(),
                .median = group.reach.median,
                .share = group.share};
    }

    // The longest rows that slow products of the group have.
    std::string alignment_text(const StepGroup& group) const {
        std::optional<std::int64_t> longest;
        for (const std::size_t i : group.members) {
            const bool is_slow =
                run_.origin == Origin::measured
                    ? bounds_[i].achieved.value_or(1) < good_share
                    : bounds_[i].verdict == Bottleneck::kernel;  // not every model knows of them
            longest =
                std::max(longest, is_slow ? unaligned_row(run_, run_.steps[i]) : std::nullopt);
        }
        if (!longest) {
            return "";
        }
        constexpr std::int64_t usual = 64;
        const std::int64_t padded = (*longest + usual - 1) / usual * usual;
        return fmt::format(
            " Rows of {} numbers are not a multiple of 16 bytes, and libraries have only slow "
            "kernels for those: pad the rows, for example to {}.",
            *longest, padded);
    }

    static std::string_view verb(const StepGroup& group) {
        return group.members.size() == 1 ? "takes" : "take";
    }

    std::string sample_text(const StepGroup& group) const {
        const bool is_single =
            run_.origin == Origin::measured && std::ranges::all_of(group.members, [&](auto i) {
                return summary_.steps[i].time->samples == 1;
            });
        return is_single ? " (a single sample)" : "";
    }

    // Times hardly longer than an empty step's are marked wherever they are
    // ranked.
    std::string stamp_text(const StepGroup& group) const {
        Seconds stamps;
        for (const std::size_t i : group.members) {
            const StepTime& time = summary_.steps[i];
            stamps += time.is_near_empty() ? time.time->median * *time.stamp_share : Seconds{};
        }
        return stamps > Seconds{} ? fmt::format(" ({} of it is the time of an empty step)",
                                                percent(stamps / group.reach.median))
                                  : std::string();
    }

    const Run& run_;
    const Summary& summary_;
    const std::vector<StepBound>& bounds_;
    LayerNames names_;
    std::vector<Advice> advice_;  // by step
};

std::vector<Finding> heaviest(const Run& run, const Summary& summary,
                              const std::vector<StepBound>& bounds, std::size_t count) {
    const std::vector by = {Grouping::family};
    auto families = rolled_up(run, summary, bounds, by, all_steps(run));
    std::erase_if(families, [&](const StepGroup& family) {
        return std::ranges::any_of(family.members, [&](std::size_t i) {
            const auto& time = summary.steps[i].time;
            return !time || is_inconclusive(time);
        });
    });
    std::ranges::stable_sort(families, std::greater<>(), &StepGroup::share);
    const Findings all(run, summary, bounds);
    std::vector<Finding> findings;
    for (const StepGroup& family : families) {
        if (findings.size() < count) {
            findings.push_back(all.on_weight(family));
        }
    }
    return findings;
}

// Steps that only less work makes faster, grouped by what would reduce it.
enum class Saver { fewer_operations, more_examples };

std::optional<Saver> saver_of(const StepResult& step, const StepBound& bound) {
    if (!bound.achieved || *bound.achieved < good_share || step.kind == StepKind::reorder) {
        return std::nullopt;
    }
    if (bound.verdict == Bottleneck::compute) {
        return Saver::fewer_operations;
    }
    return bound.verdict == Bottleneck::memory && step.pass == Pass::update
               ? std::optional(Saver::more_examples)
               : std::nullopt;
}

// The smallest share of the step worth a sentence.
constexpr double weighty = 0.1;

std::optional<StepGroup> group_at_ceiling(const Run& run, const Summary& summary,
                                          const std::vector<StepBound>& bounds, Saver saver) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (summary.steps[i].time && saver_of(run.steps[i], bounds[i]) == saver) {
            members.push_back(i);
        }
    }
    StepGroup group = group_of(run, summary, bounds, "", std::move(members));
    return group.share.value_or(0) < weighty ? std::nullopt : std::optional(std::move(group));
}

Finding finding_at_ceiling(const Findings& all, const StepGroup& group, const std::string& ceiling,
                           Saver saver, bool is_said_before) {
    Finding finding{.steps = group.members.size(),
                    .median = group.reach.median,
                    .share = group.share,
                    .advice = is_said_before ? Advice{} : all.advice_of(group)};
    const bool is_one = group.members.size() == 1;
    finding.sentence = fmt::format(
        "{} {} at {} of the {} or more and {} {} of the step ({}) together: {}.{}",
        steps_text(group.members.size()), is_one ? "runs" : "run", percent(good_share), ceiling,
        is_one ? "takes" : "take", percent(*finding.share), duration(finding.median),
        saver == Saver::fewer_operations
            ? "only fewer operations or a lower precision would help"
            : "weights, gradients and optimizer state move once per step whatever the batch",
        Findings::promise(finding.advice));
    return finding;
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
    const Findings all(run, summary, bounds);
    auto groups = all.alike();
    std::erase_if(groups, [](const StepGroup& group) { return group.reach.gain <= Seconds{}; });
    std::ranges::stable_sort(groups, std::greater<>(),
                             [](const StepGroup& group) { return group.reach.gain; });
    std::vector<Finding> findings;
    for (const StepGroup& group : groups) {
        if (findings.size() < count) {
            findings.push_back(all.on_gain(group));
        }
    }
    return findings;
}

std::vector<Finding> findings_at_ceilings(const Run& run, const Summary& summary,
                                          const std::vector<StepBound>& bounds,
                                          std::span<const Finding> earlier) {
    const Findings all(run, summary, bounds);
    std::vector<Finding> findings;
    for (const Saver saver : {Saver::fewer_operations, Saver::more_examples}) {
        if (const auto group = group_at_ceiling(run, summary, bounds, saver)) {
            const std::string command = all.advice_of(*group).command;
            const bool is_said_before = std::ranges::any_of(
                earlier, [&](const Finding& one) { return one.advice.command == command; });
            findings.push_back(finding_at_ceiling(
                all, *group, bounds[group->members.front()].ceiling, saver, is_said_before));
        }
    }
    return findings;
}

std::optional<StepGroup> largest_gain(const Run& run, const Summary& summary,
                                      const std::vector<StepBound>& bounds) {
    const std::vector by = {Grouping::operation};
    const auto groups = rolled_up(run, summary, bounds, by, all_steps(run));
    const auto largest = std::ranges::max_element(
        groups, {}, [](const StepGroup& group) { return group.reach.gain; });
    return largest == groups.end() || largest->reach.gain <= Seconds{} ? std::nullopt
                                                                       : std::optional(*largest);
}

std::string largest_gain_text(const Run& run, const Summary& summary,
                              const std::vector<StepBound>& bounds) {
    const auto group = largest_gain(run, summary, bounds);
    if (!group) {
        return "";
    }
    const Reach& reach = group->reach;
    const auto achieved = reach.achieved();
    return fmt::format(
        "{}{}{}: {} of the {} that would be saved at the ceilings{}", group->name,
        group->share ? fmt::format(" with {} of the time", percent(*group->share)) : "",
        achieved ? fmt::format(" at {} of its ceilings", percent(*achieved)) : "",
        duration(reach.gain, reach.uncertainty), duration(reach_of(run, summary, bounds).gain),
        reach.is_certain() ? "" : ", though its times vary by more than that");
}

}  // namespace strata
