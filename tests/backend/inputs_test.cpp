// SPDX-License-Identifier: MIT
#include "backend/inputs.h"

#include "backend/semantics.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace strata {
namespace {

struct Moments {
    double mean = 0;
    double variance = 0;
};

Moments moments_of(const HostValues& values) {
    Moments moments;
    for (const float value : values) {
        moments.mean += value / static_cast<double>(values.size());
        moments.variance += value * static_cast<double>(value) / static_cast<double>(values.size());
    }
    return moments;
}

// A graph of one layer over the given tensors; the first is its data.
Graph graph_of(Op op, std::vector<GraphTensor> tensors) {
    Graph graph;
    graph.tensors = std::move(tensors);
    Layer layer{.name = "layer", .op = std::move(op), .inputs = {}, .outputs = {}};
    for (TensorId id = 0; id < graph.tensors.size(); ++id) {
        layer.inputs.push_back(id);
    }
    graph.layers.push_back(layer);
    return graph;
}

GraphTensor tensor(std::string name, Dims dims, Role role) {
    return {std::move(name), {std::move(dims)}, role, std::nullopt};
}

// A tensor that carries data.
template <class Element, std::size_t Count>
GraphTensor carrying(const std::array<Element, Count>& elements, DataType dtype) {
    GraphTensor result = tensor("data", {static_cast<std::int64_t>(Count)}, Role::constant);
    result.tensor.dtype = dtype;
    result.data = TensorData{std::as_bytes(std::span(elements)), nullptr};
    return result;
}

TEST(Inputs, AColumnMajorMatrixIsReadAsRowMajor) {
    const std::array<float, 6> columns = {0, 3, 1, 4, 2, 5};
    GraphTensor matrix = carrying(columns, DataType::f32);
    matrix.tensor.dims = {2, 3};
    matrix.data->order = MatrixOrder::column_major;
    EXPECT_EQ(values_of(matrix), (HostValues{0, 1, 2, 3, 4, 5}));
}

TEST(Inputs, AnIndexNamesARowOfTheSmallestTableItReaches) {
    Graph graph;
    graph.tensors = {
        tensor("i", {4000}, Role::input),         tensor("moved", {40, 100}, Role::activation),
        tensor("small", {5, 2}, Role::parameter), tensor("y", {}, Role::activation),
        tensor("large", {9, 2}, Role::parameter), tensor("z", {}, Role::activation)};
    graph.tensors[0].tensor.dtype = graph.tensors[1].tensor.dtype = DataType::s64;
    graph.layers = {{"move", Reshape{.dims = {40, 100}}, {0}, {1}},
                    {"one", Embedding{.rows = 5, .width = 2}, {1, 2}, {3}},
                    {"other", Embedding{.rows = 9, .width = 2}, {0, 4}, {5}}};
    const HostValues values = initial_values(graph, 0, 1);
    EXPECT_EQ(std::set(values.begin(), values.end()), (std::set<float>{0, 1, 2, 3, 4}));
}

TEST(Inputs, ParametersOfARecurrentLayerAreUniformAsPyTorchDrawsThem) {
    const Graph graph =
        graph_of(Recurrent{.hidden = 100},
                 {tensor("x", {3, 2, 7}, Role::input), tensor("w", {400, 7}, Role::parameter),
                  tensor("u", {400, 100}, Role::parameter), tensor("b", {400}, Role::parameter)});
    for (const TensorId id : {TensorId{1}, TensorId{2}, TensorId{3}}) {
        const HostValues values = initial_values(graph, id, 1);
        EXPECT_LE(std::ranges::max(values), 0.1F);
        EXPECT_GE(std::ranges::min(values), -0.1F);
        EXPECT_NEAR(moments_of(values).variance, 0.01 / 3, 0.0005);
    }
}

TEST(Inputs, WeightsAreNormalWithTwiceTheInverseOfTheirFanIn) {
    const Graph graph = graph_of(
        Convolution{.out_channels = 64, .kernel = {5, 5}},
        {tensor("x", {1, 40, 9, 9}, Role::input), tensor("w", {64, 40, 5, 5}, Role::parameter),
         tensor("b", {64}, Role::parameter)});
    const auto [mean, variance] = moments_of(initial_values(graph, 1, 1));
    EXPECT_NEAR(mean, 0, 1e-3);
    EXPECT_NEAR(variance, 2.0 / (40 * 25), 2e-5);
    EXPECT_EQ(initial_values(graph, 2, 1), HostValues(64, 0.0F));
}

TEST(Inputs, AMatrixOfAProductCountsTheExtentThatIsSummed) {
    for (const bool is_transposed : {false, true}) {
        const Dims weight = is_transposed ? Dims{90, 200} : Dims{200, 90};
        const Graph graph = graph_of(
            MatMul{.transpose_b = is_transposed},
            {tensor("x", {4, 200}, Role::activation), tensor("w", weight, Role::parameter)});
        EXPECT_NEAR(moments_of(initial_values(graph, 1, 1)).variance, 2.0 / 200, 5e-4);
    }
}

// Minimum and maximum of the values given to a layer's first operand.
std::pair<float, float> range_given_to(Op op) {
    const Graph graph = graph_of(std::move(op), {tensor("x", {1000}, Role::input)});
    const HostValues values = initial_values(graph, 0, 1);
    const auto [minimum, maximum] = std::ranges::minmax(values);
    return {minimum, maximum};
}

TEST(Inputs, AFunctionIsGivenValuesOfItsDomain) {
    EXPECT_GE(range_given_to(Unary{UnaryKind::logarithm}).first, 0.5F);
    EXPECT_GE(range_given_to(Unary{UnaryKind::square_root}).first, 0.5F);
    EXPECT_GE(range_given_to(Elementwise{ElementwiseKind::power}).first, 0.5F);
    EXPECT_GE(range_given_to(Unary{UnaryKind::inverse_hyperbolic_cosine}).first, 1.5F);
    EXPECT_LE(range_given_to(Unary{UnaryKind::inverse_hyperbolic_cosine}).second, 2.5F);
    EXPECT_LT(range_given_to(Unary{UnaryKind::exponential}).first, -0.9F);
    EXPECT_LT(range_given_to(Unary{UnaryKind::inverse_hyperbolic_tangent}).second, 1.0F);
}

TEST(Inputs, ABatchNormalizationStartsAsTheIdentity) {
    const Graph graph =
        graph_of(BatchNormalization{},
                 {tensor("x", {2, 3, 4, 4}, Role::activation),
                  tensor("scale", {3}, Role::parameter), tensor("shift", {3}, Role::parameter),
                  tensor("mean", {3}, Role::statistic), tensor("variance", {3}, Role::statistic)});
    EXPECT_EQ(initial_values(graph, 1, 1), HostValues(3, 1.0F));
    EXPECT_EQ(initial_values(graph, 2, 1), HostValues(3, 0.0F));
    EXPECT_EQ(initial_values(graph, 3, 1), HostValues(3, 0.0F));
    EXPECT_EQ(initial_values(graph, 4, 1), HostValues(3, 1.0F));
}

TEST(Inputs, LabelsAreWholeNumbersThatCoverTheClasses) {
    const Graph graph = graph_of(
        SoftmaxCrossEntropy{},
        {tensor("scores", {300, 7}, Role::activation), tensor("labels", {300}, Role::label)});
    const HostValues labels = initial_values(graph, 1, 1);
    EXPECT_EQ(std::set<float>(labels.begin(), labels.end()),
              (std::set<float>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Inputs, DataAreUniformBetweenMinusOneAndOne) {
    const Graph graph = graph_of(Identity{}, {tensor("x", {32, 1000}, Role::input)});
    const HostValues values = initial_values(graph, 0, 1);
    EXPECT_TRUE(std::ranges::all_of(values, [](float v) { return v >= -1 && v < 1; }));
    EXPECT_NEAR(moments_of(values).mean, 0, 0.02);
    EXPECT_NEAR(moments_of(values).variance, 1.0 / 3, 0.01);
}

TEST(Inputs, ValuesDependOnSeedAndNameButNotOnThePlaceInTheGraph) {
    const Graph first = graph_of(Identity{}, {tensor("x", {100}, Role::input)});
    Graph second = first;
    second.tensors.insert(second.tensors.begin(), tensor("y", {100}, Role::input));
    EXPECT_EQ(initial_values(first, 0, 1), initial_values(second, 1, 1));
    EXPECT_NE(initial_values(second, 0, 1), initial_values(second, 1, 1));
    EXPECT_NE(initial_values(first, 0, 1), initial_values(first, 0, 2));
}

TEST(Inputs, ThreadsDoNotChangeTheValues) {
    // Large enough to be drawn in parallel, unlike the small tensor of the same name.
    const Graph large = graph_of(Identity{}, {tensor("x", {1 << 18}, Role::input)});
    const Graph small = graph_of(Identity{}, {tensor("x", {1 << 10}, Role::input)});
    const HostValues all = initial_values(large, 0, 1);
    EXPECT_TRUE(std::ranges::equal(initial_values(small, 0, 1), std::span(all).first(1 << 10)));
}

TEST(Inputs, TheExternalGradientIsOneImagesShare) {
    const Graph graph = graph_of(Identity{}, {tensor("y", {64, 10, 5}, Role::activation)});
    const HostValues gradient = output_gradient(graph, 0, 1);
    EXPECT_LE(std::abs(*std::ranges::max_element(gradient)), 1.0F / 50);
    EXPECT_NEAR(moments_of(gradient).variance, 1.0 / 3 / 2500, 1e-5);
    EXPECT_NE(gradient, initial_values(graph, 0, 1));
}

TEST(Inputs, DropoutKeepsTheMeanAndDropsItsShare) {
    constexpr int count = 100'000;
    int dropped = 0;
    for (int i = 0; i < count; ++i) {
        const float scale = dropout_scale(3, static_cast<std::uint64_t>(i), 0.2);
        ASSERT_TRUE(scale == 0 || scale == 1.25F);
        dropped += scale == 0 ? 1 : 0;
    }
    EXPECT_NEAR(dropped / static_cast<double>(count), 0.2, 0.005);
    EXPECT_EQ(dropout_scale(3, 0, 0), 1);
}

TEST(Inputs, DropoutDropsWhatIsDrawnBelowItsProbability) {
    const RandomStream draws(7, 0x64726f706f7574);
    for (const double probability : {0.0, 0.1, 0.5, 0.37, 1.0}) {
        const DropoutChoice choice(7, probability);
        for (std::uint64_t i = 0; i < 1000; ++i) {
            ASSERT_EQ(choice.keeps(i), draws.uniform(i) >= probability) << i << " " << probability;
        }
        const DropoutChoice at_a_draw(7, draws.uniform(3));
        EXPECT_TRUE(at_a_draw.keeps(3));
    }
}

TEST(Inputs, CarriedDataAreReadInAnyType) {
    const auto half = std::to_array<std::uint16_t>({0x3C00, 0xC000, 0x0001, 0x7C00});
    EXPECT_EQ(values_of(carrying(half, DataType::f16)),
              (HostValues{1, -2, 0x1p-24F, std::numeric_limits<float>::infinity()}));
    const auto brain = std::to_array<std::uint16_t>({0x3F80, 0xC000, 0x4049});
    EXPECT_EQ(values_of(carrying(brain, DataType::bf16)), (HostValues{1, -2, 3.140625F}));
    EXPECT_EQ(values_of(carrying(std::array{1.5, -2.0}, DataType::f64)), (HostValues{1.5F, -2}));
    const auto whole = std::to_array<std::int64_t>({-3, 1'000'000});
    EXPECT_EQ(values_of(carrying(whole, DataType::s64)), (HostValues{-3, 1e6F}));
    const auto bytes = std::to_array<std::uint8_t>({0, 255});
    EXPECT_EQ(values_of(carrying(bytes, DataType::u8)), (HostValues{0, 255}));
    EXPECT_EQ(values_of(carrying(bytes, DataType::s8)), (HostValues{0, -1}));
    EXPECT_EQ(values_of(carrying(bytes, DataType::boolean)), (HostValues{0, 1}));
}

TEST(Inputs, ATensorThatCarriesDataStartsWithIt) {
    const std::array elements = {1.0F, 2.0F};
    const Graph graph = graph_of(Identity{}, {carrying(elements, DataType::f32)});
    EXPECT_EQ(initial_values(graph, 0, 1), (HostValues{1, 2}));
}

TEST(Inputs, OneElementFillsATensorOfAnySize) {
    const std::array element = {0.5F};
    GraphTensor filled = carrying(element, DataType::f32);
    filled.tensor.dims = {2, 2};
    EXPECT_EQ(values_of(filled), (HostValues{0.5F, 0.5F, 0.5F, 0.5F}));
}

TEST(Inputs, DataThatDoNotFillTheirShapeAreRefusedByName) {
    const std::array elements = {1.0F, 2.0F};
    GraphTensor broken = carrying(elements, DataType::f32);
    broken.tensor.dims = {3};
    try {
        values_of(broken);
        FAIL() << "two values filled three elements";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "tensor 'data' carries 8 bytes where its shape 3 of f32 needs 12; repair or "
                     "export the file again");
    }
}

}  // namespace
}  // namespace strata
