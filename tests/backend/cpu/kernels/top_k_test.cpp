// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/top_k_loops.h"

#include "tests/backend/cpu/kernels/numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace strata::cpu {
namespace {

using testing::at;
using testing::drawn;

TEST(TopK, IsTheBeginningOfAStableSortForAnyExtents) {
    for (const std::int64_t inner : {1, 3, 40}) {
        for (const std::int64_t k : {1, 4, 19}) {
            for (const bool largest : {true, false}) {
                const TopKShape shape{3, 19, inner, k, largest};
                auto x = drawn(3 * 19 * inner, 0, 6);
                std::ranges::transform(x, x.begin(), [](float v) { return std::floor(v); });
                std::vector<float> y(at(3 * k * inner)), positions(y.size());
                top_k(shape, x.data(), y.data(), positions.data());
                for (std::int64_t o = 0; o < 3; ++o) {
                    for (std::int64_t i = 0; i < inner; ++i) {
                        std::vector<std::int64_t> order(19);
                        std::iota(order.begin(), order.end(), 0);
                        const auto term = [&](std::int64_t t) {
                            return x[at((o * 19 + t) * inner + i)];
                        };
                        std::ranges::stable_sort(order, [&](auto a, auto b) {
                            return largest ? term(a) > term(b) : term(a) < term(b);
                        });
                        for (std::int64_t j = 0; j < k; ++j) {
                            const std::size_t place = at((o * k + j) * inner + i);
                            EXPECT_EQ(positions[place], static_cast<float>(order[at(j)]));
                            EXPECT_EQ(y[place], term(order[at(j)]));
                        }
                    }
                }
            }
        }
    }
}

TEST(TopK, NotANumberIsTheLargest) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> x = {1, nan, std::numeric_limits<float>::infinity(), -2};
    std::vector<float> y(2), positions(2);
    top_k({1, 4, 1, 2, true}, x.data(), y.data(), positions.data());
    EXPECT_EQ(positions, (std::vector<float>{1, 2}));
    top_k({1, 4, 1, 2, false}, x.data(), y.data(), positions.data());
    EXPECT_EQ(positions, (std::vector<float>{3, 0}));
}

TEST(TopK, TheGradientGoesBackToThePlacesThatWereChosen) {
    const TopKShape shape{2, 5, 3, 2, true};
    const auto x = drawn(30, -1, 1);
    std::vector<float> y(12), positions(12), dx(30, 9);
    top_k(shape, x.data(), y.data(), positions.data());
    const auto dy = drawn(12, 1, 2, 5);
    top_k_gradient(shape, dy.data(), positions.data(), dx.data());
    std::vector<float> expected(30, 0);
    for (std::int64_t o = 0; o < 2; ++o) {
        for (std::int64_t j = 0; j < 2; ++j) {
            for (std::int64_t i = 0; i < 3; ++i) {
                const std::size_t from = at((o * 2 + j) * 3 + i);
                const auto place = static_cast<std::int64_t>(positions[from]);
                expected[at((o * 5 + place) * 3 + i)] = dy[from];
            }
        }
    }
    EXPECT_EQ(dx, expected);
}

TEST(Hardmax, OfEqualTermsTheFirstIsOne) {
    const std::vector<float> x = {2, 1, 7, 5, 7, 5};  // 3 terms of 2 columns
    std::vector<float> y(6, 9);
    hardmax({1, 3, 2, 1, true}, x.data(), y.data());
    EXPECT_EQ(y, (std::vector<float>{0, 0, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace strata::cpu
