// SPDX-License-Identifier: MIT
#include "measure/activity.h"

#include "tests/measure/fake_machine.h"
#include "tests/support/fake_clock.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::FakeClock;
using testing::FakeMachine;

TEST(Activity, StealIsAShareOfAllProcessorsTime) {
    FakeClock clock;
    FakeMachine machine;
    machine.tell("proc/stat", "cpu  100 0 100 800 0 0 0 10 50 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
    const auto before = read_activity(clock, machine.root());
    clock.advance({2});
    machine.tell("proc/stat", "cpu  150 0 120 820 0 0 0 20 90 0\n");
    const auto change = change_between(before, read_activity(clock, machine.root()));
    EXPECT_EQ(change.elapsed, Seconds{2});
    EXPECT_NEAR(change.stolen_share.value(), 10.0 / 100, 1e-12);
    EXPECT_TRUE(change.preemptions_per_second.has_value());
}

TEST(Activity, UnreportedCountersAreAbsent) {
    FakeClock clock;
    FakeMachine machine;
    const auto unknown = read_activity(clock, machine.root());
    EXPECT_EQ(unknown.stolen, std::nullopt);
    EXPECT_EQ(unknown.throttled, std::nullopt);
    machine.tell("proc/stat", "cpu  1 2 3\n");  // a kernel before steal was counted
    EXPECT_EQ(read_activity(clock, machine.root()).stolen, std::nullopt);
    EXPECT_EQ(change_between(unknown, unknown).stolen_share, std::nullopt);
}

TEST(Activity, ThrottlingIsReadFromBothVersionsOfControlGroups) {
    FakeClock clock;
    FakeMachine machine;
    machine.tell("sys/fs/cgroup/cpu.stat", "usage_usec 5\nthrottled_usec 1500000\n");
    EXPECT_EQ(read_activity(clock, machine.root()).throttled, Seconds{1.5});
    FakeMachine old;
    old.tell("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 5\nthrottled_time 2000000000\n");
    EXPECT_NEAR(read_activity(clock, old.root()).throttled.value().value, 2, 1e-9);
}

}  // namespace
}  // namespace strata
