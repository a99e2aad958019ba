// SPDX-License-Identifier: MIT
#include "view/fused.h"

#include "analyze/fused_shares.h"
#include "view/cells.h"

namespace strata {

Table fused_table(const RunFindings& findings) {
    Table table{.title = "Layers of fused steps",
                .columns = {{.key = "within", .title = "step", .importance = Importance::essential},
                            {.key = "layer", .title = "layer", .importance = Importance::essential},
                            {.key = "operator", .title = "operator"},
                            {.key = "pass", .title = "pass", .audience = Audience::data},
                            {.key = "time_s", .title = "time"},
                            {.key = "share_of_step", .title = "share"}},
                .folding = Folding::folded,
                .records = "fused"};
    const Provenance derived = derived_from(findings.run.origin);
    for (const FusedShare& share : fused_shares(findings.run, findings.summary)) {
        const StepResult& within = findings.run.steps[share.within];
        const StepResult& step = findings.run.steps[share.step];
        table.rows.push_back({within.layer + " " + std::string(name_of(within.pass)), step.layer,
                              step.operation, std::string(name_of(step.pass)),
                              time_cell(share.time, derived), percent_cell(share.share, derived)});
    }
    add_origin(table, findings.run.origin);
    table.notes.emplace_back(
        "Derived: a step's measured time, divided in proportion to what each of its layers would "
        "take alone at the ceilings.");
    return table;
}

}  // namespace strata
