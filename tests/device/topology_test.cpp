// SPDX-License-Identifier: MIT
#include "device/topology.h"

#include "base/processors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace strata {
namespace {

std::vector<int> numbers(int count) {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

TEST(Topology, ThreadsGetSeparateCoresFirst) {
    // Cloud machines number the two threads of a core consecutively.
    const Topology machine = detect_topology(numbers(8), "core:4 pu:2");
    EXPECT_EQ(machine.processors, (std::vector{0, 2, 4, 6, 1, 3, 5, 7}));
    EXPECT_EQ(machine.cores, 4);
}

TEST(Topology, OnlyProcessorsThatAreAllowedAreUsed) {
    const std::vector allowed = {1, 2, 3, 6};
    const Topology machine = detect_topology(allowed, "core:4 pu:2");
    EXPECT_EQ(machine.processors, (std::vector{1, 2, 6, 3}));
    EXPECT_EQ(machine.cores, 3);
}

TEST(Topology, CachesBelongToAProcessorAndAreSharedByAllBelowThem) {
    const Topology machine = detect_topology(
        std::vector{0, 1}, "l3:1(size=33554432) l2:4(size=1048576) l1d:1(size=32768) pu:2");
    ASSERT_EQ(machine.caches.size(), 3u);
    EXPECT_EQ(machine.caches[0].level, 1);
    EXPECT_EQ(machine.caches[0].size, Bytes{32 * 1024});
    EXPECT_EQ(machine.caches[0].shared_by, 2);
    EXPECT_EQ(machine.caches[2].level, 3);
    EXPECT_EQ(machine.caches[2].shared_by, 8);  // although only two are allowed
}

TEST(Topology, AMachineThatCannotBeDescribedKeepsItsProcessors) {
    EXPECT_EQ(detect_topology(numbers(3), "no such notation").processors, numbers(3));
    const std::vector unknown = {0, 64};
    EXPECT_EQ(detect_topology(unknown, "core:2 pu:1").processors, unknown);
}

TEST(Topology, ThisMachineHasEachAllowedProcessorOnce) {
    std::vector<int> processors = this_topology().processors;
    std::ranges::sort(processors);
    EXPECT_EQ(processors, allowed_processors());
    EXPECT_LE(this_topology().cores, static_cast<int>(processors.size()));
    int level = 0;
    for (const Cache& cache : this_topology().caches) {
        EXPECT_GT(cache.level, std::exchange(level, cache.level));
        EXPECT_GT(cache.size.value, 1024);
        EXPECT_GE(cache.shared_by, 1);
    }
}

}  // namespace
}  // namespace strata
