// SPDX-License-Identifier: MIT
// CUPTI's knowledge of chips, compared with data/metrics. Needs no GPU.
#include "backend/cuda/cupti/metric_host.h"

#include "backend/cuda/cupti/trouble.h"
#include "metric/plan.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata::cuda {
namespace {

const MetricCatalogue& catalogue() {
    static const MetricCatalogue all = metric_catalogue();
    return all;
}

TEST(MetricHost, KnowsTheChipsOfEveryArchitectureAndNoMore) {
    std::vector<std::string> described;
    for (const Architecture& architecture : catalogue().architectures) {
        described.insert(described.end(), architecture.chips.begin(), architecture.chips.end());
    }
    auto known = MetricHost::supported_chips();
    std::ranges::sort(known);
    std::ranges::sort(described);
    EXPECT_EQ(known, described) << "a new CUPTI: describe its chips in data/metrics/architectures";
}

TEST(MetricHost, AChipThatItDoesNotKnowIsRefusedBeforeAnythingIsTried) {
    EXPECT_NE(error_of([] { MetricHost("XY999"); }).find("does not know the chip"),
              std::string::npos);
}

TEST(MetricHost, KnowsTheMeaningOfItsCounters) {
    const MetricHost host("GH100");
    EXPECT_EQ(host.unit_of("dram__bytes_read.sum"), "byte");
    EXPECT_EQ(host.unit_of("gpu__time_duration.sum"), "nanosecond");
    EXPECT_FALSE(host.has_counter("dram__lunch.sum"));
    EXPECT_NE(error_of([&] { host.unit_of("dram__lunch.sum"); }).find("dram__lunch.sum"),
              std::string::npos);
}

class EveryChip : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryChip, HasEveryCounterOfEverySetExceptThoseThatItsFileLists) {
    const MetricHost host(GetParam());
    for (const MetricSet& set : catalogue().sets) {
        for (const Metric& metric : set.metrics) {
            for (const std::string& counter : metric.formula.counters()) {
                EXPECT_EQ(host.has_counter(counter),
                          !gap_of(catalogue(), GetParam(), counter).has_value())
                    << counter;
            }
        }
    }
}

// CUPTI also lists GV11B, but plans nothing for it except on the chip's own systems.
INSTANTIATE_TEST_SUITE_P(Chips, EveryChip,
                         ::testing::Values("GH100", "GV100", "TU102", "TU116", "GA100", "GA102",
                                           "GA10B", "AD102", "GB100", "GB10B", "GB202", "GB20B"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace strata::cuda
