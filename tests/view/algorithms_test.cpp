// SPDX-License-Identifier: MIT
#include "view/algorithms.h"

#include "report/terminal.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

AlgorithmResult result(const std::string& layer, Pass pass, const std::string& implementation,
                       Measurement time) {
    AlgorithmResult result;
    result.layer = layer;
    result.problem = "convolution of " + layer;
    result.pass = pass;
    result.implementation = implementation;
    result.layout = "f16 nhwc";
    result.workspace = {8e6};
    result.flops = {2e9};
    result.time = std::move(time);
    return result;
}

Samples samples(double seconds) {
    return {{{seconds}, {seconds}, {seconds}}};
}

AlgorithmComparison comparison() {
    AlgorithmComparison comparison = {"net", 8, "f16", "a GPU", {}};
    comparison.results = {result("conv1", Pass::forward, "slow", samples(4e-3)),
                          result("conv1", Pass::backward_data, "only", samples(3e-3)),
                          result("conv1", Pass::forward, "quick", samples(1e-3)),
                          result("conv2", Pass::forward, "offered", Skipped{"not measured"}),
                          result("conv2", Pass::forward, "broken", Failed{"no memory"})};
    comparison.results[2].notes = "winograd";
    comparison.results[2].error = 3e-4;
    comparison.results[3].layers = 3;
    return comparison;
}

TEST(Algorithms, TheFastestOfEachPassIsFirstAndMarked) {
    testing::expect_golden("view/algorithms.txt", render_terminal(algorithms_document(comparison()),
                                                                  {.width = 120, .unicode = true}));
}

}  // namespace
}  // namespace strata
