// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/softmax_loops.h"

#include "tests/backend/cpu/kernels/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace strata::cpu {
namespace {

using testing::at;
using testing::drawn;

// Extents around those of registers: 4, 8 and 16 floats.
const std::vector<AcrossRows> shapes = {
    {1, 1, 1}, {2, 3, 5}, {3, 17, 16}, {1, 40, 33}, {5, 2, 100}};

// In double precision, term by term.
std::vector<double> plain_softmax(const AcrossRows& shape, const std::vector<float>& x) {
    std::vector<double> y(x.size());
    for (std::int64_t o = 0; o < shape.outer; ++o) {
        for (std::int64_t i = 0; i < shape.inner; ++i) {
            const auto place = [&](std::int64_t t) {
                return at((o * shape.terms + t) * shape.inner + i);
            };
            double sum = 0;
            for (std::int64_t t = 0; t < shape.terms; ++t) {
                sum += std::exp(static_cast<double>(x[place(t)]));
            }
            for (std::int64_t t = 0; t < shape.terms; ++t) {
                const double share = std::exp(static_cast<double>(x[place(t)])) / sum;
                y[place(t)] = shape.logarithm ? std::log(share) : share;
            }
        }
    }
    return y;
}

TEST(SoftmaxAcross, IsThatOfDoublePrecisionForAnyExtents) {
    for (AcrossRows shape : shapes) {
        for (const bool logarithm : {false, true}) {
            shape.logarithm = logarithm;
            const auto x = drawn(shape.outer * shape.terms * shape.inner, -3, 3);
            std::vector<float> y(x.size());
            softmax_across(shape, x.data(), y.data());
            const auto expected = plain_softmax(shape, x);
            for (std::size_t i = 0; i < y.size(); ++i) {
                EXPECT_NEAR(y[i], expected[i], 2e-6 * std::max(1.0, std::abs(expected[i])))
                    << shape.terms << " x " << shape.inner << " at " << i;
            }
        }
    }
}

TEST(SoftmaxAcross, LargeTermsNeitherOverflowNorChangeOtherColumns) {
    const AcrossRows shape{1, 3, 2};
    const std::vector<float> x = {1e30F, 0, -1e30F, 1, 1e30F, 0};
    std::vector<float> y(6);
    softmax_across(shape, x.data(), y.data());
    EXPECT_FLOAT_EQ(y[0], 0.5F);
    EXPECT_EQ(y[2], 0);
    EXPECT_FLOAT_EQ(y[4], 0.5F);
    EXPECT_NEAR(y[1] + y[3] + y[5], 1, 1e-6);
}

TEST(SoftmaxAcross, NothingNumericStaysInItsColumn) {
    const AcrossRows shape{1, 2, 20};
    auto x = drawn(40, -1, 1);
    x[7] = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> y(40);
    softmax_across(shape, x.data(), y.data());
    for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_EQ(std::isnan(y[i]), i % 20 == 7) << i;
    }
}

TEST(SoftmaxAcross, TheGradientIsTheFormulas) {
    for (AcrossRows shape : shapes) {
        for (const bool logarithm : {false, true}) {
            shape.logarithm = logarithm;
            const auto x = drawn(shape.outer * shape.terms * shape.inner, -2, 2);
            const auto dy = drawn(static_cast<std::int64_t>(x.size()), -1, 1, 7);
            std::vector<float> y(x.size()), dx(x.size());
            softmax_across(shape, x.data(), y.data());
            softmax_across_gradient(shape, y.data(), dy.data(), dx.data());
            for (std::int64_t o = 0; o < shape.outer; ++o) {
                for (std::int64_t i = 0; i < shape.inner; ++i) {
                    const auto place = [&](std::int64_t t) {
                        return at((o * shape.terms + t) * shape.inner + i);
                    };
                    double sum = 0;
                    for (std::int64_t t = 0; t < shape.terms; ++t) {
                        sum += logarithm ? double{dy[place(t)]}
                                         : double{dy[place(t)]} * double{y[place(t)]};
                    }
                    for (std::int64_t t = 0; t < shape.terms; ++t) {
                        const double share =
                            logarithm ? std::exp(double{y[place(t)]}) : double{y[place(t)]};
                        const double expected = logarithm ? double{dy[place(t)]} - share * sum
                                                          : share * (double{dy[place(t)]} - sum);
                        EXPECT_NEAR(dx[place(t)], expected, 5e-6 * std::max(1.0, std::abs(sum)));
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace strata::cpu
