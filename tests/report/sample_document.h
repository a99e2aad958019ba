// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <limits>

namespace strata::testing {

// A document with every kind of block and cell, and names as a hostile file might contain.
inline Document sample_document() {
    const Number exact{.value = 0.0123456,
                       .unit = "s",
                       .low = 0.0122,
                       .high = 0.0125,
                       .provenance = Provenance::measured};
    const Number rough{.value = 0.00012,
                       .unit = "s",
                       .low = 0.00010,
                       .high = 0.00013,
                       .provenance = Provenance::measured};
    Table table{
        .title = "layers",
        .columns = {{"name", "layer", Importance::essential},
                    {"time_s", "time", Importance::essential, Audience::all, Bounds::interval},
                    {"rate", "", Importance::normal},
                    {"parameters", "parameters", Importance::normal},
                    {"implementation", "implementation", Importance::detail}},
        .rows = {{"conv1", exact, Number{.value = 94.1e9, .unit = "FLOP/s"}, Number{.value = 34944},
                  "jit:avx512_core"},
                 {"<script>alert(1)</script>", rough, Missing{}, Number{.value = 0}, "a|b, \"c\""},
                 {"norm1", Missing{"not in this backend"}, Missing{"nothing to count"}, Missing{},
                  ""},
                 {"nan", Missing{"not in this backend"},
                  Number{.value = std::numeric_limits<double>::quiet_NaN(), .unit = "FLOP/s"},
                  Missing{}, ""}},
        .totals = {{"total", Number{.value = 0.0124656, .unit = "s"},
                    Number{.value = 91e9, .unit = "FLOP/s", .provenance = Provenance::modelled},
                    Number{.value = 34944}, ""}},
        .notes = {"by the convention multiply-add-2"},
        .records = "layers"};
    StackedBars bars{.title = "time per layer",
                     .unit = "s",
                     .labels = {"conv1", "<b>fc8</b>"},
                     .series = {{"forward", {0.008, 0.001}}, {"backward_data", {0.004, {}}}}};
    RooflineChart roofline{
        .title = "roofline",
        .roofs = {{.name = "FMA f32", .compute = FlopRate{200e9}},
                  {.name = "DRAM", .bandwidth = Bandwidth{20e9}}},
        .points = {{"conv1", "forward", Intensity{50}, FlopRate{94.1e9}, 0.6},
                   {"fc8 </script>", "forward", Intensity{0.5}, FlopRate{5e9}, 0.1}}};
    XyChart over{
        .title = "time over work",
        .x = {.key = "work_flop", .title = "work", .unit = "FLOP"},
        .y = {.key = "time_s", .title = "time", .unit = "s"},
        .series = {{"measured",
                    Mark::points,
                    {{"hidden 64", 1e9, 0.011, 0.010, 0.012}, {"<b>128</b>", 4e9, 0.041, {}, {}}}},
                   {"the line", Mark::line, {{"at none", 0, 0.001}, {"", 4e9, 0.041}}}}};
    Table tree{
        .title = "by block",
        .columns = {{"block", "block", Importance::essential},
                    {"layer", "layer", Importance::essential},
                    {.key = "share_percent", .title = "share", .form = CellForm::bar},
                    {.key = "ceiling_percent", .title = "ceiling", .form = CellForm::gauge}},
        .rows = {{"stem", "", Number{.value = 60, .unit = "%"}, Number{.value = 91, .unit = "%"}},
                 {"stem", "<i>conv1</i>", Number{.value = 50, .unit = "%"}, Missing{}},
                 {"stem", "relu1", Number{.value = 10, .unit = "%"}, Missing{}},
                 {"head", "", Number{.value = 40, .unit = "%"}, Missing{"no ceilings"}},
                 {"head", "fc8", Number{.value = 40, .unit = "%"}, Missing{"no ceilings"}}},
        .levels = {0, 1, 1, 0, 1}};
    Table machine{.title = "machine",
                  .columns = {{"what", "what"}, {"value", "value"}},
                  .rows = {{"cpu", "Xeon \x1b[31m& sons"}, {"threads", Number{.value = 2}}},
                  .folding = Folding::folded};
    return {.title = "A sample & its blocks",
            .blocks = {Lead{"12.3 ms, of which <b>half</b> could be won."},
                       Heading{"Where the time goes"},
                       Paragraph{"conv1 takes 60 % of the step: only a cheaper algorithm helps."},
                       Ranking{{"conv1 is the heaviest.", "<i>fc8</i> comes next."},
                               {"strata run 'a<b>' --batch 64"}},
                       Doubts{{{"drift", "The <b>iterations</b> slowed by 0.8 %."}}},
                       Tiles{{{"end_to_end_s", "end to end", exact, "10 iterations"},
                              {"residual", "residual", Missing{"not measured"}},
                              {"origin", "origin", "measured"}}},
                       std::move(table), std::move(bars), std::move(roofline), std::move(over),
                       std::move(tree), std::move(machine)}};
}

}  // namespace strata::testing
