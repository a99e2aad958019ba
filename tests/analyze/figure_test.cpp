// SPDX-License-Identifier: MIT
#include "analyze/figure.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

AlgorithmResult result(const std::string& layer, Pass pass, const std::string& algorithm,
                       double seconds) {
    AlgorithmResult result;
    result.layer = layer;
    result.pass = pass;
    result.algorithm = algorithm;
    result.time = Samples{{{seconds}}};
    return result;
}

// conv1 has only products, conv2 every algorithm.
AlgorithmComparison comparison() {
    AlgorithmComparison comparison = {"net", 8, "f32", "an engine", {}};
    comparison.memory = {100};
    comparison.results = {
        result("conv1", Pass::forward, "gemm", 4),
        result("conv1", Pass::forward, "implicit-gemm", 3),
        result("conv1", Pass::backward_data, "gemm", 10),
        result("conv2", Pass::forward, "gemm", 9),
        result("conv2", Pass::forward, "direct", 7),
        result("conv2", Pass::forward, "winograd-2x2-3x3", 6),
        result("conv2", Pass::forward, "winograd-4x4-3x3", 5),
        result("conv2", Pass::backward_data, "gemm", 20),
        result("conv2", Pass::backward_weights, "gemm", 30),
    };
    comparison.results[4].is_heuristic = true;
    comparison.results[6].workspace = Bytes{50};
    AlgorithmResult& skipped =
        comparison.results.emplace_back(result("conv2", Pass::forward, "fft", 0));
    skipped.time = Skipped{"it cannot"};
    return comparison;
}

double ours(FigurePanel panel, const FigureBar& bar) {
    panel.batch = 8;
    panel.bars = {bar, bar};
    const MeasuredFigure figure{.name = "f", .network = "net", .panels = {panel}};
    const std::array batches = {comparison()};
    return compare_figure(figure, batches)[0].bars[0].ours.value_or(-1);
}

TEST(Figure, AFamilyIsItsFastestVariantOrElseAProduct) {
    const FigurePanel forward{.passes = "forward", .layers = "*"};
    EXPECT_EQ(ours(forward, {.algorithm = "winograd"}), 3 + 5);
    EXPECT_EQ(ours(forward, {.algorithm = "gemm"}), 3 + 9);
    EXPECT_EQ(ours(forward, {.algorithm = "direct"}), 3 + 7);
    EXPECT_EQ(ours(forward, {.algorithm = "fft"}), 3 + 9);
    EXPECT_EQ(ours(forward, {.algorithm = "heuristic"}), 3 + 7);
    EXPECT_EQ(ours(forward, {.algorithm = "fastest"}), 3 + 5);
}

TEST(Figure, APanelCountsItsLayersAndPasses) {
    EXPECT_EQ(ours({.passes = "forward", .layers = "conv2"}, {.algorithm = "gemm"}), 9);
    EXPECT_EQ(ours({.passes = "backward", .layers = "*"}, {.algorithm = "gemm"}), 10 + 20 + 30);
    EXPECT_EQ(ours({.passes = "training", .layers = "*"},
                   {.algorithm = "gemm", .first_layer_gradient = false}),
              3 + 9 + 20 + 30);
    EXPECT_EQ(ours({.passes = "forward", .layers = "conv3"}, {.algorithm = "gemm"}), -1);
}

TEST(Figure, MemoryHasTheLargestWorkspace) {
    const FigurePanel memory{
        .passes = "training", .layers = "*", .quantity = FigureQuantity::memory};
    EXPECT_EQ(ours(memory, {.algorithm = "winograd"}), 150);
    EXPECT_EQ(ours(memory, {.algorithm = "gemm"}), 100);
}

// Ours: winograd 8, direct 10, gemm 12.
ComparedPanel compared(double gemm, double direct, double winograd, double tolerance) {
    const FigurePanel panel{
        .batch = 8,
        .passes = "forward",
        .layers = "*",
        .tolerance = tolerance,
        .bars = {{.name = "gemm", .algorithm = "gemm", .published = gemm},
                 {.name = "direct", .algorithm = "direct", .published = direct},
                 {.name = "winograd", .algorithm = "winograd", .published = winograd}}};
    const std::array batches = {comparison()};
    return compare_figure({.name = "f", .network = "net", .panels = {panel}}, batches)[0];
}

TEST(Figure, OnlyPairsThatTheFigureDistinguishesCount) {
    const ComparedPanel same = compared(3, 2, 1, 0.1);
    EXPECT_EQ(same.pairs, 3U);
    EXPECT_EQ(same.agreement, OrderAgreement::same);
    EXPECT_DOUBLE_EQ(*same.rank_correlation, 1);

    const ComparedPanel reversed = compared(2, 3, 1, 0.1);
    EXPECT_EQ(reversed.agreement, OrderAgreement::differs);
    ASSERT_EQ(reversed.reversed.size(), 1U);
    EXPECT_EQ(reversed.reversed[0].less, "gemm");
    EXPECT_EQ(reversed.reversed[0].more, "direct");
    EXPECT_DOUBLE_EQ(*reversed.rank_correlation, 0.5);

    EXPECT_FALSE(reversed.reversed[0].is_equal);

    const ComparedPanel near = compared(2, 3, 1, 0.7);
    EXPECT_EQ(near.pairs, 1U);
    EXPECT_EQ(near.agreement, OrderAgreement::same);
    EXPECT_EQ(compared(2, 3, 1, 5).agreement, OrderAgreement::unknown);
}

TEST(Figure, AnotherBatchIsNotMeasured) {
    const MeasuredFigure figure{
        .name = "f",
        .network = "net",
        .panels = {{.batch = 16,
                    .passes = "forward",
                    .layers = "*",
                    .bars = {{.algorithm = "gemm"}, {.algorithm = "direct", .published = 1}}}}};
    const std::array batches = {comparison()};
    const auto panels = compare_figure(figure, batches);
    EXPECT_FALSE(panels[0].bars[0].ours);
    EXPECT_FALSE(panels[0].bars[0].our_rank);
    EXPECT_EQ(panels[0].agreement, OrderAgreement::unknown);
}

TEST(Figure, TiesShareTheMeanOfTheirRanks) {
    const std::array a = {1.0, 2.0, 2.0, 4.0};
    const std::array b = {1.0, 2.0, 3.0, 4.0};
    EXPECT_NEAR(*rank_correlation(a, b), 0.9486832980505138, 1e-15);
    const std::array constant = {1.0, 1.0, 1.0, 1.0};
    EXPECT_FALSE(rank_correlation(a, constant));
}

}  // namespace
}  // namespace strata
