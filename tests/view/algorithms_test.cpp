// SPDX-License-Identifier: MIT
#include "view/algorithms.h"

#include "analyze/algorithm_ranks.h"
#include "report/json.h"
#include "report/terminal.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>

namespace strata {
namespace {

AlgorithmResult result(const std::string& layer, Pass pass, const std::string& implementation,
                       Measurement time) {
    AlgorithmResult result;
    result.layer = layer;
    result.problem = "convolution of " + layer;
    result.pass = pass;
    result.implementation = implementation;
    result.algorithm = implementation;
    result.layout = "f16 nhwc";
    result.workspace = {8e6};
    result.flops = {2e9};
    result.time = std::move(time);
    return result;
}

Samples samples(double seconds) {
    return {{{seconds}, {seconds}, {seconds}}};
}

// Twelve undisturbed rounds.
Samples rounds(double seconds) {
    return {std::vector<Seconds>(12, Seconds{seconds})};
}

AlgorithmComparison comparison() {
    AlgorithmComparison comparison = {"net", 8, "f16", "a GPU", {}};
    comparison.results = {result("conv1", Pass::forward, "slow", samples(4e-3)),
                          result("conv1", Pass::backward_data, "only", samples(3e-3)),
                          result("conv1", Pass::forward, "quick", samples(1e-3)),
                          result("conv2", Pass::forward, "offered", Skipped{"not measured"}),
                          result("conv2", Pass::forward, "broken", Failed{"no memory"})};
    rank_algorithms(comparison);
    comparison.results[2].notes = "winograd";
    comparison.results[2].error = 3e-4;
    comparison.results[3].layers = 3;
    return comparison;
}

TEST(Algorithms, TheFastestOfEachPassIsFirstAndMarked) {
    testing::expect_golden("view/algorithms.txt",
                           render_terminal(algorithms_document(std::array{comparison()}),
                                           {.width = 120, .unicode = true}));
}

// A measured comparison with a tie, a policy that regrets, and an algorithm that one layer lacks.
AlgorithmComparison measured(std::int64_t batch) {
    AlgorithmComparison comparison = {"net", batch, "f32", "onednn (isa AVX2)", {}};
    comparison.sampling = AlgorithmSampling::in_turn;
    comparison.memory = {1e6 * static_cast<double>(batch)};
    const double unit = 1e-3 * static_cast<double>(batch);
    const auto add = [&](const std::string& layer, const std::string& algorithm, double time,
                         double multiplications) {
        AlgorithmResult& one = comparison.results.emplace_back(
            result(layer, Pass::forward, "strata:" + algorithm, rounds(time)));
        one.algorithm = algorithm;
        one.is_asked = algorithm == "direct";
        one.is_heuristic = algorithm == "gemm";
        one.operations = Operations{.multiply_adds = multiplications, .adds = 1e6};
        one.exact_error = AlgorithmError{.max = 2e-7, .relative_l2 = 1e-7, .elements = 512};
        one.is_deterministic = true;
    };
    add("conv1", "direct", 3 * unit, 1e9);
    add("conv1", "gemm", 2 * unit, 1e9);
    add("conv1", "fft", 2 * unit, 4e8);
    add("conv2", "direct", 1 * unit, 5e8);
    add("conv2", "gemm", 1.5 * unit, 5e8);
    add("conv2", "winograd", 0.9 * unit, 0);  // the library does not state its operations
    comparison.results.back().operations.reset();
    comparison.results.push_back(
        result("conv2", Pass::forward, "", Skipped{"stride 4: it needs stride 1"}));
    comparison.results.back().algorithm = "fft";
    comparison.results.back().workspace = {};
    comparison.results.back().layout.clear();
    rank_algorithms(comparison);
    return comparison;
}

TEST(Algorithms, TiesPoliciesAndChartsOverTheBatchAreShown) {
    const std::array batches = {measured(1), measured(8)};
    testing::expect_golden(
        "view/algorithms_batches.txt",
        render_terminal(algorithms_document(batches), {.width = 140, .unicode = true}));
}

TEST(Algorithms, JsonHasWholeRecordsAndPolicies) {
    const std::array batches = {measured(2)};
    testing::expect_golden("view/algorithms.json",
                           json_text("algorithms", "0.0.0", algorithms_json(batches)) + "\n");
}

}  // namespace
}  // namespace strata
