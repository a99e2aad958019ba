// SPDX-License-Identifier: MIT
#include "view/show.h"

#include "graph/builder.h"
#include "report/csv.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::zoo_graph;

TEST(Show, TellsANetworkLayerByLayer) {
    const Document document = show_document(zoo_graph("alexnet", 32), conventions().front(), {});
    testing::expect_golden("view/show-alexnet-32.txt",
                           render_terminal(document, {.width = 120, .unicode = true}));
}

TEST(Show, GivesMachinesWholeNumbers) {
    const Document document = show_document(zoo_graph("alexnet", 32), conventions().front(), {});
    testing::expect_golden("view/show-alexnet-32.csv", render_csv(document));
}

TEST(Show, InferenceHasNoBackwardPasses) {
    const Document document =
        show_document(zoo_graph("alexnet", 1), conventions().front(), {.mode = Mode::inference});
    const auto& table = std::get<Table>(document.blocks.front());
    EXPECT_EQ(table.columns[5].key, "flops_backward_data");
    for (const auto& row : table.rows) {
        EXPECT_TRUE(std::holds_alternative<Missing>(row[5]));
    }
}

TEST(Show, SaysWhichLayersNothingHereComputesAndWhy) {
    GraphBuilder builder("foreign");
    const TensorId x = builder.input("x", {{4}});
    builder.place("odd", Opaque{"Frobnicate", "this operator is not known"}, {x},
                  {{"y", {{4}}, Role::activation}});
    builder.add("known", Activation{}, {x});
    const Document document = show_document(builder.finish(), conventions().front(), {});
    EXPECT_EQ(std::get<Table>(document.blocks.front()).notes.back(),
              "1 of 2 layers cannot be computed here and are skipped by a run, their work is not "
              "counted: Frobnicate: this operator is not known");
}

}  // namespace
}  // namespace strata
