// SPDX-License-Identifier: MIT
#include "run/algorithms.h"

#include "backend/reference/reference.h"
#include "tests/run/convolutions.h"
#include "tests/support/scripted_backend.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

TEST(Algorithms, EqualConvolutionsAreOneProblem) {
    const auto distinct = distinct_convolutions(testing::network_of_convolutions());
    ASSERT_EQ(distinct.size(), 2U);
    EXPECT_EQ(distinct[0].layer, 0U);
    EXPECT_EQ(distinct[0].layers, 2);
    EXPECT_EQ(distinct[1].layers, 1);
}

TEST(Algorithms, EachPassOfEachProblemIsMeasuredOncePerAlgorithm) {
    const Policy policy = {.warmup = 0, .min_time = {0}, .max_time = {0.01}, .min_samples = 1};
    const auto backend = make_reference_backend();
    const AlgorithmComparison comparison =
        measured_algorithms(testing::network_of_convolutions(), {.scheduling = {.threads = 1}},
                            *backend, policy, [](const std::string&, double) {});
    // The reference has one algorithm, whatever is requested.
    ASSERT_EQ(comparison.results.size(), 6U);
    for (const AlgorithmResult& result : comparison.results) {
        EXPECT_FALSE(std::get<Samples>(result.time).values.empty()) << result.layer;
        EXPECT_GT(result.flops.value, 0);
        EXPECT_EQ(result.rank, 1);
        EXPECT_FALSE(result.is_asked);
        EXPECT_TRUE(result.is_heuristic);
        EXPECT_EQ(result.is_deterministic, true);
        ASSERT_TRUE(result.exact_error);
        EXPECT_LT(result.exact_error->max, 1e-6);
        EXPECT_EQ(2 * result.operations->multiply_adds, result.flops.value);
    }
}

// An engine with a second algorithm for the forward pass: as fast, or three times faster, and wrong
// by a thousandth.
AlgorithmComparison scripted(double milliseconds) {
    const testing::ScriptedBackend* asked_of = nullptr;
    testing::ScriptedBackend backend([&](testing::ScriptedExecutable& executable) {
        const ConvolutionAlgorithm asked = asked_of->asked.engine.algorithm;
        for (std::size_t i = 0; i < executable.steps().size(); ++i) {
            const bool is_gemm =
                asked == ConvolutionAlgorithm::gemm && executable.steps()[i].pass == Pass::forward;
            executable.describe(i, [&](Step& step) {
                step.algorithm = is_gemm ? "gemm" : "direct";
                step.implementation = "scripted:" + step.algorithm;
                const bool is_as_asked = is_gemm || asked == ConvolutionAlgorithm::direct ||
                                         asked == ConvolutionAlgorithm::automatic;
                step.choice = {.asked = "something",
                               .source = "user",
                               .reason = is_as_asked ? "" : "it is not known"};
            });
            if (is_gemm) {
                executable.take_time(i, [=] { return Seconds{milliseconds * 1e-3}; });
            }
        }
    });
    asked_of = &backend;
    const Policy policy = {.warmup = 0, .min_time = {0}, .max_time = {10}, .min_samples = 6};
    return measured_algorithms(slice(testing::network_of_convolutions(), "other"), {}, backend,
                               policy, [](const std::string&, double) {});
}

TEST(Algorithms, UnsupportedAlgorithmsAreSkippedWithTheirReason) {
    const AlgorithmComparison comparison = scripted(1);
    const auto is_skipped = [](const AlgorithmResult& result) {
        const auto* skipped = std::get_if<Skipped>(&result.time);
        return skipped != nullptr && result.algorithm == "fft" &&
               skipped->reason == "it is not known";
    };
    EXPECT_EQ(std::ranges::count_if(comparison.results, is_skipped), 3);
}

TEST(Algorithms, OnlyEqualTimesShareARank) {
    const auto rank_of_direct = [](const AlgorithmComparison& comparison) {
        const auto found = std::ranges::find_if(comparison.results, [](const auto& result) {
            return result.algorithm == "direct" && result.pass == Pass::forward;
        });
        return found->rank;
    };
    EXPECT_EQ(rank_of_direct(scripted(1)), 1);
    EXPECT_EQ(rank_of_direct(scripted(0.3)), 2);
}

class TwoPlans : public AlgorithmSource {
public:
    std::string device() const override { return "a device"; }
    std::vector<Algorithm> algorithms(const Graph&, const Execution&) override {
        return {{.layer = 0, .implementation = "one", .time = Skipped{"offered"}},
                {.layer = 3, .implementation = "two", .time = Skipped{"offered"}}};
    }
};

TEST(Algorithms, OfferedAlgorithmsKeepTheirLayerAndReason) {
    TwoPlans source;
    const AlgorithmComparison comparison =
        offered_algorithms(testing::network_of_convolutions(), {}, source);
    ASSERT_EQ(comparison.results.size(), 2U);
    EXPECT_EQ(comparison.device, "a device");
    EXPECT_EQ(comparison.results[0].layer, "first");
    EXPECT_EQ(comparison.results[0].layers, 2);
    EXPECT_EQ(comparison.results[1].layer, "other");
    EXPECT_EQ(std::get<Skipped>(comparison.results[1].time).reason, "offered");
}

}  // namespace
}  // namespace strata
