// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/fft_plan.h"
#include "backend/lower/program.h"
#include "tests/backend/cpu/convolution/outcome.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <thread>

namespace strata::cpu {
namespace {

std::vector<ProblemShape> unit_step_shapes() {
    return {
        {.x = {2, 3, 9, 11},
         .filter = {5, 3, 3},
         .pad_begin = {1, 1},
         .pad_end = {1, 1},
         .bias = true},
        {.x = {1, 1, 1, 1}, .filter = {1, 1, 1}},
        {.x = {3, 17, 7, 7}, .filter = {33, 1, 1}, .bias = true, .sum = true, .relu = true},
        {.x = {1, 3, 29, 25}, .filter = {5, 11, 11}, .pad_begin = {5, 5}, .pad_end = {5, 5}},
        {.x = {2, 8, 27, 17},
         .filter = {18, 5, 5},
         .pad_begin = {2, 2},
         .pad_end = {2, 2},
         .groups = 2,
         .sum = true,
         .relu = true},
        {.x = {2, 6, 10, 9},
         .filter = {6, 3, 3},
         .pad_begin = {1, 1},
         .pad_end = {1, 1},
         .groups = 6},
        {.x = {1, 4, 12, 13}, .filter = {7, 3, 2}, .pad_begin = {3, 0}, .pad_end = {0, 4}},
        {.x = {2, 3, 2, 3},
         .filter = {4, 5, 6},
         .pad_begin = {4, 5},
         .pad_end = {2, 1},
         .bias = true},
        {.x = {1, 2, 20, 37}, .filter = {3, 17, 14}, .pad_begin = {20, 1}, .pad_end = {1, 20}},
        {.x = {3, 5, 21}, .filter = {6, 4}, .pad_begin = {3}, .pad_end = {1}, .sum = true},
        {.x = {3, 18, 20, 9}, .filter = {70, 3, 3}, .bias = true, .threads = 3},
        {.x = {70, 2, 8, 8}, .filter = {3, 3, 3}, .sum = true},
    };
}

class Fft : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        try {
            FftPlan::of({16, 16});
        } catch (const Refusal& refusal) {
            GTEST_SKIP() << refusal.reason;
        }
    }
    const ConvolutionMethod& method() const { return method_named(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Methods, Fft, ::testing::Values("fft", "fft-tiled"));

// Rounding grows with the logarithm of a transform's size, and is shared among all of a tile.
constexpr double fft_bound = 5e-6;

TEST_P(Fft, AgreesWithAConvolutionInDoublePrecisionOnEveryInstructionSet) {
    for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::baseline}) {
        const CappedIsa capped(isa);
        for (const ProblemShape& shape : unit_step_shapes()) {
            for (const Pass pass : tested_passes) {
                const ConvolutionProblem problem = problem_of(pass, shape);
                const Outcome outcome = outcome_of(method(), problem);
                EXPECT_LT(outcome.max_error(), fft_bound) << text_of(problem);
                EXPECT_LT(outcome.max_bias_error(), fft_bound) << text_of(problem);
                EXPECT_EQ(outcome.faults, std::vector<std::string>()) << text_of(problem);
            }
        }
    }
}

TEST_P(Fft, TakesImagesInEveryOrder) {
    for (const ImageOrder order : {ImageOrder::nchw8c, ImageOrder::nchw16c, ImageOrder::nhwc}) {
        for (const ProblemShape& shape : unit_step_shapes()) {
            for (const Pass pass : tested_passes) {
                const ConvolutionProblem problem = problem_of(pass, shape);
                const Outcome outcome =
                    outcome_of(method(), problem, {order, FilterOrder::oihw, order});
                EXPECT_EQ(outcome.orders.x, order);
                EXPECT_LT(outcome.max_error(), fft_bound) << text_of(problem);
                EXPECT_EQ(outcome.faults, std::vector<std::string>()) << text_of(problem);
            }
        }
    }
}

TEST_P(Fft, GivesTheSameBitsOnAnyNumberOfThreads) {
    for (ProblemShape shape : unit_step_shapes()) {
        for (const Pass pass : tested_passes) {
            shape.threads = 1;
            const auto one = outcome_of(method(), problem_of(pass, shape)).result;
            shape.threads = 3;
            EXPECT_EQ(one, outcome_of(method(), problem_of(pass, shape)).result);
        }
    }
}

TEST_P(Fft, PrecomputedSpectraGiveTheSame) {
    for (ProblemShape shape : unit_step_shapes()) {
        const ConvolutionProblem usual = problem_of(Pass::forward, shape);
        shape.constant_weights = true;
        const ConvolutionProblem constant = problem_of(Pass::forward, shape);
        const Outcome outcome = outcome_of(method(), constant);
        EXPECT_EQ(outcome.result, outcome_of(method(), usual).result) << text_of(usual);
        EXPECT_EQ(outcome.faults, std::vector<std::string>()) << text_of(usual);
        const auto kept = method().prepare(constant, {}), made = method().prepare(usual, {});
        EXPECT_GT(kept->kept_weights().bytes.value, 0);
        EXPECT_LT(kept->workspace(), made->workspace());
    }
}

TEST_P(Fft, RefusesStridesAndDilations) {
    EXPECT_EQ(refusal_of(method(),
                         problem_of(Pass::forward,
                                    {.x = {1, 2, 9, 9}, .filter = {3, 3, 3}, .stride = {2, 1}})),
              "stride 2x1: an FFT needs stride 1");
    EXPECT_EQ(refusal_of(method(),
                         problem_of(Pass::forward,
                                    {.x = {1, 2, 9, 9}, .filter = {3, 3, 3}, .dilation = {1, 2}})),
              "dilation 1x2: an FFT needs dilation 1");
}

TEST_P(Fft, NamesItsTransform) {
    const ProblemShape shape = {.x = {1, 2, 30, 30}, .filter = {3, 3, 3}};
    const std::string name =
        method().prepare(problem_of(Pass::forward, shape), {})->implementation();
    EXPECT_EQ(name.substr(0, name.rfind(':')),
              std::string("strata:") + (method().name == "fft" ? "fft-30x30" : "fft-tiled-16x16"));
}

TEST(FftTiled, RefusesFiltersThatFillATile) {
    const ProblemShape shape = {.x = {1, 1, 40, 40}, .filter = {1, 33, 3}};
    EXPECT_EQ(refusal_of(method_named("fft-tiled"), problem_of(Pass::forward, shape)),
              "filters of 33x3: tiles have 32x32 elements at most");
}

// By hand: 1 image of 14 x 14 results is one tile of 16 x 16 and half a pair; 16 inputs and 32
// outputs fill 1 and 2 blocks of lanes. 144 frequencies.
TEST_P(Fft, CountsTransformsAndProducts) {
    const ProblemShape shape = {.x = {1, 16, 16, 16}, .filter = {32, 3, 3}};
    const auto prepared = method().prepare(problem_of(Pass::forward, shape), {});
    // The image's transform, that of 14 rows of two blocks of results, those of 3 rows of filters.
    const FftPlan& plan = FftPlan::of({16, 16});
    Operations results = plan.operations(14), filters = plan.operations(3);
    Operations transforms = plan.operations(16);
    transforms += results *= 2;
    transforms += filters *= 8 * 2;
    const Operations operations = prepared->operations();
    EXPECT_EQ(operations.multiply_adds, 3 * 144 * 2 * 32 * 16 + transforms.multiply_adds);
    EXPECT_EQ(operations.multiplies, transforms.multiplies);
    // Sums of the left matrix's parts, of two products twice, of filters' parts and of their pairs.
    EXPECT_EQ(operations.adds,
              transforms.adds + 144 * (2 * 16 + 2 * 2 * 32 + 2 * 16 * 32 + 4 * 8 * 32));
    // Without those of the filters.
    ProblemShape constant = shape;
    constant.constant_weights = true;
    const auto kept = method().prepare(problem_of(Pass::forward, constant), {})->operations();
    EXPECT_EQ(operations.multiply_adds - kept.multiply_adds, filters.multiply_adds);
    EXPECT_EQ(operations.adds - kept.adds, filters.adds + 144 * (2 * 16 * 32 + 4 * 8 * 32));
}

TEST(FftPlan, TransformsEachLaneAndBack) {
    constexpr FftExtents extents = {6, 4};
    const FftPlan* plan = nullptr;
    try {
        plan = &FftPlan::of(extents);
    } catch (const Refusal& refusal) {
        GTEST_SKIP() << refusal.reason;
    }
    const std::unique_ptr<float, void (*)(void*)> memory(
        static_cast<float*>(std::aligned_alloc(64, extents.floats() * sizeof(float))), std::free);
    float* tile = memory.get();
    float* imaginary = tile + extents.part_floats();
    // Lane l has a wave of frequency (l % 6, l % 4).
    const auto place = [&](std::size_t h, std::size_t w, std::size_t lane) {
        return (h * extents.pitch() + w) * fft_lanes + lane;
    };
    const auto for_each = [](auto visit) {
        for (std::size_t i = 0; i < 6 * 4 * fft_lanes; ++i) {
            visit(i / fft_lanes / 4, i / fft_lanes % 4, i % fft_lanes);
        }
    };
    const auto wave = [](std::size_t h, std::size_t w, std::size_t lane) {
        const double turns =
            static_cast<double>(lane % 6 * h) / 6 + static_cast<double>(lane % 4 * w) / 4;
        return std::polar(1.0, 2 * std::numbers::pi * turns);
    };
    for_each([&](std::size_t h, std::size_t w, std::size_t lane) {
        tile[place(h, w, lane)] = static_cast<float>(wave(h, w, lane).real());
        imaginary[place(h, w, lane)] = static_cast<float>(wave(h, w, lane).imag());
    });
    plan->forward(tile, {3, 6});
    for_each([&](std::size_t h, std::size_t w, std::size_t lane) {
        EXPECT_NEAR(tile[place(h, w, lane)], h == lane % 6 && w == lane % 4 ? 24 : 0, 1e-4);
        EXPECT_NEAR(imaginary[place(h, w, lane)], 0, 1e-4);
    });
    plan->backward(tile, {0, 6});
    for_each([&](std::size_t h, std::size_t w, std::size_t lane) {
        EXPECT_NEAR(tile[place(h, w, lane)], 24 * wave(h, w, lane).real(), 1e-4);
        EXPECT_NEAR(imaginary[place(h, w, lane)], 24 * wave(h, w, lane).imag(), 1e-4);
    });
}

// The library's source states 144 additions for 16 complex elements (dft/scalar/codelets/n1_16.c).
TEST(FftPlan, CountsEveryLane) {
    try {
        const FftPlan& plan = FftPlan::of({16, 16});
        const Operations row = plan.operations(1), columns = plan.operations(0);
        EXPECT_EQ(columns.adds + columns.multiply_adds, 16 * fft_lanes * 144);
        EXPECT_EQ(row.adds + row.multiply_adds, 17 * fft_lanes * 144);
    } catch (const Refusal& refusal) {
        GTEST_SKIP() << refusal.reason;
    }
}

TEST(FftPlan, IsMadeOnceByManyThreads) {
    std::array<const FftPlan*, 4> plans = {};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        threads.emplace_back([&plans, i] {
            try {
                plans[i] = &FftPlan::of({12, 10});
            } catch (const Refusal&) {
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(plans, (std::array<const FftPlan*, 4>{plans[0], plans[0], plans[0], plans[0]}));
}

TEST(FftSize, IsAProductOfSmallPrimes) {
    EXPECT_EQ(fast_fft_size(1), 1U);
    EXPECT_EQ(fast_fft_size(11), 12U);
    EXPECT_EQ(fast_fft_size(226), 240U);
    EXPECT_EQ(fast_fft_size(113), 120U);
}

}  // namespace
}  // namespace strata::cpu
