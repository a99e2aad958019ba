// SPDX-License-Identifier: MIT
#include "scale/compression.h"

#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace strata::testing {

namespace {

std::vector<float> drawn(std::size_t count, std::uint64_t seed) {
    const RandomStream stream(seed, 1);
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(2 * stream.uniform(i) - 1);
    }
    return values;
}

TEST(Compression, OneBitIsExactlyAThirtySecond) {
    const GradientCode code(Compression::one_bit, 4096);
    EXPECT_EQ((code.bytes() - code.scale_bytes()) * 32, 4096 * sizeof(float));
    EXPECT_EQ(code.scale_bytes(), 2 * sizeof(float));
    EXPECT_EQ(GradientCode(Compression::bf16, 4096).bytes() * 2, 4096 * sizeof(float));
    EXPECT_EQ(GradientCode(Compression::top_k, 4096).bytes(), 40 * 8U);
}

TEST(Compression, SumsOfSixteenBitsAreNearThoseOfThirtyTwo) {
    const auto a = drawn(1000, 1), b = drawn(1000, 2);
    for (const auto& [compression, within] :
         {std::pair{Compression::none, 0.0}, std::pair{Compression::f16, 1e-3},
          std::pair{Compression::bf16, 8e-3}}) {
        GradientCode first(compression, a.size()), second(compression, b.size());
        std::vector<std::byte> codes;
        for (const auto code : {first.encode(a), second.encode(b)}) {
            codes.insert(codes.end(), code.begin(), code.end());
        }
        std::vector<float> sum(a.size());
        first.decode_sum(codes, sum);
        for (std::size_t i = 0; i < sum.size(); ++i) {
            EXPECT_NEAR(sum[i], a[i] + b[i], within);
        }
    }
}

TEST(Compression, TopKSendsTheLargestAndKeepsTheRest) {
    auto values = drawn(200, 3);
    values[17] = 50;
    values[121] = -40;
    GradientCode code(Compression::top_k, values.size());
    std::vector<float> sum(values.size());
    code.decode_sum(code.encode(values), sum);
    for (std::size_t i = 0; i < sum.size(); ++i) {
        EXPECT_EQ(sum[i], i == 17 || i == 121 ? values[i] : 0.0F) << i;
    }
    // The next step sends what this one did not: twice a small value exceeds another once.
    std::vector<float> nothing(values.size());
    code.decode_sum(code.encode(nothing), sum);
    EXPECT_EQ(sum[17], 0.0F);
    EXPECT_NE(std::ranges::count(sum, 0.0F), static_cast<std::ptrdiff_t>(sum.size()));
}

// Two ranks minimise the sum of c_i (x_i - t_i)^2 whose curvatures c_i differ a hundredfold; each
// has its own half of the terms. Returns the loss after so many steps.
double loss_after(int steps, Compression compression, ErrorFeedback feedback, float rate = 2e-3F) {
    constexpr std::size_t count = 64;
    const auto targets = drawn(count, 4);
    std::vector<double> curvature(count);
    for (std::size_t i = 0; i < count; ++i) {
        curvature[i] = std::pow(100.0, static_cast<double>(i) / (count - 1));
    }
    std::vector<float> x(count), gradient(count), sum(count);
    GradientCode codes[2] = {{compression, count, feedback}, {compression, count, feedback}};
    for (int step = 0; step < steps; ++step) {
        std::vector<std::byte> all;
        for (std::size_t rank = 0; rank < 2; ++rank) {
            for (std::size_t i = 0; i < count; ++i) {
                const double own = i % 2 == rank ? 2 * curvature[i] : 0;
                gradient[i] = static_cast<float>(own * static_cast<double>(x[i] - targets[i]));
            }
            const auto code = codes[rank].encode(gradient);
            all.insert(all.end(), code.begin(), code.end());
        }
        codes[0].decode_sum(all, sum);
        for (std::size_t i = 0; i < count; ++i) {
            x[i] -= rate * sum[i];
        }
    }
    double loss = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double off = static_cast<double>(x[i] - targets[i]);
        loss += curvature[i] * off * off;
    }
    return loss;
}

TEST(Compression, OneBitConvergesWithFeedbackAndNotWithout) {
    const double start = loss_after(0, Compression::one_bit, ErrorFeedback::on);
    const double whole = loss_after(2000, Compression::none, ErrorFeedback::off);
    const double with = loss_after(2000, Compression::one_bit, ErrorFeedback::on);
    const double without = loss_after(2000, Compression::one_bit, ErrorFeedback::off);
    EXPECT_LT(whole, 1e-3 * start);
    EXPECT_LT(with, 1e-2 * start);
    EXPECT_GT(without, 10 * with);
}

TEST(Compression, TopKConvergesWithFeedback) {
    const double start = loss_after(0, Compression::top_k, ErrorFeedback::on);
    // It sends one of 64 values, so what it sends is the sum of some 64 steps.
    constexpr float slow = 5e-5F;
    EXPECT_LT(loss_after(40000, Compression::top_k, ErrorFeedback::on, slow), 5e-2 * start);
}

}  // namespace

}  // namespace strata::testing
