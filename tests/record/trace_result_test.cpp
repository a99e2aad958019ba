// SPDX-License-Identifier: MIT
#include "record/trace_result.h"

#include "networks/network.h"
#include "tests/trace/scripted_trace.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

// Three iterations of two kernels: the second takes 10, 30 and 20 ns, after a gap of 5.
class TraceResults : public ::testing::Test {
protected:
    TraceResults() {
        trace_.ranges = {{.id = 1}, {.id = 2}, {.id = 3}};
        for (std::uint32_t i = 0; i < 3; ++i) {
            add_iteration(i + 1, 1000 * (i + 1), std::array{10, 30, 20}[i]);
        }
    }

    std::optional<TraceResult> result() const {
        return trace_result(trace_, std::array<std::uint64_t, 3>{1, 2, 3}, {{Seconds{1e-6}}},
                            graph_, "H200");
    }

    Graph graph_ = load_network({.network = "alexnet", .batch = {}, .dims = {}, .variables = {}});
    Trace trace_;

private:
    void add_iteration(std::uint32_t number, std::int64_t begin, std::int64_t length) {
        add_kernel(number, 2 * number, Task{1, Pass::forward}, begin, 40);
        add_kernel(number, 2 * number + 1, Task{1, Pass::backward_data}, begin + 45, length);
    }

    void add_kernel(std::uint32_t iteration, std::uint32_t call, const Task& task,
                    std::int64_t begin, std::int64_t length) {
        const std::uint64_t range = 100 + call;
        trace_.ranges.push_back({.id = range, .parent = iteration, .task = task});
        trace_.calls.push_back({call, range});
        trace_.spans.push_back(called(call, "sgemm", begin, begin + length));
    }
};

TEST_F(TraceResults, KeepsTheIterationOfMedianLengthAndTheLengthOfAll) {
    const auto kept = result();
    ASSERT_TRUE(kept);
    ASSERT_EQ(kept->windows.values.size(), 3u);
    EXPECT_DOUBLE_EQ(kept->windows.values[1].value, 75e-9);
    ASSERT_EQ(kept->spans.size(), 2u);
    EXPECT_EQ(duration_of(kept->spans[1].span), Nanoseconds(20));
    EXPECT_EQ(kept->spans[1].layer, graph_.layers[1].name);
    EXPECT_EQ(kept->spans[1].pass, Pass::backward_data);
}

TEST_F(TraceResults, ItsBudgetClosesToTheNanosecond) {
    const NamedBudget named = budget_of(*result());
    const TraceBudget& budget = named.budget;
    EXPECT_EQ(budget.attributed + budget.unattributed - budget.overlap + budget.gaps,
              budget.window);
    EXPECT_EQ(budget.window, Nanoseconds(65));
    EXPECT_EQ(budget.gaps, Nanoseconds(5));
    ASSERT_EQ(budget.tasks.size(), 2u) << "two passes of one layer";
    ASSERT_EQ(named.layers.size(), 1u);
    EXPECT_EQ(named.layers[budget.tasks[1].task.layer], graph_.layers[1].name);
    EXPECT_EQ(budget.tasks[1].waited, Nanoseconds(5));
}

TEST_F(TraceResults, SpansWithoutPlausibleStampsAreKeptAndCounted) {
    for (Span& span : trace_.spans) {
        if (span.correlation % 2 == 1) {
            span.end = {};
        }
    }
    const auto kept = result();
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->spans.size(), 2u);
    EXPECT_EQ(budget_of(*kept).budget.untimed, 1u);
}

TEST_F(TraceResults, AnEmptyTraceHasNoResult) {
    trace_.spans.clear();
    EXPECT_FALSE(result());
}

}  // namespace
}  // namespace strata
