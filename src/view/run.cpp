// SPDX-License-Identifier: MIT
#include "view/run.h"

#include "analyze/above_roof.h"
#include "view/budget_table.h"
#include "view/cells.h"
#include "view/counter_tables.h"
#include "view/fused.h"
#include "view/machine.h"
#include "view/predicted.h"
#include "view/recount.h"
#include "view/run_sections.h"
#include "view/trace_blocks.h"
#include "view/verdict.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace strata {

namespace {

// How many rows the first page shows.
constexpr std::size_t max_rows = 10;

// The requested steps; the first page has only their heaviest families.
Table main_table(const RunFindings& findings, const StepFilter& filter,
                 std::span<const Grouping> by, Extent extent) {
    if (!by.empty()) {
        return rollup_table(findings, by, filter);
    }
    return extent == Extent::whole ? steps_table(findings, filter)
                                   : heaviest_table(findings, max_rows);
}

// Adds what few readers need at once.
void add_further(std::vector<Block>& blocks, const RunFindings& findings,
                 const StepFilter& filter) {
    const Run& run = findings.run;
    if (Table fused = fused_table(findings); !fused.rows.empty()) {
        blocks.emplace_back(std::move(fused));
    }
    if (run.origin != Origin::modelled) {  // a prediction's total is the sum of its steps
        blocks.emplace_back(budget_table(findings.summary.budget, times_of(run.origin)));
    }
    add_sections(blocks, run);
    std::ranges::move(profile_blocks(run, filter), std::back_inserter(blocks));
}

}  // namespace

std::vector<Block> profile_blocks(const Run& run, const StepFilter& filter) {
    std::vector<Block> blocks = trace_blocks(run, filter);
    for (Table& table : counter_tables(run, metric_catalogue(), filter)) {
        blocks.emplace_back(std::move(table));
    }
    return blocks;
}

Document run_document(const Run& run, const StepFilter& filter, const Convention& convention,
                      std::span<const Grouping> by, Extent extent) {
    const Run counted = counted_by(convention, run);
    const RunFindings findings = {.run = counted,
                                  .summary = summarise(counted),
                                  .bounds = bounds_of(run),
                                  .convention = convention.name};
    Document document{settings_line(run), warning_blocks(run)};
    auto& blocks = document.blocks;
    blocks.emplace_back(Lead{lead_of(findings)});
    for (const std::string& line :
         {machine_line(run), device_line(run), annotation_line(run), verification_line(run)}) {
        if (!line.empty()) {
            blocks.emplace_back(Paragraph{line});
        }
    }
    if (Doubts doubts = doubts_of(run); !doubts.doubts.empty()) {
        blocks.emplace_back(std::move(doubts));
    }
    std::ranges::move(advice_blocks(findings), std::back_inserter(blocks));
    if (by.empty() && !run.steps.empty()) {
        Table groups = rollup_table(findings, std::array{Grouping::operation});
        groups.records.clear();
        groups.title = "Time by operator";
        blocks.emplace_back(std::move(groups));
    }
    blocks.emplace_back(main_table(findings, filter, by, extent));
    for (const std::string& sentence : roof_sentences(run)) {
        blocks.emplace_back(Paragraph{sentence});
    }
    add_further(blocks, findings, filter);
    return document;
}

}  // namespace strata
