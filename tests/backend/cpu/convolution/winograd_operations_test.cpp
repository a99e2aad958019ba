// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/winograd.h"
#include "tests/backend/cpu/convolution/outcome.h"

#include <gtest/gtest.h>

// The arithmetic of Winograd's convolutions: a run does what the transforms' matrices state.

namespace strata::cpu::winograd {
namespace {

Operations counted;

// Replaces a float and counts its operations.
struct Counted {};

Counted operator+(const Counted&, const Counted&) {
    ++counted.adds;
    return {};
}
Counted operator-(const Counted&, const Counted&) {
    ++counted.adds;
    return {};
}
Counted operator*(float, const Counted&) {
    ++counted.multiplies;
    return {};
}
Counted multiply_add(float, const Counted&, const Counted&) {
    ++counted.multiply_adds;
    return {};
}

void count_product(const ProductExtents& extents, const LeftMatrix&, const RightMatrix&,
                   const ResultMatrix&, Into) {
    counted.multiply_adds += static_cast<double>(extents.rows * extents.columns * extents.depth);
}
void count_panel_product(std::size_t rows, std::size_t depth, const LeftMatrix&, const float*,
                         const ResultMatrix&, Into) {
    counted.multiply_adds += static_cast<double>(rows * panel_columns * depth);
}

void count_sums(const float*, std::size_t count, float*) {
    counted.adds += static_cast<double>(count);
}

}  // namespace

template <>
struct Element<Counted> {
    static constexpr std::size_t lanes = 1;
    static void load(const float*, Counted&) {}
    static void store(float*, const Counted&) {}
    static void add_bias(const Counted&, Counted&) { ++counted.bias_adds; }
    static void add(const float*, Counted&) { ++counted.adds; }
    static void rectify(Counted&) { ++counted.compares; }
};

namespace {

WinogradKernels counting_kernels(double cache) {
    static constexpr WinogradTable table = winograd_table<Counted>();
    return {"counting", &table, &table, count_product, count_panel_product, count_sums, {cache}};
}

Operations operations_of_run(const PreparedConvolution& prepared,
                             const ConvolutionProblem& problem) {
    const auto floats = [](const Dims& dims) {
        std::size_t product = 1;
        for (const std::int64_t extent : dims) {
            product *= static_cast<std::size_t>(extent) + 16;  // for padding to blocks
        }
        return std::vector<float>(product);
    };
    auto x = floats(problem.x), weight = floats(problem.weight), y = floats(problem.y);
    auto bias = floats({problem.y[1]});
    std::vector<std::byte> workspace(static_cast<std::size_t>(prepared.workspace().value));
    const KeptWeights kept = prepared.kept_weights();
    std::vector<float> made(static_cast<std::size_t>(kept.bytes.value) / sizeof(float));
    if (kept.make) {
        kept.make(weight.data(), made.data(), workspace.data());
    }
    counted = {};
    prepared.run({x.data(), kept.make ? made.data() : weight.data(), bias.data(), y.data(),
                  problem.sum ? y.data() : nullptr},
                 workspace.data());
    return counted;
}

TEST(WinogradOperations, EqualTheCountsOfAnInstrumentedRun) {
    constexpr OperandOrders plain;
    constexpr OperandOrders blocked = {ImageOrder::nchw16c, FilterOrder::oihw16i16o,
                                       ImageOrder::nchw8c};
    for (std::size_t tile = 0; tile < winograd_tiles; ++tile) {
        const std::int64_t r = tile < 3 ? 3 : 5;
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
            for (const OperandOrders& orders : {plain, blocked}) {
                for (const double cache : {1e4, 1e7}) {
                    const bool forward = pass == Pass::forward;
                    const ConvolutionProblem problem =
                        problem_of(pass, {.x = {2, 21, 9, 14},
                                          .filter = {70, r, r},
                                          .pad_begin = {1, 2},
                                          .pad_end = {2, 0},
                                          .bias = true,
                                          .sum = forward,
                                          .relu = forward,
                                          .constant_weights = forward && cache > 1e5,
                                          .threads = 1});
                    const auto prepared = prepare_winograd(static_cast<WinogradTile>(tile), problem,
                                                           orders, counting_kernels(cache));
                    Operations expected = operations_of_run(*prepared, problem);
                    if (pass == Pass::backward_weights) {
                        expected.multiplies += 70;  // a factor for each channel of the bias
                    }
                    if (forward && orders.y == ImageOrder::nchw) {
                        // Plain images are added to and compared element by element.
                        const auto elements =
                            static_cast<double>(2 * 70 * problem.y[2] * problem.y[3]);
                        expected.adds += elements;
                        expected.compares += elements;
                    }
                    EXPECT_EQ(prepared->operations(), expected)
                        << text_of(problem) << ", tile " << tile;
                    EXPECT_GT(prepared->operations().multiply_adds, 0);
                }
            }
        }
    }
}

// Lavin and Gray's statement on their transforms: 4 x 4 tiles need 36 products instead of the
// definition's 144, a reduction by 4; 6 x 6 tiles 64 instead of 324.
TEST(WinogradOperations, ReduceTheProductsAsPublished) {
    const auto reduction = [](WinogradTile tile, std::int64_t extent, std::int64_t r) {
        const ConvolutionProblem problem = problem_of(
            Pass::forward,
            {.x = {1, 16, extent + r - 1, extent + r - 1}, .filter = {16, r, r}, .threads = 1});
        // Without those of the transforms.
        const double tiles = static_cast<double>(extent * extent);
        const double direct = tiles * 16 * 16 * static_cast<double>(r * r);
        counted = {};
        const auto prepared = prepare_winograd(tile, problem, {}, counting_kernels(1e7));
        const WinogradCosts costs = winograd_costs(tile);
        Operations operations = prepared->operations();
        const double m = tile == WinogradTile::f4x4_3x3   ? 4
                         : tile == WinogradTile::f6x6_3x3 ? 6
                                                          : 2;
        const double count = tiles / (m * m);
        operations.multiply_adds -=
            16 *
            (count * static_cast<double>(costs.input.multiply_adds + costs.output.multiply_adds) +
             16 * static_cast<double>(costs.filter.multiply_adds));
        return direct / operations.multiply_adds;
    };
    EXPECT_DOUBLE_EQ(reduction(WinogradTile::f2x2_3x3, 12, 3), 2.25);
    EXPECT_DOUBLE_EQ(reduction(WinogradTile::f4x4_3x3, 12, 3), 4);
    EXPECT_DOUBLE_EQ(reduction(WinogradTile::f6x6_3x3, 12, 3), 5.0625);
    EXPECT_DOUBLE_EQ(reduction(WinogradTile::f2x2_5x5, 12, 5), 100.0 / 36);
}

template <std::size_t m, std::size_t r>
double worst_error_in_double() {
    constexpr std::size_t size = m + r - 1;
    double data[size][size], filter[r][r], products[size][size], factors[size][size], y[m][m];
    for (std::size_t i = 0; i < size * size; ++i) {
        data[i / size][i % size] = static_cast<double>(i * 7 % 11) - 5;
    }
    for (std::size_t i = 0; i < r * r; ++i) {
        filter[i / r][i % r] = static_cast<double>(i * 5 % 7) - 3;
    }
    const auto from = [](auto& square) {
        return [&](auto i, auto j, double& value) { value = square[i][j]; };
    };
    const auto to = [](auto& square) {
        return [&](auto i, auto j, double value) { square[i][j] = value; };
    };
    transform_square<InputTransform<size>, double>(from(data), to(products));
    transform_square<FilterTransform<size, r>, double>(from(filter), to(factors));
    for (std::size_t i = 0; i < size * size; ++i) {
        products[i / size][i % size] *= factors[i / size][i % size];
    }
    transform_square<OutputTransform<m, size>, double>(from(products), to(y));
    double worst = 0;
    for (std::size_t i = 0; i < m * m; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < r * r; ++j) {
            sum += data[i / m + j / r][i % m + j % r] * filter[j / r][j % r];
        }
        worst = std::max(worst, std::abs(sum - y[i / m][i % m]));
    }
    return worst;
}

// Constants are rounded to float, which cannot represent 2/9.
TEST(WinogradTransforms, GiveTheCorrelationOfATileWithAFilterAndOfATileWithAGradient) {
    EXPECT_LT((worst_error_in_double<2, 3>()), 1e-12);
    EXPECT_LT((worst_error_in_double<4, 3>()), 1e-4);
    EXPECT_LT((worst_error_in_double<6, 3>()), 1e-4);
    EXPECT_LT((worst_error_in_double<2, 5>()), 1e-4);
    EXPECT_LT((worst_error_in_double<4, 5>()), 1e-4);
    EXPECT_LT((worst_error_in_double<3, 2>()), 1e-12);
    EXPECT_LT((worst_error_in_double<3, 4>()), 1e-4);
    EXPECT_LT((worst_error_in_double<3, 6>()), 1e-4);
    EXPECT_LT((worst_error_in_double<5, 2>()), 1e-4);
    EXPECT_LT((worst_error_in_double<5, 4>()), 1e-4);
}

}  // namespace
}  // namespace strata::cpu::winograd
