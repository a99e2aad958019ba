// SPDX-License-Identifier: MIT
#include "metric/catalogue.h"

#include "base/enumeration.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace strata {
namespace {

class Catalogue : public testing::Test {
protected:
    MetricCatalogue catalogue_ = metric_catalogue();
};

TEST_F(Catalogue, EveryMetricHasANameOfItsOwnAndAMeaning) {
    std::set<std::string> names;
    for (const MetricSet& set : catalogue_.sets) {
        for (const Metric& metric : set.metrics) {
            EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
            EXPECT_FALSE(metric.meaning.empty()) << metric.name;
            EXPECT_FALSE(metric.formula.counters().empty()) << metric.name;
        }
    }
}

TEST_F(Catalogue, UnitsAreThoseThatRenderersScale) {
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

TEST_F(Catalogue, EachOfDongsTenCategoriesHasAPartAndOnlyIssuingHasNone) {
    std::set<StallCategory> found;
    for (const Metric& metric : find_metric_set(catalogue_, "stalls").metrics) {
        EXPECT_EQ(metric.stall.has_value(), metric.name != "stall_selected") << metric.name;
        if (metric.stall) {
            found.insert(*metric.stall);
        }
    }
    EXPECT_EQ(found.size(), names_of(StallCategory{}).size());
}

TEST_F(Catalogue, KnowsWhatAChipLacksAndWhy) {
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

}  // namespace
}  // namespace strata
