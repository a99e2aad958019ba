// SPDX-License-Identifier: MIT
#include "run/lone_layer.h"
#include "backend/reference/reference.h"
#include "graph/builder.h"

#include <gtest/gtest.h>

#include <limits>

namespace strata {
namespace {

Graph network_of(const Convolution& op, Dims image) {
    GraphBuilder builder("network");
    const TensorId x = builder.input("x", {std::move(image)});
    builder.add("conv", op, {x});
    return builder.finish();
}

std::vector<AlgorithmResult> results_of_all_passes() {
    std::vector<AlgorithmResult> results(3);
    results[0].pass = Pass::forward;
    results[1].pass = Pass::backward_data;
    results[2].pass = Pass::backward_weights;
    return results;
}

// The reference accumulates in double precision too, in another order, and rounds to f32.
void expect_the_reference(const Convolution& op, const Dims& image) {
    const Graph graph = network_of(op, image);
    LoneLayer lone(graph, 0);
    const auto executable = make_reference_backend()->prepare(
        lone.graph(), LoneLayer::execution({.scheduling = {.threads = 1}}));
    auto results = results_of_all_passes();
    lone.examine(*executable, results);
    for (const AlgorithmResult& result : results) {
        ASSERT_TRUE(result.exact_error);
        EXPECT_GT(result.exact_error->elements, 0U);
        EXPECT_LT(result.exact_error->max, 1e-7);
        EXPECT_LT(result.exact_error->relative_l2, 1e-7);
        EXPECT_EQ(result.is_deterministic, true);
    }
}

TEST(ConvolutionError, TheReferenceHasOnlyRoundingErrors) {
    expect_the_reference({.out_channels = 6,
                          .kernel = {3, 5},
                          .stride = {2, 1},
                          .dilation = {1, 2},
                          .pad_begin = {1, 3},
                          .pad_end = {0, 2}},
                         {2, 4, 9, 11});
    expect_the_reference({.out_channels = 6, .kernel = {3, 3}, .groups = 2, .bias = false},
                         {2, 4, 6, 7});
    expect_the_reference({.out_channels = 2, .kernel = {3}, .pad_begin = {1}}, {2, 3, 12});
    expect_the_reference({.out_channels = 2, .kernel = {2, 3, 2}, .stride = {1, 2, 1}},
                         {1, 3, 4, 7, 5});
}

ConvolutionValues one_by_one() {
    return {.window = {{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
            .groups = 1,
            .x_dims = {1, 2, 1, 2},
            .weight_dims = {1, 2, 1, 1},
            .y_dims = {1, 1, 1, 2},
            .x = {1, 2, 3, 4},
            .weight = {10, 100},
            .bias = {0.5F},
            .y_gradient = {1, -1}};
}

TEST(ConvolutionError, ElementsAreTheSumsOfTheDefinition) {
    const ConvolutionValues values = one_by_one();
    EXPECT_EQ(expected_elements(values, Pass::forward).values, (std::vector<double>{310.5, 420.5}));
    EXPECT_EQ(expected_elements(values, Pass::backward_data).values,
              (std::vector<double>{10, -10, 100, -100}));
    EXPECT_EQ(expected_elements(values, Pass::backward_weights).values,
              (std::vector<double>{-1, -1}));
}

TEST(ConvolutionError, ErrorsAreRelative) {
    const ExpectedElements expected = {{0, 2}, {3, -4}};
    const std::vector<float> result = {3, 99, -3};
    const AlgorithmError error = error_of(expected, result);
    EXPECT_DOUBLE_EQ(error.max, 0.25);
    EXPECT_DOUBLE_EQ(error.relative_l2, 0.2);
    EXPECT_EQ(error.elements, 2U);
    EXPECT_EQ(error_of(expected, std::vector<float>{3, 99, -4}).max, 0);
}

TEST(ConvolutionError, ElementsOfALargeResultAreDrawnFromAllOfIt) {
    ConvolutionValues values = one_by_one();
    values.x_dims = {1, 2, 100, 200};
    values.y_dims = {1, 1, 100, 200};
    values.x.assign(40000, 1);
    const ExpectedElements expected = expected_elements(values, Pass::forward, 2000);
    EXPECT_EQ(expected.places.size(), 1000U);
    EXPECT_LT(expected.places.front(), 20U);
    EXPECT_GE(expected.places.back(), 19980U);
    EXPECT_EQ(expected.values.front(), 110.5);
}

}  // namespace
}  // namespace strata
