// SPDX-License-Identifier: MIT
// How counters are arranged in passes, by CUPTI itself. Needs no GPU.
#include "backend/cuda/cupti/counter_config.h"

#include "backend/cuda/cupti/trouble.h"
#include "metric/plan.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata::cuda {
namespace {

class CounterPasses : public ::testing::Test {
protected:
    std::size_t passes(const std::string& chip, const std::vector<std::string>& names) const {
        std::vector<MetricSet> sets;
        for (const std::string& name : names) {
            sets.push_back(find_metric_set(catalogue_, name));
        }
        return passes_of(chip, sets);
    }

    std::size_t passes_of(const std::string& chip, const std::vector<MetricSet>& sets) const {
        const MetricHost host(chip);
        const MetricPlan plan = plan_metrics(
            sets, chip, [&](std::string_view counter) { return host.missing(counter); });
        return CounterConfig(chip, plan.counters).passes();
    }

    MetricCatalogue catalogue_ = metric_catalogue();
};

void expect_between(std::size_t value, std::size_t minimum, std::size_t maximum) {
    EXPECT_GE(value, minimum);
    EXPECT_LE(value, maximum);
}

TEST_F(CounterPasses, TimeAloneTakesOne) {
    EXPECT_EQ(passes("GH100", {"time"}), 1u);
}

TEST_F(CounterPasses, JoinedSetsShareThem) {
    expect_between(passes("GH100", {"time", "memory"}), 2, 3);
    expect_between(passes("GH100", {"time", "memory", "floating_point"}), 2, 4);
}

TEST_F(CounterPasses, TheDefaultTakesFewOnEveryArchitecture) {
    for (const char* chip : {"GH100", "TU102", "GA100", "AD102", "GB100", "GB202"}) {
        SCOPED_TRACE(chip);
        expect_between(passes_of(chip, default_sets(catalogue_)), 2, 4);
    }
}

TEST_F(CounterPasses, EverythingTakesManyMore) {
    expect_between(passes_of("GH100", catalogue_.sets), 16, 28);
}

TEST(CounterConfig, NamesTheCounterThatAChipLacks) {
    const std::string sentence = error_of([] {
        CounterConfig("GB202", {"gpu__time_duration.sum", "dram__bytes_read.sum"});
    });
    EXPECT_NE(sentence.find("cannot count dram__bytes_read.sum on GB202"), std::string::npos)
        << sentence;
}

TEST(CounterConfig, HasAnImageToConfigureADeviceWith) {
    const CounterConfig config("GH100", {"gpu__time_duration.sum"});
    EXPECT_FALSE(config.image().empty());
    EXPECT_EQ(config.counters().size(), 1u);
}

TEST(CounterConfig, InvalidDataIsRefusedInOneSentence) {
    const CounterConfig config("GH100", {"gpu__time_duration.sum"});
    EXPECT_NE(error_of([&] { config.evaluate({}, 0); }).find("cannot evaluate counters"),
              std::string::npos);
}

}  // namespace
}  // namespace strata::cuda
