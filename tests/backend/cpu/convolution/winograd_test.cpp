// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/winograd.h"
#include "tests/backend/cpu/convolution/outcome.h"

#include <gtest/gtest.h>

// Compares Winograd's convolutions with one in double precision.

namespace strata::cpu::winograd {
namespace {

// A method and how exact it is: the largest difference over the largest magnitude, and the relative
// L2 norm. The larger a tile, the larger the elements of its matrices (up to 32 with points 2 and
// 1/2) and the cancellation.
struct Stated {
    const char* name = "";
    std::int64_t r = 3;
    double max = 0;
    double l2 = 0;
};
constexpr std::array stated = {
    Stated{"winograd-2x2-3x3", 3, 2e-6, 1e-6}, Stated{"winograd-4x4-3x3", 3, 1e-5, 5e-6},
    Stated{"winograd-6x6-3x3", 3, 1e-4, 5e-5}, Stated{"winograd-2x2-5x5", 5, 1e-5, 5e-6},
    Stated{"winograd-4x4-5x5", 5, 5e-5, 2e-5}};

std::vector<ProblemShape> ragged_shapes(std::int64_t r) {
    const std::int64_t half = r / 2;
    return {
        {.x = {1, 1, r, r}, .filter = {1, r, r}},
        {.x = {2, 3, 9, 11},
         .filter = {5, r, r},
         .pad_begin = {half, half},
         .pad_end = {half, half},
         .bias = true},
        {.x = {2, 16, 14, 14},
         .filter = {32, r, r},
         .pad_begin = {half, half},
         .pad_end = {half, half},
         .bias = true,
         .sum = true,
         .relu = true},
        {.x = {1, 20, 8, 17}, .filter = {70, r, r}, .pad_begin = {1, 0}, .pad_end = {0, 2}},
        {.x = {3, 17, 7, 5},
         .filter = {9, r, r},
         .pad_begin = {r - 1, r},
         .pad_end = {r + 1, r - 1},
         .bias = true,
         .sum = true},
        {.x = {1, 130, 13, 6},
         .filter = {24, r, r},
         .pad_begin = {half, half},
         .pad_end = {half, half},
         .relu = true,
         .threads = 3},
        {.x = {2, 4, 50, 46},
         .filter = {16, r, r},
         .pad_begin = {half, 0},
         .pad_end = {half, 0},
         .bias = true,
         .sum = true,
         .relu = true},
    };
}

std::vector<OperandOrders> all_orders() {
    return {{ImageOrder::nchw, FilterOrder::oihw, ImageOrder::nchw},
            {ImageOrder::nhwc, FilterOrder::oihw, ImageOrder::nhwc},
            {ImageOrder::nchw8c, FilterOrder::oihw8i8o, ImageOrder::nchw8c},
            {ImageOrder::nchw16c, FilterOrder::oihw16i16o, ImageOrder::nchw16c},
            {ImageOrder::nchw, FilterOrder::oihw16i16o, ImageOrder::nchw16c}};
}

void expect_agreement(const ConvolutionMethod& method, const ConvolutionProblem& problem,
                      const OperandOrders& orders, const Stated& bounds) {
    const Outcome outcome = outcome_of(method, problem, orders);
    SCOPED_TRACE(outcome.implementation + " " + text_of(problem));
    EXPECT_LT(outcome.max_error(), bounds.max);
    EXPECT_LT(outcome.relative_l2(), bounds.l2);
    EXPECT_EQ(outcome.faults, std::vector<std::string>());
    if (problem.pass == Pass::backward_weights && problem.bias) {
        EXPECT_LT(outcome.max_bias_error(), bounds.max);
    }
}

class Winograd : public ::testing::TestWithParam<Stated> {
protected:
    const ConvolutionMethod& method() const { return method_named(GetParam().name); }
};

TEST_P(Winograd, AgreesWithAConvolutionInDoublePrecisionOnRaggedProblems) {
    for (const Isa isa : tested_isas) {
        const CappedIsa cap(isa);
        for (const Pass pass : tested_passes) {
            for (const ProblemShape& shape : ragged_shapes(GetParam().r)) {
                const ConvolutionProblem problem = problem_of(pass, shape);
                expect_agreement(method(), problem, {}, GetParam());
            }
        }
    }
}

TEST_P(Winograd, TakesImagesAndFiltersInEveryOrder) {
    for (const Isa isa : tested_isas) {
        const CappedIsa cap(isa);
        for (const Pass pass : tested_passes) {
            for (const OperandOrders& orders : all_orders()) {
                const ConvolutionProblem problem =
                    problem_of(pass, {.x = {2, 23, 15, 10},
                                      .filter = {40, GetParam().r, GetParam().r},
                                      .pad_begin = {1, 1},
                                      .pad_end = {1, 1},
                                      .bias = true,
                                      .sum = true});
                expect_agreement(method(), problem, orders, GetParam());
            }
        }
    }
}

// Groups that fill blocks are read and written in place, others as plain images.
TEST_P(Winograd, ConvolvesGroupsInEveryOrder) {
    const std::int64_t r = GetParam().r;
    for (const Isa isa : tested_isas) {
        const CappedIsa cap(isa);
        for (const Pass pass : tested_passes) {
            for (const OperandOrders& orders : all_orders()) {
                for (const std::int64_t inputs : {48, 20}) {
                    const ConvolutionProblem problem = problem_of(pass, {.x = {2, 3 * inputs, 9, 7},
                                                                         .filter = {48, r, r},
                                                                         .pad_begin = {1, 1},
                                                                         .pad_end = {1, 1},
                                                                         .groups = 3,
                                                                         .bias = true,
                                                                         .sum = true});
                    expect_agreement(method(), problem, orders, GetParam());
                }
            }
        }
    }
}

// Whether a thread takes some tiles through all stages, or all threads do one stage after the
// other, depends on the channels and on the cache. Sums are the same.
template <int kilobytes>
std::unique_ptr<PreparedConvolution> with_cache(const ConvolutionProblem& problem,
                                                const OperandOrders& preferred) {
    WinogradKernels kernels = winograd_kernels();
    kernels.cache = {1024.0 * kilobytes};
    return prepare_winograd(WinogradTile::f4x4_3x3, problem, preferred, kernels);
}

TEST(WinogradBlocking, DoesNotChangeAnyResult) {
    constexpr OperandOrders orders = {ImageOrder::nchw16c, FilterOrder::oihw16i16o,
                                      ImageOrder::nchw16c};
    for (const Pass pass : tested_passes) {
        const ConvolutionProblem problem = problem_of(pass, {.x = {2, 70, 22, 31},
                                                             .filter = {80, 3, 3},
                                                             .pad_begin = {1, 1},
                                                             .pad_end = {1, 1},
                                                             .bias = true});
        const Outcome one = outcome_of({"", with_cache<100000>}, problem, orders);
        EXPECT_EQ(one.faults, std::vector<std::string>());
        for (const Outcome& other : {outcome_of({"", with_cache<2000>}, problem, orders),
                                     outcome_of({"", with_cache<100>}, problem, orders),
                                     outcome_of({"", with_cache<1>}, problem, orders)}) {
            if (pass != Pass::backward_weights) {
                EXPECT_EQ(one.result, other.result);
            }
            EXPECT_LT(other.max_error(), 1e-5);
            EXPECT_EQ(other.faults, std::vector<std::string>());
        }
    }
}

TEST_P(Winograd, ResultsDependNeitherOnThreadsNorOnTheRun) {
    for (const Pass pass : tested_passes) {
        ProblemShape shape = {.x = {2, 20, 30, 33},
                              .filter = {33, GetParam().r, GetParam().r},
                              .pad_begin = {1, 1},
                              .pad_end = {1, 1},
                              .bias = true,
                              .threads = 1};
        const Outcome one = outcome_of(method(), problem_of(pass, shape));
        for (const int threads : {1, 2, 5}) {
            shape.threads = threads;
            const Outcome other = outcome_of(method(), problem_of(pass, shape));
            EXPECT_EQ(one.result, other.result) << threads;
            EXPECT_EQ(one.bias_gradient, other.bias_gradient) << threads;
        }
    }
}

TEST_P(Winograd, PretransformedFiltersGiveTheSame) {
    ProblemShape shape = {.x = {2, 42, 14, 13},
                          .filter = {70, GetParam().r, GetParam().r},
                          .pad_begin = {1, 1},
                          .pad_end = {1, 1},
                          .bias = true,
                          .sum = true,
                          .relu = true};
    for (const std::int64_t groups : {1, 2}) {
        for (const OperandOrders& orders : all_orders()) {
            shape.groups = groups;
            shape.constant_weights = false;
            const ConvolutionProblem usual = problem_of(Pass::forward, shape);
            shape.constant_weights = true;
            const ConvolutionProblem constant = problem_of(Pass::forward, shape);
            const Outcome outcome = outcome_of(method(), constant, orders);
            EXPECT_EQ(outcome.result, outcome_of(method(), usual, orders).result);
            EXPECT_EQ(outcome.faults, std::vector<std::string>());
            EXPECT_GT(method().prepare(constant, orders)->kept_weights().bytes.value, 0);
            EXPECT_LT(method().prepare(constant, orders)->workspace(),
                      method().prepare(usual, orders)->workspace());
        }
    }
}

TEST_P(Winograd, NamesItselfAndTheInstructionSet) {
    const std::int64_t r = GetParam().r;
    const ConvolutionProblem problem = problem_of(Pass::forward, {{1, 1, r, r}, {1, r, r}});
    const CappedIsa cap(Isa::baseline);
    EXPECT_EQ(method().prepare(problem, {})->implementation(),
              "strata:" + std::string(GetParam().name) + ":portable");
}

INSTANTIATE_TEST_SUITE_P(AllTiles, Winograd, ::testing::ValuesIn(stated), [](const auto& tested) {
    std::string name = tested.param.name;
    std::erase(name, '-');
    return name;
});

TEST(WinogradRefusals, SayWhatItNeeds) {
    const ConvolutionMethod& method = method_named("winograd-4x4-3x3");
    const auto reason = [&](const ProblemShape& shape) {
        return refusal_of(method, problem_of(Pass::forward, shape));
    };
    const Dims x = {1, 4, 12, 12}, filter = {4, 3, 3};
    EXPECT_EQ(reason({.x = x, .filter = filter}), "");
    EXPECT_EQ(reason({.x = x, .filter = {4, 5, 5}}), "kernel 5x5: this Winograd is for 3x3");
    EXPECT_EQ(reason({.x = x, .filter = {4, 3, 1}}), "kernel 3x1: this Winograd is for 3x3");
    EXPECT_EQ(reason({.x = x, .filter = filter, .stride = {1, 2}}),
              "stride 2: Winograd needs stride 1");
    EXPECT_EQ(reason({.x = x, .filter = filter, .dilation = {2, 2}}),
              "dilation 2: Winograd needs dilation 1");
    EXPECT_EQ(reason({.x = x, .filter = filter, .groups = 2}),
              "groups of 2 channels: Winograd needs 16 in each");
    EXPECT_EQ(reason({.x = {1, 4, 12}, .filter = {4, 3}}),
              "1 spatial axes: Winograd is for images, which have 2");
}

}  // namespace
}  // namespace strata::cpu::winograd
