// SPDX-License-Identifier: MIT
#include "metric/plan.h"
#include "base/error.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

MetricSet sample_set() {
    return {.name = "sample",
            .metrics = {{.name = "rate", .formula = MetricFormula::parse("a / b")},
                        {.name = "sum", .formula = MetricFormula::parse("a + c")}}};
}

MetricPlan plan_without(const std::string& counter) {
    const std::vector sets = {sample_set()};
    return plan_metrics(sets, "GB202", [&](std::string_view asked) -> std::optional<std::string> {
        return asked == counter ? std::optional<std::string>("it is not there") : std::nullopt;
    });
}

TEST(MetricPlan, CountsEachCounterOnce) {
    EXPECT_EQ(plan_without("").counters, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(MetricPlan, CountsNothingForAMetricThatTheChipCannotGive) {
    const MetricPlan plan = plan_without("b");
    EXPECT_EQ(plan.counters, (std::vector<std::string>{"a", "c"}));
    ASSERT_TRUE(plan.metrics[0].gap);
    EXPECT_EQ(plan.metrics[0].gap->reason, "GB202 has no b: it is not there");
    EXPECT_EQ(plan.metrics[0].gap->absence, Absence::not_on_chip);
}

TEST(MetricPlan, GivesEveryMetricAValueOrAReason) {
    const auto values = evaluate(plan_without("b"), {{"a", 1.0}, {"c", 2.0}});
    ASSERT_EQ(values.size(), 2u);
    EXPECT_EQ(std::get<NoValue>(values[0].value).reason, "GB202 has no b: it is not there");
    EXPECT_DOUBLE_EQ(std::get<double>(values[1].value), 3);
}

TEST(MetricPlan, AnUncountedMetricIsNeverZero) {
    for (const EvaluatedMetric& metric : evaluate(plan_without(""), {})) {
        EXPECT_EQ(std::get<NoValue>(metric.value).absence, Absence::not_counted);
    }
}

TEST(MetricPlan, TheDefaultSetsAreMarkedInTheirFiles) {
    MetricSet wanted = sample_set();
    wanted.collected = Collected::by_default;
    const auto sets = default_sets({.sets = {sample_set(), wanted}});
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(sets[0].collected, Collected::by_default);
}

TEST(SetsNamed, AppearOnceInTheOrderOfTheirMention) {
    const MetricCatalogue catalogue = metric_catalogue();
    const std::vector<std::string> names = {"stalls", "default", "memory", "stalls"};
    const auto sets = sets_named(catalogue, names);
    ASSERT_EQ(sets.size(), 1 + default_sets(catalogue).size());
    EXPECT_EQ(sets.front().name, "stalls");
    EXPECT_EQ(sets_named(catalogue, std::vector<std::string>{"all"}).size(), catalogue.sets.size());
    EXPECT_TRUE(sets_named(catalogue, {}).empty());
}

TEST(SetsNamed, AMisspeltOneIsRefused) {
    EXPECT_THROW(sets_named(metric_catalogue(), std::vector<std::string>{"memry"}), Error);
}

TEST(CountingCost, IsKnownBeforeCountingStarts) {
    const CountingCost cost{.counters = 36, .passes = 3, .steps = 24, .iteration = Seconds{0.0138}};
    EXPECT_EQ(cost_sentence(cost),
              "counting 36 counters of 24 steps takes 3 iterations, at least 41.4 ms (13.8 ms "
              "each unobserved)");
}

TEST(CountingCost, OmitsAnUnknownTime) {
    EXPECT_EQ(cost_sentence({.counters = 1, .passes = 1, .steps = 2}),
              "counting 1 counters of 2 steps takes 1 iteration");
}

EvaluatedMetric part(StallCategory category, MetricValue value) {
    return {.metric = {.stall = category}, .value = std::move(value)};
}

MetricValue sync_of(const std::vector<EvaluatedMetric>& metrics) {
    return stalls_by_category(metrics).at(static_cast<std::size_t>(StallCategory::sync));
}

constexpr auto sync = StallCategory::sync;
const NoValue absent{"the chip has none", Absence::not_on_chip};
const NoValue uncounted{"denied", Absence::not_counted};

TEST(Stalls, ACategoryIsTheSumOfItsParts) {
    EXPECT_EQ(sync_of({part(sync, 10.0), part(sync, 5.0), part(StallCategory::other, 7.0)}),
              MetricValue(15.0));
}

TEST(Stalls, APartThatTheChipLacksAddsNothing) {
    EXPECT_EQ(sync_of({part(sync, absent), part(sync, 5.0)}), MetricValue(5.0));
    EXPECT_EQ(sync_of({part(sync, 5.0), part(sync, absent)}), MetricValue(5.0));
}

TEST(Stalls, APartThatWasNotCountedLeavesTheCategoryWithoutAValue) {
    EXPECT_EQ(sync_of({part(sync, uncounted), part(sync, 5.0)}), MetricValue(uncounted));
    EXPECT_EQ(sync_of({part(sync, 5.0), part(sync, uncounted)}), MetricValue(uncounted));
    EXPECT_EQ(sync_of({part(sync, absent), part(sync, uncounted)}), MetricValue(uncounted));
}

TEST(Stalls, ACategoryWithoutAnyPartIsMissingAndNotZero) {
    EXPECT_EQ(sync_of({part(sync, absent)}), MetricValue(absent));
    EXPECT_TRUE(std::holds_alternative<NoValue>(sync_of({})));
}

}  // namespace
}  // namespace strata
