// SPDX-License-Identifier: MIT
#include "trace/timeline.h"

#include "tests/trace/scripted_trace.h"

#include <gtest/gtest.h>

#include <limits>

namespace strata {
namespace {

Nanoseconds sum_of(const std::vector<Span>& spans) {
    Nanoseconds sum = {};
    for (const Span& span : spans) {
        sum += span.end - span.start;
    }
    return sum;
}

TEST(Timeline, BusyGapsAndOverlapMakeUpTheWindow) {
    // On stream 1 [10, 40] and [50, 60]; concurrently [20, 30] and [35, 45].
    const std::vector spans = {kernel("a", 10, 40), kernel("b", 20, 30), kernel("c", 35, 45),
                               kernel("d", 50, 60)};
    const Timeline timeline = timeline_of(spans, 0);
    EXPECT_EQ(timeline.busy.count(), 45);
    EXPECT_EQ(timeline.overlap.count(), 15);
    ASSERT_EQ(timeline.gaps.size(), 1U);
    EXPECT_EQ(timeline.gaps[0].length.count(), 5);
    EXPECT_EQ(sum_of(spans) - timeline.overlap + timeline.gaps[0].length,
              timeline.last - timeline.first);
}

TEST(Timeline, RecordsOutOfOrderGiveTheSameTimes) {
    const std::vector spans = {kernel("d", 50, 60), kernel("c", 35, 45), kernel("b", 20, 30),
                               kernel("a", 10, 40)};
    const Timeline timeline = timeline_of(spans, 0);
    EXPECT_EQ(timeline.order, (std::vector<std::size_t>{3, 2, 1, 0}));
    EXPECT_EQ(timeline.busy.count(), 45);
}

TEST(Timeline, AGapNamesWhatEndedLastBeforeItAndWhatEndedIt) {
    // The long span [10, 40] outlasts [20, 30], so it is the one before the gap.
    const std::vector spans = {kernel("long", 10, 40), kernel("short", 20, 30),
                               kernel("late", 47, 50)};
    const Timeline timeline = timeline_of(spans, 0);
    ASSERT_EQ(timeline.gaps.size(), 1u);
    EXPECT_EQ(timeline.gaps[0].length.count(), 7);
    EXPECT_EQ(timeline.gaps[0].before, 0u);
    EXPECT_EQ(timeline.gaps[0].after, 2u);
}

TEST(Timeline, SpansThatTouchLeaveNoGap) {
    const std::vector spans = {kernel("a", 10, 20), kernel("b", 20, 30)};
    EXPECT_TRUE(timeline_of(spans, 0).gaps.empty());
}

TEST(Timeline, StampsThatCannotBeBelievedAreLeftOutAndCounted) {
    const std::vector spans = {kernel("no stamps", 0, 0), kernel("backwards", 30, 20),
                               kernel("endless", 1, std::numeric_limits<std::int64_t>::max()),
                               kernel("good", 10, 20)};
    const Timeline timeline = timeline_of(spans, 0);
    EXPECT_EQ(timeline.untimed, 3u);
    EXPECT_EQ(timeline.busy.count(), 10);
}

TEST(Timeline, DevicesHaveTimelinesOfTheirOwn) {
    std::vector spans = {kernel("a", 10, 20), kernel("b", 15, 40)};
    spans[1].device = 3;
    EXPECT_EQ(devices_of(spans), (std::vector<std::uint32_t>{0, 3}));
    EXPECT_EQ(timeline_of(spans, 0).busy.count(), 10);
    EXPECT_EQ(timeline_of(spans, 3).busy.count(), 25);
}

TEST(Timeline, WithoutRecordsThereIsNoTime) {
    const Timeline timeline = timeline_of({}, 0);
    EXPECT_TRUE(timeline.order.empty());
    EXPECT_EQ(timeline.last, timeline.first);
}

}  // namespace
}  // namespace strata
