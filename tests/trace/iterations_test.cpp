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
    Span second = launched(5, "a", 30, 40);
    second.correlation = 78;
    const Trace trace{.spans = {launched(5, "a", 10, 20), second},
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

}  // namespace
}  // namespace strata
