// SPDX-License-Identifier: MIT
#include "run/algorithms.h"

#include "backend/reference/reference.h"
#include "graph/builder.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// Two equal convolutions, a different one, and a layer that is not a convolution.
Graph network() {
    const Convolution op = {
        .out_channels = 3, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
    GraphBuilder builder("network");
    TensorId x = builder.input("x", {{1, 3, 5, 5}});
    x = builder.add("first", op, {x});
    x = builder.add("act", Activation{}, {x});
    x = builder.add("again", op, {x});
    builder.add("other", Convolution{.out_channels = 2, .kernel = {1, 1}}, {x});
    return builder.finish();
}

TEST(Algorithms, EqualConvolutionsAreOneProblem) {
    const auto distinct = distinct_convolutions(network());
    ASSERT_EQ(distinct.size(), 2U);
    EXPECT_EQ(distinct[0].layer, 0U);
    EXPECT_EQ(distinct[0].layers, 2);
    EXPECT_EQ(distinct[1].layers, 1);
}

TEST(Algorithms, EachPassOfEachProblemIsMeasuredOncePerAlgorithm) {
    const Policy policy = {.warmup = 0, .min_time = {0}, .max_time = {0.01}, .min_samples = 1};
    const auto backend = make_reference_backend();
    const AlgorithmComparison comparison =
        measured_algorithms(network(), {.scheduling = {.threads = 1}}, *backend, policy,
                            [](const std::string&, double) {});
    // The reference has one algorithm, whatever is requested.
    ASSERT_EQ(comparison.results.size(), 6U);
    for (const AlgorithmResult& result : comparison.results) {
        EXPECT_FALSE(std::get<Samples>(result.time).values.empty()) << result.layer;
        EXPECT_GT(result.flops.value, 0);
    }
}

class TwoPlans : public AlgorithmSource {
public:
    std::string device() const override { return "a device"; }
    std::vector<Algorithm> algorithms(const Graph&, const Execution&) override {
        return {{.layer = 0, .implementation = "one", .time = Skipped{"offered"}},
                {.layer = 3, .implementation = "two", .time = Skipped{"offered"}}};
    }
};

TEST(Algorithms, WhatIsOfferedKeepsItsLayerAndReason) {
    TwoPlans source;
    const AlgorithmComparison comparison = offered_algorithms(network(), {}, source);
    ASSERT_EQ(comparison.results.size(), 2U);
    EXPECT_EQ(comparison.device, "a device");
    EXPECT_EQ(comparison.results[0].layer, "first");
    EXPECT_EQ(comparison.results[0].layers, 2);
    EXPECT_EQ(comparison.results[1].layer, "other");
    EXPECT_EQ(std::get<Skipped>(comparison.results[1].time).reason, "offered");
}

}  // namespace
}  // namespace strata
