// SPDX-License-Identifier: MIT
#include "view/memory.h"

#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace strata {
namespace {

using testing::zoo_graph;

std::vector<Graph> alexnets() {
    return {zoo_graph("alexnet", 1), zoo_graph("alexnet", 32), zoo_graph("alexnet", 64)};
}

std::string terminal(const Document& document) {
    return render_terminal(document, {.width = 120, .unicode = true});
}

TEST(MemoryView, TellsEachLayersShareAndWhereThePeakIs) {
    testing::expect_golden("view/memory-alexnet-32.txt",
                           terminal(memory_document(zoo_graph("alexnet", 32), {})));
}

TEST(MemoryView, PutsBatchesBesideEachOther) {
    testing::expect_golden("view/memory-alexnet-batches.txt",
                           terminal(memory_by_batch_document(alexnets(), {.optimizer = Adam{}})));
}

TEST(MemoryView, LayersOfTheJsonAddUpToItsPeak) {
    const auto json = nlohmann::json::parse(memory_json(zoo_graph("alexnet", 32), {}));
    std::int64_t sum = json["outside"]["at_peak"];
    for (const auto& layer : json["layers"]) {
        sum += layer["at_peak"].get<std::int64_t>();
    }
    EXPECT_EQ(sum, json["peak"]["bytes"].get<std::int64_t>());
    EXPECT_EQ(json["total"]["at_peak"], json["peak"]["bytes"]);
    EXPECT_EQ(json["layers"].size(), 23U);
    EXPECT_TRUE(json["peak"]["layer"].is_string());
}

TEST(MemoryView, AFurtherImageCostsTheDifferenceOfTheTwoLargestBatches) {
    const auto json = nlohmann::json::parse(memory_by_batch_json(alexnets(), {}));
    const double last = json["batches"][2]["peak"]["bytes"];
    const double before = json["batches"][1]["peak"]["bytes"];
    EXPECT_EQ(json["bytes_per_image"], (last - before) / 32);
    EXPECT_EQ(json["batches"][0]["batch"], 1);
}

TEST(MemoryView, ANetworkThatOnlyAnswersNamesNoOptimizer) {
    const std::string text =
        terminal(memory_document(zoo_graph("alexnet", 1), {.mode = Mode::inference}));
    EXPECT_EQ(text.find("momentum"), std::string::npos);
    EXPECT_NE(text.find("inference"), std::string::npos);
}

}  // namespace
}  // namespace strata
