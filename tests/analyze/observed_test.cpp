// SPDX-License-Identifier: MIT
#include "analyze/observed.h"

#include "tests/support/error_message.h"
#include "tests/support/observation.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::observed;

Observations three_runs() {
    Observations all;
    all.runs = {observed("modelled:v100", 4, 64, 32, 0.5), observed("onednn", 4, 128, 32, 0.25),
                observed("modelled:v100", 8, 128, 64, 1)};
    all.devices.push_back({.name = "v100", .model = "V100"});
    all.devices[0].compute = {{"f32", {FlopRate{10e9}, "sheet"}},
                              {"f16", {FlopRate{80e9}, "sheet"}}};
    all.runs[0].device = 0;
    all.runs[1].threads = 2;
    return all;
}

TEST(Observed, ANetworksTextGivesItsHyperparameters) {
    const Observation run = observed("modelled:v100", 4, 64, 32, 1);
    EXPECT_EQ(run.family, "fc");
    EXPECT_EQ(parameter_of(run, "nodes"), 64);
    EXPECT_EQ(parameter_of(run, "batch"), 32);
    EXPECT_EQ(parameter_of(run, "threads"), std::nullopt);  // unknown is not 0
    EXPECT_EQ(parameter_of(run, "wings"), std::nullopt);
    EXPECT_EQ(platform_of(run), "v100");
    Observation zoo;
    describe_network("alexnet", zoo);
    EXPECT_EQ(zoo.family, "alexnet");
    EXPECT_TRUE(zoo.parameters.empty());
}

TEST(Observed, MetricsFollowFromTimeWorkAndCeilings) {
    const Observations all = three_runs();
    const Observation& run = all.runs[0];
    EXPECT_EQ(metric_of(all, run, ObservedMetric::throughput), 64);
    EXPECT_EQ(metric_of(all, run, ObservedMetric::rate), 2e9);
    EXPECT_EQ(metric_of(all, run, ObservedMetric::utilisation), 0.2);
    EXPECT_EQ(metric_of(all, run, ObservedMetric::intensity), 10);
    EXPECT_EQ(metric_of(all, all.runs[1], ObservedMetric::utilisation), std::nullopt);
    Observation other = run;
    other.dtype = "bf16";  // no ceiling of its own: the highest
    EXPECT_EQ(metric_of(all, other, ObservedMetric::utilisation), 2e9 / 80e9);
    other.time.reset();
    EXPECT_EQ(metric_of(all, other, ObservedMetric::rate), std::nullopt);
    other.flops = {};
    EXPECT_EQ(metric_of(all, other, ObservedMetric::work), std::nullopt);
}

TEST(Observed, ConditionsSelectByNameAndByNumber) {
    const auto count = [](std::initializer_list<const char*> texts) {
        std::vector<RunCondition> conditions;
        for (const char* text : texts) {
            conditions.push_back(parse_condition(text));
        }
        return selected(three_runs(), conditions).runs.size();
    };
    EXPECT_EQ(count({}), 3u);
    EXPECT_EQ(count({"backend=modelled:*"}), 2u);
    EXPECT_EQ(count({"backend!=modelled:*"}), 1u);
    EXPECT_EQ(count({"nodes>=128"}), 2u);
    EXPECT_EQ(count({"nodes>=128", "batch<64"}), 1u);
    EXPECT_EQ(count({"layers!=4"}), 1u);
    EXPECT_EQ(count({"threads=2"}), 1u);
    EXPECT_EQ(count({"wings>0"}), 0u);
    EXPECT_EQ(count({"network=fc:layers=8,nodes=128"}), 1u);
    EXPECT_EQ(count({"family=fc,lstm", "origin=measured"}), 3u);
}

TEST(Observed, InvalidConditionsAreRefused) {
    for (const char* text : {"", "nodes", "=3", "nodes=", "nodes!3", "nodes=>3", "nodes>big",
                             "backend>onednn", "nodes==3"}) {
        const std::string sentence = error_of([&] { parse_condition(text); });
        EXPECT_NE(sentence.find("is not a condition"), std::string::npos) << text << sentence;
    }
}

TEST(Observed, OnlyHyperparametersOfAllRunsThatDifferVary) {
    const Observations all = three_runs();
    std::vector<const Observation*> runs;
    for (const Observation& run : all.runs) {
        runs.push_back(&run);
    }
    EXPECT_EQ(varied_parameters(runs), (std::vector<std::string>{"layers", "nodes", "batch"}));
    runs.pop_back();
    EXPECT_EQ(varied_parameters(runs), std::vector<std::string>{"nodes"});
    EXPECT_TRUE(varied_parameters({}).empty());
    const auto groups = by_backend(all);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].runs.size(), 2u);
}

}  // namespace
}  // namespace strata
