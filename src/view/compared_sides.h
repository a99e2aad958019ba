// SPDX-License-Identifier: MIT
#pragma once

#include "view/compare.h"

namespace strata {

// One side of a comparison: its runs, or why there are none.
struct ComparedSide {
    std::span<const Run> runs = {};
    std::string name = {};     // what distinguishes it: "pytorch"; may be empty
    std::string refusal = {};  // empty: it has runs
};

// Compares each further side with the first. If there are more than two, or one was refused, an
// overview precedes the comparisons; its bars are the sides' iterations (Kim et al. 2017, figure
// 4):
//
//   side      runs              end to end    ratio               verdict
//   onednn    runs 1, 5 and 9   112 ± 1 ms
//   pytorch   runs 2, 6 and 10  147 ± 1 ms    1.31 (1.29-1.33)    slower
//   jax       —                 — (JAX is not there: run scripts/peers)
//
// Requires: one side has runs.
std::vector<Document> comparison_documents(std::span<const ComparedSide> sides,
                                           const ComparisonRules& rules);

// The answer of `compare --json` (docs/schema/compare.json): the first two sides that have runs,
// then, as "others", each further one with the first, and the sides that have none as "skipped".
nlohmann::ordered_json comparisons_json(std::span<const ComparedSide> sides,
                                        const ComparisonRules& rules);

}  // namespace strata
