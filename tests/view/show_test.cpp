// SPDX-License-Identifier: MIT
#include "view/show.h"

#include "graph/builder.h"
#include "measure/memory_use.h"
#include "report/data.h"
#include "report/json.h"
#include "report/render.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"
#include "view/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

using testing::zoo_graph;

TEST(Show, ShowsANetworkLayerByLayer) {
    const Document document = show_document(zoo_graph("alexnet", 32), conventions().front(), {});
    testing::expect_golden("view/show-alexnet-32.txt",
                           render_terminal(document, {.width = 120, .unicode = true}));
}

TEST(Show, GivesMachinesUnroundedNumbers) {
    const Document document = show_document(zoo_graph("alexnet", 32), conventions().front(), {});
    testing::expect_golden("view/show-alexnet-32.csv", render_csv(data_of(document)));
}

TEST(Show, InferenceHasNoBackwardPasses) {
    const Document document = show_document(zoo_graph("alexnet", 1), conventions().front(),
                                            {.numerics = {.mode = Mode::inference}});
    const auto& table = std::get<Table>(document.blocks.front());
    EXPECT_EQ(table.columns[7].key, "flops_backward_data");
    for (const auto& row : table.rows) {
        EXPECT_TRUE(std::holds_alternative<Missing>(row[7]));
    }
}

TEST(Show, UnknownWorkIsMissingAndNotZero) {
    const Graph graph = {.name = "foreign",
                         .tensors = {{.name = "x", .tensor = {{4}}, .role = Role::input},
                                     {.name = "y", .tensor = {{0}}}},
                         .layers = {{.name = "odd",
                                     .op = Opaque{.foreign_type = "Odd"},
                                     .inputs = {0},
                                     .outputs = {1}}},
                         .inputs = {0},
                         .outputs = {1}};
    const Document document = show_document(graph, conventions().front(), {});
    const auto& table = std::get<Table>(document.blocks.front());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].key == "output" || table.columns[i].key == "traffic_bytes") {
            EXPECT_TRUE(std::holds_alternative<Missing>(table.rows[0][i])) << table.columns[i].key;
        }
    }
    EXPECT_EQ(std::get<Table>(document.blocks.back()).notes.back(),
              "A lower bound: the shapes of 1 tensors are unknown.");
}

Graph from_a_program() {
    GraphBuilder builder("exported");
    builder.add("layer1.relu", Activation{}, {builder.input("x", {{4}})});
    Graph graph = builder.finish();
    graph.layers[0].alias = "node_relu_7";
    graph.layers[0].source = "models/net.py:12";
    graph.training_doubts = {"its normalisation is folded"};
    return graph;
}

TEST(Show, ShowsTheSourceLineIfTheFileStatesIt) {
    const Document document = show_document(from_a_program(), conventions().front(), {});
    const auto& table = std::get<Table>(document.blocks.front());
    const std::size_t at = table.columns.size() - 2;
    EXPECT_EQ(table.columns[at].key, "source");
    EXPECT_EQ(std::get<std::string>(table.rows[0][at]), "models/net.py:12");
    EXPECT_EQ(table.columns[at + 1].key, "alias");
    EXPECT_EQ(std::get<std::string>(table.rows[0][at + 1]), "node_relu_7");
    EXPECT_EQ(table.totals[0].size(), table.columns.size());
}

TEST(Show, DoubtsAboutTrainingAreBelowATrainingStepOnly) {
    const auto last_note = [](Mode mode) {
        const Document document =
            show_document(from_a_program(), conventions().front(), {.numerics = {.mode = mode}});
        return std::get<Table>(document.blocks.front()).notes.back();
    };
    EXPECT_EQ(last_note(Mode::training), "its normalisation is folded");
    EXPECT_NE(last_note(Mode::inference), "its normalisation is folded");
}

TEST(Show, SaysWhichLayersCannotBeComputedAndWhy) {
    GraphBuilder builder("foreign");
    const TensorId x = builder.input("x", {{4}});
    builder.place("odd", Opaque{"Frobnicate", "this operator is not supported"}, {x},
                  {{"y", {{4}}, Role::activation}});
    builder.add("known", Activation{}, {x});
    const Document document = show_document(builder.finish(), conventions().front(), {});
    EXPECT_EQ(
        std::get<Table>(document.blocks.front()).notes.back(),
        "1 of 2 layers cannot be computed here, and a run skips them; the work of these is "
        "unknown, so the totals are lower bounds: Frobnicate: this operator is not supported");
    EXPECT_EQ(std::get<std::string>(std::get<Table>(document.blocks.front()).totals[0][2]),
              "total, at least");
}

constexpr std::int64_t many = 20000;

Graph chain_of_many() {
    GraphBuilder builder("chain");
    TensorId x = builder.input("x", {{1, 8}});
    for (std::int64_t i = 0; i < many; ++i) {
        x = builder.add("rectifier" + std::to_string(i), Activation{}, {x});
    }
    return builder.finish();
}

// The maximum growth of the process, in bytes per layer.
template <class Work>
double max_bytes_by_layer(Work&& work) {
    reset_peak_memory();
    const double before = read_memory_use().resident.value_or(Bytes{}).value;
    work();
    const double after = read_memory_use().peak.value_or(Bytes{}).value;
    return (after - before) / static_cast<double>(many);
}

TEST(Show, HoldsALongTableOnce) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps what was freed";
#endif
    const Graph graph = chain_of_many();
    const double bytes = max_bytes_by_layer([&] {
        const Document document =
            show_document(graph, conventions().front(), {.numerics = {.mode = Mode::inference}});
        EXPECT_FALSE(render_terminal(document, {}).empty());
    });
    EXPECT_LT(bytes, 2700);
}

TEST(Show, HoldsALongListOfJsonOnce) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps what was freed";
#endif
    const Graph graph = chain_of_many();
    const double bytes = max_bytes_by_layer([&] {
        auto members = nlohmann::ordered_json::object();
        members["networks"].push_back(
            show_json(graph, conventions().front(), {.numerics = {.mode = Mode::inference}}));
        EXPECT_FALSE(json_text("show", "0", std::move(members)).empty());
    });
    EXPECT_LT(bytes, 2700);
}

}  // namespace
}  // namespace strata
