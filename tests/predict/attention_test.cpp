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

// The mask leaves n (n + 1) / 2 pairs of n queries and keys; fewer queries are the last ones.
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
                // (Unfused backward keeps the scores instead of recomputing them.)
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

// One query of each head: K and V are read once for all heads that share them.
AttentionProblem decoding(std::int64_t kv_heads, std::int64_t keys = 8192) {
    return {.batch = 32,
            .heads = 64,
            .kv_heads = kv_heads,
            .queries = 1,
            .keys = keys,
            .width = 128,
            .mask = AttentionMask::causal,
            .arithmetic = Arithmetic::bf16,
            .element_bytes = 2};
}

TEST(Attention, SharedKeysAreReadOnce) {
    const double cache = 2.0 * 32 * 8192 * 128 * 2;
    const double queries = 2.0 * 32 * 64 * 128 * 2;
    EXPECT_EQ(decoding(64).compulsory().value, 64 * cache + queries);
    EXPECT_EQ(decoding(8).compulsory().value, 8 * cache + queries);
    EXPECT_EQ(decoding(8).flops(), decoding(64).flops());
    AttentionProblem narrow = decoding(8);
    narrow.cache_bytes = 1;
    EXPECT_EQ(narrow.compulsory().value, 8 * cache / 2 + queries);
    const auto time = [](const AttentionProblem& problem) {
        return predict(problem, AttentionAlgorithm::fused).time;
    };
    EXPECT_LT(time(decoding(8)), time(decoding(64)) / 4);
    EXPECT_LT(time(narrow), time(decoding(8)));
    EXPECT_GT(time(decoding(8, 8320)), time(decoding(8)));
}

TEST(Attention, AWindowLeavesTheLastKeysOnly) {
    AttentionProblem all = of_length(1000, AttentionMask::causal);
    AttentionProblem near = all;
    near.window = 100;
    // 1 to 100 keys for the first 100 queries, 100 keys for the others.
    EXPECT_NEAR(near.flops() / of_length(1000).flops(), (5050 + 900 * 100) / 1e6, 1e-12);
    near.window = 1000;
    EXPECT_EQ(near.flops(), all.flops());
    AttentionProblem last = decoding(8);
    last.window = 1024;
    EXPECT_EQ(last.compulsory(), decoding(8, 1024).compulsory());
    EXPECT_EQ(predict(last, AttentionAlgorithm::fused).time,
              predict(decoding(8, 1024), AttentionAlgorithm::fused).time);
}

TEST(Attention, KeysOfFewSequencesAreDividedAmongProcessors) {
    AttentionProblem one = decoding(1, 65536);
    one.batch = 1;
    const AttentionRates rates = prior_attention_rates(a100());
    FusedRates whole = rates.fused_in(AttentionPhase::decode);
    whole.split_keys = 1e9;
    EXPECT_LT(predict_fused(one, a100(), rates.fused_in(AttentionPhase::decode)).time,
              predict_fused(one, a100(), whole).time / 4);
}

TEST(Attention, BothPassesTakeTheirSum) {
    AttentionProblem both = of_length(2048, AttentionMask::causal, AttentionPass::both);
    const auto of_pass = [&](AttentionPass pass) {
        AttentionProblem one = both;
        one.pass = pass;
        return predict(one, AttentionAlgorithm::fused);
    };
    const AttentionPrediction sum = predict(both, AttentionAlgorithm::fused);
    EXPECT_EQ(sum.time,
              of_pass(AttentionPass::forward).time + of_pass(AttentionPass::backward).time);
    EXPECT_NEAR(both.flops() / of_length(2048, AttentionMask::causal).flops(), 3.5, 1e-12);
    EXPECT_EQ(both.phase(), AttentionPhase::backward);
}

TEST(Attention, OnlyGpusTakeIt) {
    EXPECT_THROW(predict_attention({}, AttentionAlgorithm::fused, find_description("tpu-v2"), {}),
                 Error);
}

}  // namespace

}  // namespace strata::testing
