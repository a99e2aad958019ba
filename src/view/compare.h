// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/gate.h"
#include "report/document.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace strata {

// Two sides of a comparison, each of one or more runs with the same settings:
//
//   alexnet, batch 32: fuse default → on, runs 12 and 13
//   layer          pass     before [ms]  after [ms]  after / before     verdict
//   conv1 + relu1  forward  1.32 ± 0.01  1.12 ± 0.01  0.85 (0.83-0.87)  faster
//   pool1          forward  0.31 ± 0.01  0.31 ± 0.01  1.00 (0.99-1.01)  same
//   end to end
struct ComparedRuns {
    std::span<const Run> before;
    std::span<const Run> after;
};

// A layer's time on each side of a comparison, all passes together.
struct LayerBar {
    std::string name;
    std::vector<Seconds> times;
};

// Each side's iteration as a bar of its heaviest layers.
StackedBars heaviest_layers(std::vector<std::string> labels, std::vector<LayerBar> layers);

// "faster", "cannot tell"; "not comparable" without a verdict.
std::string verdict_text(const std::optional<Verdict>& verdict);

// "run 12", "runs 12, 14 and 16"
std::string runs_text(std::span<const Run> runs);

// The answer: "Run 13 (fuse on) is 1.18 times as fast as run 12 (fuse default) (1.16 to
// 1.20): 112 ms against 132 ms."
// Without a whole iteration, it compares the sum of the steps that both sides have.
std::string comparison_lead(const Comparison& comparison, const ComparedRuns& runs);

// What a gate reports unless it passes: "Run 13 takes 1.18 times as long as run 12 (1.16 to 1.20):
// 132 ms against 112 ms. --fail-on allows 3 %.", or why it cannot be judged. Empty if it passes.
std::string gate_sentence(const Gate& gate, const Comparison& comparison, const ComparedRuns& runs);

// A row for each layer and pass, then what only one side has, the time outside the steps, and the
// whole iteration, which is their sum.
Table comparison_table(const Comparison& comparison, const ComparedRuns& runs);

// Only the table.
Document pair_document(const Run& before, const Run& after);

// Answer, table, times by class of operator, and the charts: each side's iteration by its layers
// (Kim et al. 2017, figure 4), and the speed-up of each layer over its time (Dong et al. 2018).
Document comparison_document(const ComparedRuns& runs, const ComparisonRules& rules);

// One of "pairs" of `run --json` (docs/schema/run.json).
nlohmann::ordered_json pair_json(const Run& before, const Run& after);

// The output of `compare --json` for two sides (docs/schema/compare.json). A side without runs has
// no ids; the comparison says why.
nlohmann::ordered_json comparison_json(const Comparison& comparison, const ComparedRuns& runs);

}  // namespace strata
