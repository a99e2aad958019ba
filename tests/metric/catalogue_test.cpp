// SPDX-License-Identifier: MIT
#include "metric/catalogue.h"
#include "base/enumeration.h"
#include "metric/read.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace strata {
namespace {

class Catalogue : public ::testing::Test {
protected:
    MetricCatalogue catalogue_ = metric_catalogue();
};

TEST_F(Catalogue, EveryMetricHasAUniqueNameAndAMeaning) {
    std::set<std::string> names;
    for (const MetricSet& set : catalogue_.sets) {
        for (const Metric& metric : set.metrics) {
            EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
            EXPECT_FALSE(metric.meaning.empty()) << metric.name;
            EXPECT_FALSE(metric.formula.counters().empty()) << metric.name;
        }
    }
}

TEST_F(Catalogue, RenderersCanScaleEveryUnit) {
    constexpr std::array<std::string_view, 7> units = {"s",    "Hz",     "B", "B/s",
                                                       "FLOP", "FLOP/s", "%"};
    for (const MetricSet& set : catalogue_.sets) {
        for (const Metric& metric : set.metrics) {
            EXPECT_TRUE(metric.unit.empty() || std::ranges::find(units, metric.unit) != units.end())
                << metric.name << " is in " << metric.unit;
        }
    }
}

TEST_F(Catalogue, CountsByDefaultWhatPublishedWorksCountedFirst) {
    for (const char* name : {"time", "memory", "instructions", "floating_point"}) {
        EXPECT_EQ(find_metric_set(catalogue_, name).collected, Collected::by_default) << name;
    }
    for (const char* name : {"tensor", "stalls", "speed_of_light"}) {
        EXPECT_EQ(find_metric_set(catalogue_, name).collected, Collected::on_request) << name;
    }
}

TEST_F(Catalogue, EachOfDongsTenCategoriesHasAMetric) {
    std::set<StallCategory> found;
    for (const Metric& metric : find_metric_set(catalogue_, "stalls").metrics) {
        EXPECT_EQ(metric.stall.has_value(), metric.name != "stall_selected") << metric.name;
        if (metric.stall) {
            found.insert(*metric.stall);
        }
    }
    EXPECT_EQ(found.size(), names_of(StallCategory{}).size());
}

TEST_F(Catalogue, KnowsWhichCountersAChipLacksAndWhy) {
    const auto gap = gap_of(catalogue_, "GB202", "dram__bytes_read.sum");
    ASSERT_TRUE(gap);
    EXPECT_FALSE(gap->empty());
    EXPECT_FALSE(gap_of(catalogue_, "GB100", "dram__bytes_read.sum"));
    EXPECT_FALSE(gap_of(catalogue_, "GH100", "dram__bytes_read.sum"));
    EXPECT_TRUE(gap_of(catalogue_, "TU116", "sm__ops_path_tensor_src_int8.sum"));
    EXPECT_FALSE(gap_of(catalogue_, "TU102", "sm__ops_path_tensor_src_int8.sum"));
    EXPECT_FALSE(gap_of(catalogue_, "XY999", "sm__ops_path_tensor_src_int8.sum"));
}

TEST_F(Catalogue, AMisspeltSetIsAnsweredWithTheNearest) {
    EXPECT_NE(error_of([&] { find_metric_set(catalogue_, "stall"); }).find("did you mean 'stalls'"),
              std::string::npos);
}

const std::string head = "title = \"Memory\"\ncollected = \"by default\"\n";

std::string refusal_of_metric(const std::string& metric) {
    return error_of([&] { parse_metric_set(head + "metrics = [{" + metric + "}]", "my.toml"); });
}

TEST(ReadMetrics, ASetIsReadFromItsFile) {
    const MetricSet set = parse_metric_set(
        head +
            "metrics = [{ name = 'a', unit = 'B', meaning = 'm', formula = '2 * x.sum', "
            "stall = 'sync' }]",
        "dir/memory.toml");
    EXPECT_EQ(set.name, "memory");
    EXPECT_EQ(set.collected, Collected::by_default);
    ASSERT_EQ(set.metrics.size(), 1u);
    EXPECT_EQ(set.metrics[0].stall, StallCategory::sync);
    EXPECT_EQ(set.metrics[0].formula.counters(), std::vector<std::string>{"x.sum"});
}

TEST(ReadMetrics, MistakesAreNamedWithTheirPlace) {
    const std::string rest = "unit = '', meaning = 'm', formula = 'x'";
    EXPECT_EQ(refusal_of_metric(rest), "my.toml: metrics 1: name: missing; give it");
    EXPECT_NE(refusal_of_metric("name = 'a', stall = 'lunch', " + rest).find("'lunch'"),
              std::string::npos);
    EXPECT_NE(refusal_of_metric("name = 'a', colour = 'red', " + rest).find("unknown key"),
              std::string::npos);
    EXPECT_NE(refusal_of_metric("name = 'a', unit = '', meaning = 'm', formula = 'x +'")
                  .find("metrics 1: formula"),
              std::string::npos);
    EXPECT_NE(refusal_of_metric("name = 'a', " + rest + "}, {name = 'a', " + rest)
                  .find("metrics 2: name"),
              std::string::npos);
}

TEST(ReadMetrics, InvalidTomlIsRefused) {
    EXPECT_NE(error_of([] { parse_metric_set("title = ", "my.toml"); }).find("my.toml:1:"),
              std::string::npos);
    EXPECT_NE(error_of([] {
                  parse_architecture("name = 3\nchips = []", "my.toml");
              }).find("give it as a text"),
              std::string::npos);
}

TEST(ReadMetrics, AnArchitectureNamesTheCountersItsChipsLack) {
    const Architecture architecture = parse_architecture(
        "name = 'Turing'\nchips = ['TU102', 'TU116']\n"
        "missing = [{ counters = '*_gmma*', chips = 'TU116', reason = 'none' }]",
        "turing.toml");
    ASSERT_EQ(architecture.gaps.size(), 1u);
    EXPECT_EQ(architecture.gaps[0].chips, "TU116");
}

}  // namespace
}  // namespace strata
