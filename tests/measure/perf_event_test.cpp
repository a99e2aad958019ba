// SPDX-License-Identifier: MIT
#include "measure/perf_event.h"

#include "base/enumeration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace strata {
namespace {

TEST(PerfEvent, EveryEventIsCountedOrHasAReason) {
    const auto events = all_counter_events();
    CounterGroup group(events);
    group.start();
    std::vector<char> touched(1 << 22, 1);
    const auto counts = group.stop();
    ASSERT_EQ(counts.size(), events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (counts[i]) {
            EXPECT_EQ(group.refusals()[i], "") << name_of(events[i]);
        }
        if (!group.refusals()[i].empty()) {
            EXPECT_EQ(counts[i], std::nullopt) << name_of(events[i]);
        }
    }
    EXPECT_EQ(touched.back(), 1);
}

TEST(PerfEvent, PageFaultsOfFreshMemoryAreCounted) {
    const CounterEvent event = CounterEvent::page_faults;
    CounterGroup group(std::span(&event, 1));
    if (!group.refusals().front().empty()) {
        GTEST_SKIP() << group.refusals().front();
    }
    group.start();
    std::vector<char> touched(1 << 24, 1);
    const auto counts = group.stop();
    EXPECT_GE(counts.front().value(), 1) << int{touched.back()};
}

TEST(PerfEvent, TheProbeNamesAReasonForMissingEvents) {
    EXPECT_EQ(probe_counters().size(), all_counter_events().size());
}

}  // namespace
}  // namespace strata
