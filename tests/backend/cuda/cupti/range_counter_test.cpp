// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/range_counter.h"

#include "tests/backend/cuda/cupti/scripted_counter.h"

#include <cupti_result.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace strata::cuda {
namespace {

CountingOutcome counted(ScriptedCounter& counter) {
    return count_ranges(counter, 3, [&] { const CountingRange range(counter, "conv1"); });
}

TEST(CountRanges, TheWorkIsRepeatedOnceForEachPass) {
    ScriptedCounter counter;
    const auto outcome = counted(counter);
    const auto& ranges = std::get<std::vector<CountedRange>>(outcome);
    EXPECT_EQ(counter.count("push"), 3u);
    EXPECT_EQ(counter.count("pop"), 3u);
    EXPECT_EQ(counter.count("read"), 1u);
    ASSERT_EQ(ranges.size(), 1u);
    EXPECT_EQ(ranges[0].name, "conv1");
}

TEST(CountRanges, MorePassesThanPlannedAreDoneToo) {
    ScriptedCounter counter;
    counter.passes = 5;
    EXPECT_TRUE(std::holds_alternative<std::vector<CountedRange>>(counted(counter)));
}

TEST(CountRanges, PassesThatDoNotEndAreTrouble) {
    ScriptedCounter counter;
    counter.passes = 1'000'000;
    const auto outcome = counted(counter);
    EXPECT_EQ(std::get<NotCounted>(outcome).trouble, ProfilerTrouble::endless_passes);
    EXPECT_LT(counter.count("start"), 100u);
}

class EveryBadDay : public ::testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(EveryBadDay, EndsInAnOutcomeWithItsReason) {
    for (const auto* view : {"start", "push", "stop", "read"}) {
        ScriptedCounter counter;
        counter.fails_at = view;
        counter.code = GetParam().second;
        const auto outcome = counted(counter);
        ASSERT_TRUE(std::holds_alternative<NotCounted>(outcome)) << view;
        EXPECT_EQ(std::get<NotCounted>(outcome).trouble, trouble_of(counter.code)) << view;
        EXPECT_NE(std::get<NotCounted>(outcome).sentence.find("; "), std::string::npos);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Codes, EveryBadDay,
    ::testing::Values(std::pair("privileges", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
                      std::pair("subscribers", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED),
                      std::pair("busy", CUPTI_ERROR_HARDWARE_BUSY),
                      std::pair("virtualized", CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED),
                      std::pair("confidential", CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED),
                      std::pair("mig", CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED),
                      std::pair("memory", CUPTI_ERROR_OUT_OF_MEMORY),
                      std::pair("hardware", CUPTI_ERROR_HARDWARE)),
    [](const auto& parameter) { return std::string(parameter.param.first); });

TEST(CountRanges, APassIsStoppedIfTheWorkFailsAndTheFailureIsPassedOn) {
    ScriptedCounter counter;
    counter.fails_at = "stop";
    counter.code = CUPTI_ERROR_HARDWARE;
    EXPECT_THROW(count_ranges(counter, 3, [] { throw std::runtime_error("the kernel failed"); }),
                 std::runtime_error);
    EXPECT_EQ(counter.count("stop"), 1u);
}

TEST(CountRanges, ARangeThatCannotBePoppedShowsAtTheEndOfThePass) {
    ScriptedCounter counter;
    counter.fails_at = "pop";
    counter.code = CUPTI_ERROR_UNKNOWN;
    EXPECT_NO_THROW(counted(counter));
    EXPECT_EQ(counter.count("stop"), 3u);
}

}  // namespace
}  // namespace strata::cuda
