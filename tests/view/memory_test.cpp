// SPDX-License-Identifier: MIT
#include "view/memory.h"

#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"
#include "view/json.h"

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

TEST(MemoryView, ShowsEachLayersShareAndWhereThePeakIs) {
    testing::expect_golden("view/memory-alexnet-32.txt",
                           terminal(memory_document(zoo_graph("alexnet", 32), {})));
}

TEST(MemoryView, PutsBatchesBesideEachOther) {
    testing::expect_golden(
        "view/memory-alexnet-batches.txt",
        terminal(memory_by_batch_document(alexnets(), {.numerics = {.optimizer = Adam{}}})));
}

TEST(MemoryView, LayersOfTheJsonAddUpToItsPeak) {
    const auto json = memory_json(std::vector{zoo_graph("alexnet", 32)}, {})["batches"][0];
    std::int64_t sum = json["outside"]["at_peak_bytes"];
    for (const auto& layer : json["layers"]) {
        sum += layer["at_peak_bytes"].get<std::int64_t>();
    }
    EXPECT_EQ(sum, json["peak"]["peak_bytes"].get<std::int64_t>());
    EXPECT_EQ(json["total"]["at_peak_bytes"], json["peak"]["peak_bytes"]);
    EXPECT_EQ(json["layers"].size(), 23U);
    EXPECT_TRUE(json["peak"]["layer"].is_string());
}

TEST(MemoryView, AnAdditionalImageCostsTheDifferenceOfTheTwoLargestBatches) {
    const auto json = memory_json(alexnets(), {});
    const double last = json["batches"][2]["peak"]["peak_bytes"];
    const double before = json["batches"][1]["peak"]["peak_bytes"];
    EXPECT_EQ(json["bytes_per_example"], (last - before) / 32);
    EXPECT_EQ(json["batches"][0]["batch"], 1);
}

TEST(MemoryView, InferenceNamesNoOptimizer) {
    const std::string text =
        terminal(memory_document(zoo_graph("alexnet", 1), {.numerics = {.mode = Mode::inference}}));
    EXPECT_EQ(text.find("momentum"), std::string::npos);
    EXPECT_NE(text.find("inference"), std::string::npos);
}

}  // namespace
}  // namespace strata
