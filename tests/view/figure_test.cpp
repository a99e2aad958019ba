// SPDX-License-Identifier: MIT
#include "view/figure.h"

#include "report/terminal.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

AlgorithmResult result(const std::string& layer, const std::string& algorithm, double seconds) {
    AlgorithmResult result;
    result.layer = layer;
    result.problem = "convolution of " + layer;
    result.algorithm = algorithm;
    result.implementation = "strata:" + algorithm;
    result.time = Samples{{{seconds}, {seconds}, {seconds}}};
    result.operations = Operations{.multiply_adds = 1e9};
    return result;
}

TEST(FigureView, AMissedOrderAndAnUnmeasuredBatchSaySo) {
    AlgorithmComparison comparison = {"net", 8, "f32", "onednn (isa AVX2)", {}};
    comparison.memory = {2e8};
    comparison.results = {result("conv1", "gemm", 4e-3), result("conv1", "direct", 3e-3),
                          result("conv2", "gemm", 2e-3), result("conv2", "direct", 1e-3),
                          result("conv2", "fft", 4e-3)};
    const std::vector<FigureBar> bars = {
        {.name = "gemm", .algorithm = "gemm", .published = 20e-3},
        {.name = "direct", .algorithm = "direct", .published = 24e-3},
        {.name = "fft", .algorithm = "fft", .published = 10e-3}};
    const FigurePanel panel{.name = "a: forward, batch 8",
                            .batch = 8,
                            .passes = "forward",
                            .layers = "*",
                            .tolerance = 1e-3,
                            .bars = bars};
    FigurePanel other = panel;
    other.name = "a: forward, batch 16";
    other.batch = 16;
    const MeasuredFigure figure{.name = "work2017-fig1",
                                .title = "time by algorithm over the batch",
                                .source = "Somebody et al., 2017, Fig. 1",
                                .network = "net",
                                .remarks = {"it is of a GPU."},
                                .panels = {panel, other}};
    const std::array batches = {comparison};
    testing::expect_golden(
        "view/figure.txt",
        render_terminal(figure_document(figure, compare_figure(figure, batches), batches),
                        {.width = 100, .unicode = true}));
}

}  // namespace
}  // namespace strata
