// SPDX-License-Identifier: MIT
#include "view/verdict.h"

#include "analyze/advice.h"
#include "analyze/ran_algorithms.h"
#include "analyze/remarks.h"
#include "analyze/step_findings.h"
#include "record/completeness.h"
#include "record/options.h"
#include "record/step_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr double min_told_rest = 0.1;  // of an iteration outside all steps

constexpr std::string_view partial_warning =
    "This run was interrupted; it holds what was measured until then, and the same command "
    "continues it.";

Ranking ranking_of(const std::vector<Finding>& findings) {
    Ranking ranking;
    for (const Finding& finding : findings) {
        ranking.items.push_back(finding.sentence);
        ranking.commands.push_back(finding.advice.command);
    }
    return ranking;
}

// Findings leave out steps that are known only with delays.
std::string title_of(const std::vector<Finding>& found, const Summary& summary) {
    const bool lacks_steps = std::ranges::any_of(
        summary.steps, [](const StepTime& step) { return is_inconclusive(step.time); });
    return fmt::format("{}{}",
                       found.front().gain  ? "Largest possible gains"
                       : found.size() == 1 ? "What takes longest"
                                           : fmt::format("The {} that take longest", found.size()),
                       lacks_steps ? " among the steps known without delays" : "");
}

// Adds what is worth a look, by possible gain or, without ceilings, by time; and what only less
// work makes faster.
void add_findings(std::vector<Block>& blocks, const RunFindings& findings) {
    const auto found = findings_on(findings.run, findings.summary, findings.bounds);
    if (!found.empty()) {
        blocks.emplace_back(Heading{title_of(found, findings.summary)});
        blocks.emplace_back(ranking_of(found));
    }
    const Reach all = reach_of(findings.run, findings.summary, findings.bounds);
    if (const std::string closing = closing_sentence(findings.run, all); !closing.empty()) {
        blocks.emplace_back(Paragraph{closing});
    }
    const auto near = findings_at_ceilings(findings.run, findings.summary, findings.bounds, found);
    if (!near.empty()) {
        blocks.emplace_back(Heading{"Near their ceilings"});
        blocks.emplace_back(ranking_of(near));
    }
}

}  // namespace

std::string lead_of(const RunFindings& findings) {
    const Run& run = findings.run;
    const Settings& settings = run.settings;
    const Budget& budget = findings.summary.budget;
    const auto& time = budget.end_to_end ? budget.end_to_end : budget.steps;
    std::string lead = fmt::format("{}, batch {}, {}: ", settings.network, settings.batch,
                                   text_of(settings, "mode"));
    if (!budget.is_whole) {
        return lead +
               fmt::format("incomplete: {}. The time of the whole is not known.", holes_text(run));
    }
    if (!time) {
        return lead + "nothing was timed.";
    }
    lead += duration(time->median);
    lead += budget.end_to_end ? "" : " in the steps that ran";
    const Reach all = reach_of(run, findings.summary, findings.bounds);
    const std::string_view whose = run.ran_on_gpu() ? "GPU's" : "machine's";
    if (!all.has_ceiling) {
        return lead + fmt::format("; how close it is to the {} ceilings is not known.", whose);
    }
    // The ceilings are those of the steps, so they say nothing about a longer iteration.
    if (std::abs((time->median - all.median).value) > min_told_rest * time->median.value) {
        lead += fmt::format(" end to end; the steps take {} of it", duration(all.median));
    }
    const std::string share = percent(all.at_ceilings() / all.judged());
    lead += all.unjudged > Seconds{}
                ? fmt::format(", of which {} reach {} of the {} ceilings and {} have none.",
                              duration(all.judged()), share, whose, duration(all.unjudged))
                : fmt::format(", at {} of the {} ceilings.", share, whose);
    const std::string most = largest_gain_text(run, findings.summary, findings.bounds);
    return most.empty() ? lead : fmt::format("{} Most could be saved in {}.", lead, most);
}

Doubts doubts_of(const Run& run) {
    Doubts doubts;
    for (const Flag& flag : run.flags) {
        doubts.doubts.push_back({kind_text(flag), flag.sentence});
    }
    return doubts;
}

std::vector<Block> warning_blocks(const Run& run) {
    std::vector<Block> blocks;
    if (const std::string sentence = incompleteness_sentence(run); !sentence.empty()) {
        blocks.emplace_back(Paragraph{sentence});
    }
    if (run.state == RunState::partial) {
        blocks.emplace_back(Paragraph{std::string(partial_warning)});
    }
    return blocks;
}

std::vector<Block> advice_blocks(const RunFindings& findings) {
    std::vector<Block> blocks;
    add_findings(blocks, findings);
    if (const std::string remark = algorithm_remark(findings.run); !remark.empty()) {
        blocks.emplace_back(Paragraph{remark});
    }
    for (const auto& remark : general_remarks(findings.run, findings.summary)) {
        blocks.emplace_back(Paragraph{remark});
    }
    return blocks;
}

}  // namespace strata
