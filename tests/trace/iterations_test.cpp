// SPDX-License-Identifier: MIT
#include "trace/iterations.h"

#include "tests/trace/scripted_trace.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

using Indices = std::vector<std::vector<std::size_t>>;

constexpr std::array<std::uint64_t, 2> iterations = {10, 20};

TEST(Iterations, ASpanBelongsToTheIterationOfItsCallHoweverDeepItsRangeIs) {
    const Trace trace{
        .spans = {called(1, "a", 10, 20), called(2, "a", 30, 40), called(3, "b", 20, 30)},
        .ranges = {{.id = 10}, {.id = 20}, {.id = 11, .parent = 10}, {.id = 12, .parent = 11}},
        .calls = {{1, 12}, {2, 20}, {3, 11}}};
    EXPECT_EQ(spans_by_iteration(trace, iterations), (Indices{{0, 2}, {1}}));
}

TEST(Iterations, KernelsOfAGraphBelongToTheIterationThatLaunchedIt) {
    Span later = launched(5, "a", 30, 40);
    later.correlation = 78;
    const Trace trace{.spans = {launched(5, "a", 10, 20), later},
                      .ranges = {{.id = 10}, {.id = 20}, {.id = 1}},
                      .calls = {{77, 10}, {78, 20}},
                      .nodes = {{5, 1}}};
    EXPECT_EQ(spans_by_iteration(trace, iterations), (Indices{{0}, {1}}));
}

TEST(Iterations, ASpanWithoutARecordBelongsToTheIterationItRanIn) {
    const Trace trace{
        .spans = {called(9, "early", 1, 2), called(1, "a", 10, 20), called(9, "between", 20, 25),
                  called(2, "a", 30, 40), called(9, "last", 40, 41)},
        .ranges = {{.id = 10}, {.id = 20}},
        .calls = {{1, 10}, {2, 20}}};
    EXPECT_EQ(spans_by_iteration(trace, iterations), (Indices{{1, 2}, {3, 4}}));
}

TEST(Iterations, ASpanThatIsKnownToBelongElsewhereIsInNone) {
    const Trace trace{.spans = {called(1, "a", 10, 20), called(3, "warm-up", 12, 14)},
                      .ranges = {{.id = 10}, {.id = 20}, {.id = 30}},
                      .calls = {{1, 10}, {3, 30}}};
    EXPECT_EQ(spans_by_iteration(trace, iterations), (Indices{{0}, {}}));
}

// Two replays before the iterations and two of them, of a graph of nodes 5 and 6; each span with
// the call that its record names.
Trace replayed(const std::array<std::uint32_t, 4>& calls) {
    Trace trace{.ranges = {{.id = 10}, {.id = 20}, {.id = 30}},
                .calls = {{1, 30}, {3, 10}, {4, 20}}};
    std::int64_t start = 10;
    for (const std::uint32_t call : calls) {
        for (const std::uint64_t node : {5U, 6U}) {
            Span span = launched(node, "a", start, start + 5);
            span.correlation = call;
            trace.spans.push_back(span);
            start += 10;
        }
    }
    return trace;
}

TEST(Iterations, RightCallsTellTheLaunchesOfAGraphApart) {
    const Trace trace = replayed({1, 2, 3, 4});
    EXPECT_TRUE(calls_tell_launches_apart(trace, iterations));
    EXPECT_EQ(spans_by_iteration(trace, iterations), (Indices{{4, 5}, {6, 7}}));
}

TEST(Iterations, IfCallsAreWrongTheRecurrenceOfNodesTellsLaunchesApart) {
    const std::array<std::array<std::uint32_t, 4>, 6> wrong = {{
        {3, 3, 3, 3},  // that of one launch
        {1, 1, 1, 1},  // of one outside the iterations
        {9, 9, 9, 9},  // of none
        {1, 1, 2, 3},  // of the launch before
        {2, 3, 4, 9},  // of the launch after
        {1, 2, 4, 3},  // of another order
    }};
    for (const auto& calls : wrong) {
        const Trace trace = replayed(calls);
        EXPECT_FALSE(calls_tell_launches_apart(trace, iterations))
            << ::testing::PrintToString(calls);
        EXPECT_EQ(spans_by_iteration(trace, iterations), (Indices{{4, 5}, {6, 7}}));
    }
}

TEST(Iterations, ANodeWithADroppedRecordFollowsThoseThatRanBeforeIt) {
    Trace trace = replayed({3, 3, 3, 3});
    trace.spans.erase(trace.spans.begin() + 1);  // node 6 of the first replay
    EXPECT_EQ(spans_by_iteration(trace, iterations), (Indices{{3, 4}, {5, 6}}));
}

TEST(Iterations, ADroppedRecordAloneDoesNotMakeCallsWrong) {
    Trace trace = replayed({1, 2, 3, 4});
    trace.spans.erase(trace.spans.begin() + 5);  // node 6 of the first iteration
    EXPECT_TRUE(calls_tell_launches_apart(trace, iterations));
    EXPECT_EQ(spans_by_iteration(trace, iterations), (Indices{{4}, {5, 6}}));
}

}  // namespace
}  // namespace strata
