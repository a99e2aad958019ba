// SPDX-License-Identifier: MIT
#include "measure/device_diagnosis.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using Limits = std::vector<ClockLimit>;

std::vector<DeviceState> states(std::size_t count, const DeviceState& state) {
    return std::vector<DeviceState>(count, state);
}

// The kinds of all doubts, joined.
std::string kinds(const std::vector<DeviceState>& states) {
    std::string all;
    for (const Doubt& doubt : diagnose_device(states)) {
        all += (all.empty() ? "" : " ") + kind_text(doubt);
    }
    return all;
}

std::string sentence(const std::vector<DeviceState>& states) {
    const auto doubts = diagnose_device(states);
    return doubts.empty() ? "" : doubts.front().sentence;
}

TEST(DeviceDiagnosis, UnreportedQuantitiesRaiseNoDoubt) {
    EXPECT_EQ(kinds({}), "");
    EXPECT_EQ(kinds(states(5, {})), "");
    EXPECT_TRUE(describe_states({}).empty());
    const std::map<std::string, std::string> only_count = {{"gpu.sampled.states", "5"}};
    EXPECT_EQ(describe_states(states(5, {})), only_count);
}

TEST(DeviceDiagnosis, IdlenessAndASettingAreNotThrottling) {
    EXPECT_EQ(kinds(states(5, {.limits = Limits{ClockLimit::idle, ClockLimit::setting}})), "");
}

TEST(DeviceDiagnosis, APowerCapIsThrottlingWithItsFix) {
    auto seen = states(10, {.limits = Limits{}});
    seen[2].limits = seen[5].limits = seen[6].limits = Limits{ClockLimit::power_cap};
    EXPECT_EQ(kinds(seen), "throttled");
    EXPECT_EQ(sentence(seen),
              "the device's clock was throttled during sampling by the power limit (3 of 10); "
              "raise the power limit (nvidia-smi -pl) or lock a clock within it (nvidia-smi -lgc)");
}

TEST(DeviceDiagnosis, TheFixIsForTheMostFrequentLimit) {
    auto seen = states(4, {.limits = Limits{ClockLimit::software_thermal}});
    seen[0].limits = Limits{ClockLimit::power_cap, ClockLimit::software_thermal};
    EXPECT_NE(sentence(seen).find("the power limit (1 of 4), heat (4 of 4)"), std::string::npos);
    EXPECT_NE(sentence(seen).find("cool the device"), std::string::npos);
}

TEST(DeviceDiagnosis, OneStateOfManyIsNotThrottlingButTheOnlyOneIs) {
    auto seen = states(10, {.limits = Limits{}});
    seen[0].limits = Limits{ClockLimit::hardware_slowdown};
    EXPECT_EQ(kinds(seen), "");
    EXPECT_EQ(kinds({seen[0]}), "throttled");
    auto many = states(100, {.limits = Limits{}});
    many[0].limits = many[1].limits = Limits{ClockLimit::power_cap};
    EXPECT_EQ(kinds(many), "") << "two of a hundred";
}

TEST(DeviceDiagnosis, AClockThatMovesByMoreThanThreePercentIsNamed) {
    auto seen = states(3, {.core_clock = Frequency{1980e6}});
    seen[1].core_clock = Frequency{1950e6};
    EXPECT_EQ(kinds(seen), "");
    seen[1].core_clock = Frequency{1695e6};
    EXPECT_EQ(kinds(seen), "clock-drift");
    EXPECT_NE(sentence(seen).find("between 1695 and 1980 MHz"), std::string::npos);
}

TEST(DeviceDiagnosis, OtherProcessesOnTheDeviceAreNamed) {
    auto seen = states(3, {.other_processes = 0});
    EXPECT_EQ(kinds(seen), "");
    seen[1].other_processes = 2;
    EXPECT_EQ(kinds(seen), "shared-device");
    EXPECT_NE(sentence(seen).find("2 other processes"), std::string::npos);
}

TEST(DeviceDiagnosis, OnlyReportedValuesHaveRanges) {
    std::vector<DeviceState> seen = {{.core_clock = Frequency{1980e6}, .watts = 612.4},
                                     {.core_clock = Frequency{1695e6}},
                                     {.watts = 698.2, .limits = Limits{ClockLimit::power_cap}}};
    const std::map<std::string, std::string> expected = {
        {"gpu.sampled.core_clock", "1695 to 1980 MHz"},
        {"gpu.sampled.power", "612 to 698 W"},
        {"gpu.sampled.limits", "the power limit (1 of 3)"},
        {"gpu.sampled.states", "3"}};
    EXPECT_EQ(describe_states(seen), expected);
}

}  // namespace
}  // namespace strata
