// SPDX-License-Identifier: MIT
#include "view/run.h"

#include "analyze/ran_algorithms.h"
#include "analyze/remarks.h"
#include "record/completeness.h"
#include "view/budget_table.h"
#include "view/cells.h"
#include "view/counter_tables.h"
#include "view/fused.h"
#include "view/infeed.h"
#include "view/machine.h"
#include "view/memory_table.h"
#include "view/recount.h"
#include "view/trace_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace strata {

namespace {

constexpr std::string_view partial_warning =
    "This run was interrupted; it holds what was measured until then, and the same command "
    "continues it.";

Ranking ranking_of(const std::vector<Finding>& findings) {
    Ranking ranking;
    for (const Finding& finding : findings) {
        ranking.items.push_back(finding.sentence);
        ranking.commands.push_back(finding.command);
    }
    return ranking;
}

// What is worth a look, by what could be won or, without ceilings, by its weight.
void add_ranking(std::vector<Block>& blocks, const RunFindings& findings) {
    const auto found = findings_on(findings.run, findings.summary, findings.bounds);
    if (found.empty()) {
        return;
    }
    const bool by_gain = found.front().gain.has_value();
    blocks.emplace_back(Heading{by_gain ? "Largest possible gains"
                                : found.size() == 1
                                    ? "The heaviest step"
                                    : fmt::format("The {} heaviest steps", found.size())});
    blocks.emplace_back(ranking_of(found));
}

// What only less work makes faster.
void add_ceilings(std::vector<Block>& blocks, const RunFindings& findings) {
    const auto found = findings_at_ceilings(findings.run, findings.summary, findings.bounds);
    if (!found.empty()) {
        blocks.emplace_back(Heading{"Near their ceilings"});
        blocks.emplace_back(ranking_of(found));
    }
}

}  // namespace

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

std::vector<Block> verdict_blocks(const RunFindings& findings) {
    std::vector<Block> blocks;
    add_ranking(blocks, findings);
    const Gains gains = gains_of(findings.run, findings.summary, findings.bounds);
    if (const std::string closing = closing_sentence(findings.run, gains); !closing.empty()) {
        blocks.emplace_back(Paragraph{closing});
    }
    add_ceilings(blocks, findings);
    if (const std::string remark = algorithm_remark(findings.run); !remark.empty()) {
        blocks.emplace_back(Paragraph{remark});
    }
    for (const auto& remark : general_remarks(findings.run, findings.summary)) {
        blocks.emplace_back(Paragraph{remark});
    }
    return blocks;
}

std::vector<Block> profile_blocks(const Run& run, const StepFilter& filter) {
    std::vector<Block> blocks = trace_blocks(run, filter);
    for (Table& table : counter_tables(run, metric_catalogue(), filter)) {
        blocks.emplace_back(std::move(table));
    }
    return blocks;
}

Document run_document(const Run& run, const StepFilter& filter, const Convention& convention,
                      std::span<const Grouping> by) {
    const Run counted = counted_by(convention, run);
    const RunFindings findings = {.run = counted,
                                  .summary = summarise(counted),
                                  .bounds = bounds_of(run),
                                  .convention = convention.name};
    Document document{settings_line(run), warning_blocks(run)};
    document.blocks.emplace_back(Paragraph{machine_line(run)});
    if (const std::string device = device_line(run); !device.empty()) {
        document.blocks.emplace_back(Paragraph{device});
    }
    if (const std::string said = annotation_line(run); !said.empty()) {
        document.blocks.emplace_back(Paragraph{said});
    }
    if (const std::string verified = verification_line(run); !verified.empty()) {
        document.blocks.emplace_back(Paragraph{verified});
    }
    document.blocks.emplace_back(by.empty() ? steps_table(findings, filter)
                                            : rollup_table(findings, by, filter));
    if (Table fused = fused_table(findings); !fused.rows.empty()) {
        document.blocks.emplace_back(std::move(fused));
    }
    if (run.origin != Origin::modelled) {  // a prediction's whole is the sum of its steps
        document.blocks.emplace_back(budget_table(findings.summary.budget, times_of(run.origin)));
    }
    document.blocks.emplace_back(memory_table(run));
    std::ranges::move(infeed_blocks(run), std::back_inserter(document.blocks));
    for (auto& block : profile_blocks(run, filter)) {
        document.blocks.push_back(std::move(block));
    }
    if (!run.flags.empty()) {
        document.blocks.emplace_back(flags_table(run));
    }
    for (auto& block : verdict_blocks(findings)) {
        document.blocks.push_back(std::move(block));
    }
    return document;
}

}  // namespace strata
