// SPDX-License-Identifier: MIT
#include "scale/merged_step.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

// One layer and one bucket.
IterationTimes iteration(double total, double compute, BucketTimes bucket) {
    return {.total = Seconds{total},
            .compute = Seconds{compute},
            .copying = Seconds{1},
            .coding = Seconds{},
            .by_layer = {Seconds{compute}},
            .buckets = {bucket}};
}

const std::vector<std::vector<SharedTraining::BucketLayer>> one_layer = {{{0, Bytes{100}}}};

TEST(MergedStep, WaitingForTheLastRankIsNotExposedCommunication) {
    // Rank 0 is ready at 10 and waits until 16; rank 1 begins at 14 and waits for 2.
    const ParallelStep step = merged_step(
        {{iteration(17, 10, {10, 16, 6})}, {iteration(17, 14, {14, 16, 2})}}, one_layer);
    EXPECT_DOUBLE_EQ(step.waiting.value, 2);   // 4 and 0
    EXPECT_DOUBLE_EQ(step.exposed.value, 2);   // 2 and 2
    EXPECT_DOUBLE_EQ(step.exchange.value, 2);  // from 14 to 16
    EXPECT_DOUBLE_EQ(step.compute.value, 12);
    EXPECT_DOUBLE_EQ(
        step.time.value,
        (step.compute + step.encoding + step.exposed + step.waiting + step.other).value);
    ASSERT_EQ(step.layers.size(), 1U);
    EXPECT_EQ(step.layers.front().waiting, step.waiting);
    EXPECT_EQ(step.layers.front().bytes, Bytes{100});
    EXPECT_EQ(step.layers.front().compute, step.compute);
}

TEST(MergedStep, AnExchangeThatNobodyWaitsForIsHidden) {
    const ParallelStep step = merged_step(
        {{iteration(21, 20, {10, 13, 0})}, {iteration(21, 20, {11, 13, 0})}}, one_layer);
    EXPECT_EQ(step.exposed, Seconds{});
    EXPECT_EQ(step.waiting, Seconds{});
    EXPECT_DOUBLE_EQ(step.hidden().value, 2);
}

TEST(MergedStep, IsTheIterationOfMedianTime) {
    const BucketTimes none;
    const ParallelStep step = merged_step(
        {{iteration(9, 8, none), iteration(5, 4, none), iteration(7, 6, none)}}, one_layer);
    EXPECT_EQ(step.time, Seconds{7});
    EXPECT_EQ(step.compute, Seconds{6});
    EXPECT_EQ(step.layers.front().bytes, Bytes{});  // one rank exchanges nothing
}

TEST(MergedStep, IterationsTravelAsNumbers) {
    const IterationTimes times = iteration(3, 2, {0.25, 0.5, 0.125});
    const IterationTimes again = iteration_of(numbers_of(times), 1);
    EXPECT_EQ(again.total, times.total);
    EXPECT_EQ(again.by_layer, times.by_layer);
    EXPECT_EQ(again.buckets.front().end, 0.5);
    EXPECT_EQ(again.buckets.front().waited, 0.125);
}

}  // namespace

}  // namespace strata::testing
