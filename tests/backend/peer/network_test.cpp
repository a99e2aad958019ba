// SPDX-License-Identifier: MIT
#include "backend/peer/network.h"

#include "backend/gradients.h"
#include "backend/inputs.h"
#include "op/problem.h"
#include "op/text.h"
#include "op/window.h"
#include "tests/backend/networks.h"
#include "tests/backend/problems.h"
#include "tests/backend/verified.h"

#include <gtest/gtest.h>

#include <fstream>

namespace strata {
namespace {

using Json = nlohmann::json;

// An attribute's text as op/text.h writes it.
std::string text_of(const Json& value) {
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_boolean()) {
        return attribute_text(value.get<bool>());
    }
    if (value.is_array()) {
        return attribute_text(value.get<Dims>());
    }
    return value.is_number_integer() ? attribute_text(value.get<std::int64_t>())
                                     : attribute_text(value.get<double>());
}

class EveryOperator : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryOperator, IsSentWithAllItsAttributes) {
    const Graph graph = testing::graph_of_problem(GetParam());
    const Json told = network_json(graph, testing::kept_execution());
    ASSERT_EQ(told["layers"].size(), graph.layers.size());
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
        const Op& op = graph.layers[i].op;
        const Json& layer = told["layers"][i];
        EXPECT_EQ(layer["type"], type_of(op));
        for (const Attribute& attribute : attributes_of(op)) {
            const Json& value = layer["attributes"].at(attribute.name);
            const bool is_window = value.is_array() && layer["attributes"].contains("kernel");
            EXPECT_TRUE(is_window || text_of(value) == attribute.value)
                << attribute.name << " is " << value << ", not " << attribute.value;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Problems, EveryOperator, ::testing::ValuesIn(testing::operator_problems()),
                         testing::name_of_case);

TEST(NetworkForPeers, HasWindowsWithoutDefaults) {
    const Graph graph = testing::graph_of_problem("pooling(1x2x6x5) global=true");
    const Json attributes = network_json(graph, {})["layers"].back()["attributes"];
    EXPECT_EQ(attributes["kernel"], Json({6, 5}));
    EXPECT_EQ(attributes["stride"].size(), 2U);
    EXPECT_EQ(attributes["pad_end"], Json({0, 0}));
}

TEST(NetworkForPeers, HasEveryTensorAndEveryTaskOfTheSchedule) {
    const Graph graph = testing::residual_network();
    const Execution execution = testing::kept_execution();
    const Json told = network_json(graph, execution);
    ASSERT_EQ(told["tensors"].size(), graph.tensors.size());
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        EXPECT_EQ(told["tensors"][i]["dims"], Json(graph.tensors[i].tensor.dims));
        EXPECT_EQ(told["tensors"][i]["role"], name_of(graph.tensors[i].role));
    }
    const Schedule schedule = schedule_of(graph, execution);
    const auto first = first_gradients(graph, schedule);
    ASSERT_EQ(told["tasks"].size(), schedule.tasks.size());
    for (std::size_t i = 0; i < schedule.tasks.size(); ++i) {
        EXPECT_EQ(told["tasks"][i]["layer"], schedule.tasks[i].layer);
        EXPECT_EQ(told["tasks"][i]["pass"], name_of(schedule.tasks[i].pass));
        const auto receives = gradient_operands(graph, schedule, schedule.tasks[i]);
        EXPECT_EQ(told["tasks"][i]["gradients"].size(),
                  static_cast<std::size_t>(std::ranges::count(receives, true)));
        for (const Json& gradient : told["tasks"][i]["gradients"]) {
            EXPECT_EQ(gradient["first"].get<bool>(),
                      first[i][gradient["operand"].get<std::size_t>()]);
        }
    }
}

TEST(NetworkForPeers, SaysWhatToOmitAndWhy) {
    const Graph graph = testing::residual_network();
    Execution execution = testing::kept_execution();
    execution.scheduling.omissions = {{graph.layers[0].name, Pass::forward, "it crashed"}};
    EXPECT_EQ(network_json(graph, execution)["tasks"][0]["omitted"], "it crashed");
}

TEST(NetworkForPeers, TransfersItsValuesBitByBit) {
    const Graph graph = testing::branching_network();
    const Execution execution = testing::kept_execution();
    const auto path = std::filesystem::path(::testing::TempDir()) / "peer-values.f32";
    const Json places = write_values(graph, execution, path);
    std::ifstream file(path, std::ios::binary);
    std::size_t scales = 0;
    for (const Json& place : places) {
        HostValues values(place["count"].get<std::size_t>());
        file.seekg(static_cast<std::streamoff>(place["offset"].get<std::size_t>() * sizeof(float)));
        file.read(reinterpret_cast<char*>(values.data()),
                  static_cast<std::streamsize>(values.size() * sizeof(float)));
        ASSERT_TRUE(file);
        if (place["content"] == "value") {
            EXPECT_EQ(values, initial_values(graph, place["tensor"].get<std::size_t>(), 1));
        }
        scales += place["content"] == "scale" ? 1U : 0U;
    }
    EXPECT_EQ(scales,
              static_cast<std::size_t>(std::ranges::count_if(graph.layers, [](const Layer& layer) {
                  return std::holds_alternative<Dropout>(layer.op);
              })));
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace strata
