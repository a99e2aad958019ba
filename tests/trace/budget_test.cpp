// SPDX-License-Identifier: MIT
#include "trace/budget.h"

#include "tests/trace/scripted_trace.h"

#include <gtest/gtest.h>

#include <random>

namespace strata {
namespace {

TraceBudget budget(const Trace& trace) {
    return budget_of(trace, attribute(trace), 0);
}

void expect_closed(const TraceBudget& budget) {
    Nanoseconds tasks = {};
    for (const TaskSpans& task : budget.tasks) {
        tasks += task.time;
    }
    EXPECT_EQ(tasks, budget.attributed);
    EXPECT_EQ(tasks + budget.unattributed - budget.overlap + budget.gaps, budget.window);
}

// Two layers with one kernel name, a copy without a layer, and gaps before it and before the second
// layer.
Trace two_layers() {
    return {.spans = {called(12, "sgemm", 250, 950), called(11, "sgemm", 100, 200),
                      called(99, "copy", 960, 970)},
            .ranges = {{.id = 1, .task = first}, {.id = 2, .task = second}},
            .calls = {{11, 1}, {12, 2}}};
}

TEST(TraceBudget, LayersWithOneKernelNameHaveSeparateTimes) {
    // Zhao et al. 2017 print one value for AlexNet's CONV3 and CONV4, whose work differs: averages
    // by kernel name cannot distinguish them.
    const TraceBudget found = budget(two_layers());
    ASSERT_EQ(found.tasks.size(), 2u);
    EXPECT_EQ(found.tasks[0].task, first);
    EXPECT_EQ(found.tasks[0].time.count(), 100);
    EXPECT_EQ(found.tasks[1].time.count(), 700);
    expect_closed(found);
}

TEST(TraceBudget, UnattributedTimeIsASeparateShareWithItsReason) {
    const TraceBudget found = budget(two_layers());
    EXPECT_EQ(found.unattributed.count(), 10);
    EXPECT_DOUBLE_EQ(*unattributed_share(found), 10.0 / 810);
    EXPECT_EQ(found.unattributed_spans.at(Evidence::no_record), 1u);
}

TEST(TraceBudget, AGapBelongsToTheLayerThatTheDeviceWaitedFor) {
    const TraceBudget found = budget(two_layers());
    EXPECT_EQ(found.gaps.count(), 60);
    EXPECT_EQ(found.tasks[0].waited.count(), 0);
    EXPECT_EQ(found.tasks[1].waited.count(), 50);
}

TEST(TraceBudget, DroppedRecordsAreReportedAndTheBudgetStillCloses) {
    Trace trace = two_layers();
    trace.calls.pop_back();
    trace.dropped = 3;
    const TraceBudget found = budget(trace);
    EXPECT_EQ(found.dropped, 3u);
    EXPECT_EQ(found.unattributed.count(), 710);
    expect_closed(found);
}

TEST(TraceBudget, ASpanWithoutStampsIsCountedAndNotTimed) {
    Trace trace = two_layers();
    trace.spans.push_back(called(11, "sgemm", 0, 0));
    const TraceBudget found = budget(trace);
    EXPECT_EQ(found.untimed, 1u);
    EXPECT_EQ(found.tasks[0].spans, 2u);
    EXPECT_EQ(found.tasks[0].untimed, 1u);
    EXPECT_EQ(found.tasks[0].time.count(), 100);
    expect_closed(found);
}

TEST(TraceBudget, NothingTimedHasNoShare) {
    EXPECT_FALSE(unattributed_share(budget({})));
}

TEST(TraceBudget, ClosesForAnySpans) {
    std::mt19937 random(5);
    const auto up_to = [&](std::uint32_t maximum) { return std::uint32_t(random() % maximum); };
    for (int round = 0; round < 200; ++round) {
        Trace trace = two_layers();
        for (std::uint32_t i = 0; i < 40; ++i) {
            const std::int64_t start = 1 + up_to(1000);
            trace.spans.push_back(called(10 + up_to(4), "any", start, start + up_to(100) - 5));
        }
        expect_closed(budget(trace));
    }
}

}  // namespace
}  // namespace strata
