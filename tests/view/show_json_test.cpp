// SPDX-License-Identifier: MIT
#include "graph/builder.h"
#include "graph/memory.h"
#include "networks/network.h"
#include "tests/support/scripted_run.h"
#include "view/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

nlohmann::json json_of_network(const Graph& graph, const Execution& execution = {}) {
    return nlohmann::json::parse(
        show_json(graph, conventions().front(), execution)
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

TEST(ShowJson, KeepsTheContractForScripts) {
    const auto json = json_of_network(testing::zoo_graph("alexnet", 2));
    EXPECT_EQ(json["network"], "alexnet");
    EXPECT_EQ(json["batch"], 2);
    EXPECT_EQ(json["convention"], "multiply-add-2");
    const auto& conv1 = json["layers"][0];
    EXPECT_EQ(conv1["layer"], "conv1");
    EXPECT_EQ(conv1["operator"], "convolution");
    EXPECT_EQ(conv1["inputs"], nlohmann::json::parse("[[2,3,227,227]]"));
    EXPECT_EQ(conv1["output"], nlohmann::json::parse("[2,96,55,55]"));
    EXPECT_EQ(conv1["parameters"], 34944);
    EXPECT_EQ(conv1["work"]["forward"]["flops"], 2LL * 2 * 96 * 55 * 55 * 3 * 11 * 11);
    EXPECT_TRUE(conv1["work"]["forward"]["bytes_read"].is_number_integer());
    EXPECT_TRUE(conv1["work"]["forward"]["bytes_written"].is_number_integer());
    EXPECT_EQ(json["totals"]["parameters"], 60965224);
}

TEST(ShowJson, LayersHaveTheirAliasAndTheirSourceLine) {
    Graph graph = testing::zoo_graph("alexnet", 2);
    graph.layers[0].alias = "node_Conv_507";
    graph.layers[0].source = "net.py:12";
    const auto json = json_of_network(graph);
    EXPECT_EQ(json["layers"][0]["alias"], "node_Conv_507");
    EXPECT_EQ(json["layers"][0]["source"], "net.py:12");
    EXPECT_TRUE(json["layers"][1]["alias"].is_null());
    EXPECT_TRUE(json["layers"][1]["source"].is_null());
}

TEST(ShowJson, TotalsAreSumsOfTheLayers) {
    const auto json = json_of_network(testing::zoo_graph("alexnet", 2));
    std::int64_t flops = 0, parameters = 0;
    for (const auto& layer : json["layers"]) {
        flops += layer["work"]["forward"]["flops"].get<std::int64_t>();
        parameters += layer["parameters"].get<std::int64_t>();
    }
    EXPECT_EQ(json["totals"]["flops_forward"], flops);
    EXPECT_EQ(json["totals"]["parameters"], parameters);
}

TEST(ShowJson, TheFirstLayersDataGradientIsCountedOnlyOnRequest) {
    const Graph graph = testing::zoo_graph("alexnet", 2);
    EXPECT_TRUE(json_of_network(graph)["layers"][0]["work"]["backward_data"].is_null());
    const auto asked = json_of_network(
        graph, {.numerics = {.first_layer_gradient = FirstLayerGradient::computed}});
    EXPECT_EQ(asked["layers"][0]["work"]["backward_data"]["flops"],
              asked["layers"][0]["work"]["forward"]["flops"]);
}

TEST(ShowJson, APassThatALayerDoesNotHaveIsNull) {
    const auto relu = json_of_network(testing::zoo_graph("alexnet", 2))["layers"][1];
    EXPECT_EQ(relu["operator"], "relu");
    EXPECT_TRUE(relu["work"]["backward_weights"].is_null());
    EXPECT_TRUE(relu["work"]["backward_data"].is_object());
}

TEST(ShowJson, MemoryIsThatOfTheLivenessPlan) {
    const Graph graph = testing::zoo_graph("alexnet", 2);
    const auto totals = json_of_network(graph)["totals"];
    EXPECT_EQ(totals["memory_training"]["peak_bytes"], footprint_of(graph, {}).peak.value);
    EXPECT_EQ(
        totals["memory_inference"]["peak_bytes"],
        footprint_of(for_inference(graph), {.numerics = {.mode = Mode::inference}}).peak.value);
}

TEST(ShowJson, ListsAllActivationsOfALayerAndNoParameter) {
    GraphBuilder builder("sum");
    const auto a = builder.input("a", {{4, 8}});
    const auto b = builder.input("b", {{4, 8}});
    builder.add("add", Elementwise{}, {a, b});
    EXPECT_EQ(json_of_network(builder.finish())["layers"][0]["inputs"],
              nlohmann::json::parse("[[4,8],[4,8]]"));
}

TEST(ShowJson, BrokenNamesStillGiveValidJson) {
    GraphBuilder builder("\xFF\"");
    builder.add("relu\n", Activation{}, {builder.input("x", {{4}})});
    EXPECT_EQ(json_of_network(builder.finish())["layers"][0]["layer"], "relu\n");
}

}  // namespace
}  // namespace strata
