// SPDX-License-Identifier: MIT
#include "predict/streaming.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

TEST(Streaming, TrafficIsThatOfTheOperandsAndTheResult) {
    EXPECT_EQ((StreamingProblem{"add", 10, 100}.traffic().value), 12000);
    EXPECT_EQ((StreamingProblem{"relu", 10, 100}.traffic().value), 8000);
    EXPECT_EQ((StreamingProblem{"softmax", 10, 100, 2}.traffic().value), 4000);
    EXPECT_EQ((StreamingProblem{"softmax_backward", 10, 100, 2}.traffic().value), 6000);
}

TEST(Streaming, SmallTensorsTakeTheLaunchAndLargeOnesTheBandwidth) {
    const DeviceDescription device = find_description("v100");
    const StreamingRates rates;
    const Seconds small = predict_streaming({"add", 1, 1}, device, rates).time;
    EXPECT_NEAR(small / rates.launch, 1, 0.01);
    const StreamingProblem large{"add", 1 << 20, 1 << 10};
    const Seconds expected = large.traffic() / (device.dram_bandwidth->value * rates.efficiency);
    EXPECT_NEAR(predict_streaming(large, device, rates).time / expected, 1, 0.01);
}

TEST(Streaming, TimeGrowsWithTheTensor) {
    const DeviceDescription device = find_description("a100-40");
    for (const char* op : {"add", "softmax", "ln"}) {
        Seconds before;
        for (std::int64_t columns = 16; columns < 100000; columns *= 2) {
            const Seconds time = predict_streaming({op, 5000, columns}, device, {}).time;
            EXPECT_GE(time, before) << op << columns;
            before = time;
        }
    }
}

// A second run of a kernel finds tensors in a large cache until they outgrow it.
TEST(Streaming, TensorsThatOutgrowTheCacheMoveFromMemory) {
    const DeviceDescription device = find_description("a100-40");
    StreamingRates rates;
    rates.resident = Bytes{36e6};
    rates.cached = 0.1;
    const auto dram = [&](double bytes) {
        return predict_streaming({"relu", static_cast<std::int64_t>(bytes / 8), 1}, device, rates)
            .dram;
    };
    EXPECT_GT(dram(42e6) / dram(32e6), 5);
    const StreamingRates without;
    const StreamingProblem large{"relu", 1 << 20, 1 << 10};
    EXPECT_NEAR(predict_streaming(large, device, rates).dram /
                    predict_streaming(large, device, without).dram,
                1, 1e-3);
}

TEST(Streaming, ReductionsOfFewLongRowsAreBoundByLatency) {
    const DeviceDescription device = find_description("v100");
    const auto few = predict_streaming({"softmax", 4, 500000}, device, {});
    EXPECT_GT(few.latency, few.dram);
    EXPECT_EQ(predict_streaming({"relu", 4, 500000}, device, {}).latency, Seconds{});
}

TEST(Streaming, WhatMovesFollowsFromTheOperatorAndItsType) {
    const auto bytes = [](const char* op, double element_bytes) {
        return StreamingProblem{.op = op, .rows = 10, .columns = 7, .element_bytes = element_bytes}
            .traffic()
            .value;
    };
    EXPECT_EQ(bytes("act_mul", 2), 3 * 70 * 2);
    EXPECT_EQ(bytes("add_rms_norm", 2), 4 * 70 * 2);
    EXPECT_EQ(bytes("adam", 4), 7 * 70 * 4);
    EXPECT_EQ(bytes("something", 4), 2 * 70 * 4);
}

TEST(Streaming, NarrowTypesHaveClassesOfTheirOwn) {
    StreamingProblem problem{.op = "softmax", .rows = 8, .columns = 4096, .element_bytes = 2};
    EXPECT_EQ(problem.kernel(), "softmax by blocks 16 bits");
    problem.element_bytes = 4;
    EXPECT_EQ(problem.kernel(), "softmax by blocks");
}

}  // namespace

}  // namespace strata::testing
