// SPDX-License-Identifier: MIT
#include "predict/attention.h"

#include "base/enumeration.h"
#include "base/error.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

DeviceDescription a100() {
    return find_description("a100-40");
}

// 16 heads of 64 in 16 bits, as in GPT-like networks.
AttentionProblem of_length(std::int64_t length, AttentionMask mask = AttentionMask::none,
                           AttentionPass pass = AttentionPass::forward) {
    return {.batch = 4,
            .heads = 16,
            .queries = length,
            .keys = length,
            .width = 64,
            .mask = mask,
            .pass = pass,
            .arithmetic = Arithmetic::f16,
            .element_bytes = 2};
}

AttentionPrediction predict(const AttentionProblem& problem, AttentionAlgorithm algorithm) {
    return predict_attention(problem, algorithm, a100(), prior_attention_rates(a100()));
}

TEST(Attention, WorkIsThatOfTwoProductsForwardAndFiveBackward) {
    const AttentionProblem forward = of_length(1000);
    EXPECT_EQ(forward.flops().value, 4.0 * 1000 * 1000 * 64 * 4 * 16);
    EXPECT_NEAR(
        of_length(1000, AttentionMask::none, AttentionPass::backward).flops() / forward.flops(),
        2.5, 1e-12);
    EXPECT_EQ(forward.compulsory().value, 4.0 * 4 * 16 * 1000 * 64 * 2);
}

// Of n queries and keys n (n + 1) / 2 pairs are left; of fewer queries, the last ones.
TEST(Attention, ACausalMaskLeavesHalfTheWork) {
    EXPECT_NEAR(of_length(1000, AttentionMask::causal).flops() / of_length(1000).flops(), 0.5005,
                1e-12);
    AttentionProblem last = of_length(1000, AttentionMask::causal);
    last.queries = 1;
    AttentionProblem all = last;
    all.mask = AttentionMask::none;
    EXPECT_NEAR(last.flops() / all.flops(), 1, 1e-12);
}

TEST(Attention, FusedTrafficIsNeverMoreThanUnfusedAndAtLeastCompulsory) {
    for (const AttentionPass pass : {AttentionPass::forward, AttentionPass::backward}) {
        for (std::int64_t length = 128; length <= 32768; length *= 2) {
            const AttentionProblem problem = of_length(length, AttentionMask::none, pass);
            const Bytes fused = predict(problem, AttentionAlgorithm::fused).dram_traffic;
            EXPECT_LE(fused, predict(problem, AttentionAlgorithm::unfused).dram_traffic) << length;
            EXPECT_GE(fused, problem.compulsory());
        }
    }
}

TEST(Attention, FusedIsFasterForLongSequencesAndTheGainGrows) {
    double gain_before = 1;
    for (std::int64_t length = 1024; length <= 16384; length *= 2) {
        const AttentionProblem problem = of_length(length);
        const double gain = predict(problem, AttentionAlgorithm::unfused).time /
                            predict(problem, AttentionAlgorithm::fused).time;
        EXPECT_GT(gain, gain_before * 0.95) << length;
        gain_before = gain;
        EXPECT_EQ(planned_algorithm(problem, a100(), prior_attention_rates(a100())),
                  AttentionAlgorithm::fused);
    }
    EXPECT_GT(gain_before, 2);
}

TEST(Attention, NoPredictionIsShorterThanTheRoofline) {
    for (const AttentionAlgorithm algorithm :
         {AttentionAlgorithm::unfused, AttentionAlgorithm::fused}) {
        for (const AttentionPass pass : {AttentionPass::forward, AttentionPass::backward}) {
            for (std::int64_t length = 16; length <= 8192; length *= 8) {
                AttentionProblem problem = of_length(length, AttentionMask::causal, pass);
                // (Unfused backward keeps the scores and recomputes no product of them.)
                const double kept = algorithm == AttentionAlgorithm::unfused ? 0.8 : 1;
                const AttentionPrediction found = predict(problem, algorithm);
                EXPECT_GE(found.time, problem.flops() * kept / peak_of(a100(), Arithmetic::f16));
                EXPECT_GE(found.time, problem.compulsory() / a100().dram_bandwidth->value);
                for (const Seconds part :
                     {found.launch, found.products, found.softmax, found.arithmetic,
                      found.exponentials, found.l2, found.dram}) {
                    EXPECT_LE(part, found.time);
                }
            }
        }
    }
}

TEST(Attention, TimeGrowsWithTheSequence) {
    for (const AttentionAlgorithm algorithm :
         {AttentionAlgorithm::unfused, AttentionAlgorithm::fused}) {
        Seconds before;
        for (std::int64_t length = 256; length <= 16384; length *= 2) {
            const Seconds time = predict(of_length(length), algorithm).time;
            EXPECT_GT(time, before) << name_of(algorithm) << length;
            before = time;
        }
    }
}

TEST(Attention, OnlyGpusTakeIt) {
    EXPECT_THROW(predict_attention({}, AttentionAlgorithm::fused, find_description("tpu-v2"), {}),
                 Error);
}

}  // namespace

}  // namespace strata::testing
