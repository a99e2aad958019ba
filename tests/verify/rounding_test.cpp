// SPDX-License-Identifier: MIT
#include "verify/expected.h"

#include "op/op.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace strata {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

TEST(TensorError, TheLargestDifferenceIsRelativeToTheScale) {
    const HostValues ours = {1, 2, 3}, reference = {1, 2.5F, 3.25F};
    EXPECT_DOUBLE_EQ(largest_difference(ours, reference, 2), 0.25);
    EXPECT_EQ(largest_difference(ours, ours, 0), 0);
}

TEST(TensorError, NanDiffersInfinitely) {
    const HostValues bad = {not_a_number}, good = {1}, huge = {infinity};
    EXPECT_EQ(largest_difference(bad, good, 1), infinity);
    EXPECT_EQ(largest_difference(good, bad, 1), infinity);
    EXPECT_EQ(largest_difference(huge, good, 1), infinity);
    EXPECT_EQ(largest_difference(huge, huge, 1), 0);
    EXPECT_EQ(largest_difference(bad, bad, 1), 0);
}

TEST(TensorError, AnythingButZeroDiffersFromAReferenceOfZeros) {
    EXPECT_EQ(largest_difference(HostValues{1e-30F}, HostValues{0}, 0), infinity);
}

TEST(TensorError, MagnitudesCoverTheWholeTensor) {
    EXPECT_DOUBLE_EQ(root_mean_square(HostValues{3, -4, 0, 0}), 2.5);
    EXPECT_EQ(largest_magnitude(HostValues{3, -4, 0, 0}), 4);
    EXPECT_EQ(root_mean_square({}), 0);
}

TEST(Rounding, TolerancesGrowWithTypeLengthAndAlgorithm) {
    const SumShape short_sum = {.length = 9}, long_sum = {.length = 90'000};
    const double base = tolerance_of(short_sum, {}, "direct");
    EXPECT_LT(base, 2e-5);
    EXPECT_GT(tolerance_of(long_sum, {}, "direct"), 5 * base);
    EXPECT_LT(tolerance_of(long_sum, {}, "direct"), 5e-4);
    EXPECT_DOUBLE_EQ(tolerance_of(short_sum, {}, "winograd"), 4 * base);
    EXPECT_NEAR(tolerance_of(short_sum, {.numerics = {.dtype = DataType::bf16}}, ""), 0x1p-7, 1e-4);
    const Execution fast = {.numerics = {.single_precision = SinglePrecision::tf32}};
    EXPECT_DOUBLE_EQ(tolerance_of({}, fast, ""), tolerance_of({}, {}, "")) << "nothing is summed";
    EXPECT_NEAR(tolerance_of(long_sum, fast, ""), 0x1p-8, 5e-4);
    EXPECT_DOUBLE_EQ(tolerance_of(short_sum, {}, "tensor cores, winograd"), 4 * base);
}

// f16 has only multiples of 2^-24 there; a wrong value of that size is still found.
TEST(Rounding, ValuesBelowTheNormalOnesOfF16MayMissByTheirSteps) {
    const Execution narrow = {.numerics = {.dtype = DataType::f16}};
    const SumShape sum = {.length = 64};
    const Expected small = {{4e-5F}, smallest_scale(DataType::f16), tolerance_of(sum, narrow, "")};
    EXPECT_TRUE(small.compare(HostValues{4e-5F + 0x1p-20F}).agrees());
    EXPECT_FALSE(small.compare(HostValues{0}).agrees());
    EXPECT_EQ(smallest_scale(DataType::bf16), 0);
}

// Terms that cancel leave a small sum with the rounding error of the large terms.
TEST(Rounding, ASumThatCancelsIsJudgedByItsTerms) {
    const SumShape sum = {.length = 10'000, .magnitude = 1};
    const Expected cancelled = {{1e-6F}, sum.typical(), tolerance_of(sum, {}, "direct")};
    EXPECT_TRUE(cancelled.compare(HostValues{2e-6F}).agrees());
    EXPECT_FALSE(cancelled.compare(HostValues{1e-1F}).agrees());
}

// A running mean that cancels to zero is judged by the values that were averaged.
TEST(Rounding, AMeanOfValuesThatCancelIsJudgedByTheirSize) {
    const BatchNormalization op = {.momentum = 0.9};
    const Tensor image = {{2, 1, 2, 2}}, channel = {{1}};
    const Signature signature = {.inputs = {{image, Role::activation},
                                            {channel, Role::parameter},
                                            {channel, Role::parameter},
                                            {channel, Role::statistic},
                                            {channel, Role::statistic}},
                                 .outputs = {image}};
    const HostValues x = {3, -3, 3, -3, 3, -3, 3, -3}, one = {1}, zero = {0};
    const OperandValues values = {
        .signature = signature, .inputs = {x, one, zero, zero, one}, .training = false};
    EXPECT_NEAR(statistic_sum(op, values, 3).typical(), 0.1 * 3, 1e-9);
    EXPECT_EQ(statistic_sum(op, values, 4).typical(), 0) << "a variance cannot cancel";
}

// A serial f32 sum of random terms in a register stays well within its tolerance.
TEST(Rounding, ASerialSumInSinglePrecisionIsWithinItsTolerance) {
    for (const int length : {100, 10'000, 1'000'000}) {
        double exact = 0;
        float serial = 0;
        std::uint64_t state = 1;
        for (int i = 0; i < length; ++i) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            const auto term = static_cast<float>(static_cast<double>(state >> 40) * 0x1p-23 - 1);
            exact += term;
            serial += term;
        }
        const SumShape sum = {.length = static_cast<double>(length),
                              .magnitude = 1 / std::sqrt(3.0)};
        const Expected expected = {
            {static_cast<float>(exact)}, sum.typical(), tolerance_of(sum, {}, "direct")};
        EXPECT_TRUE(expected.compare(HostValues{serial}).agrees()) << length;
        EXPECT_LT(expected.tolerance, 1e-3);
    }
}

}  // namespace
}  // namespace strata
