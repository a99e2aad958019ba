// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/broadcast_rows.h"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace strata::cpu {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const std::vector<float> known_exponents = {2, 1, 3, 0, 0.5F, -0.5F, -1, -2};
const std::vector<float> other_exponents = {2.5F, 1.0F / 3, -1.7F, 7, 0.01F, 30, -45.5F};

// Numbers of every size, from the smallest denormal ones to the largest.
std::vector<float> positive_numbers(std::size_t count) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> exponent(-149, 127.9F);
    std::vector<float> numbers(count);
    for (float& number : numbers) {
        number = std::exp2(exponent(random));
    }
    return numbers;
}

std::vector<float> powers(const std::vector<float>& x, const std::vector<float>& y) {
    std::vector<float> out(x.size());
    combine_row(ElementwiseKind::power, {x.data(), 1}, {y.data(), y.size() == 1 ? 0 : 1},
                out.data(), static_cast<std::int64_t>(x.size()));
    return out;
}

double units_off(float found, double expected) {
    const auto nearest = static_cast<float>(expected);
    if (found == nearest || (std::isnan(found) && std::isnan(nearest))) {
        return 0;
    }
    // In double: an engine lets denormal numbers count as zero.
    const auto magnitude = static_cast<double>(std::abs(nearest));
    const double unit = std::nextafter(std::abs(nearest), infinity) - magnitude;
    return std::abs(static_cast<double>(found) - expected) / unit;
}

void expect_powers(const std::vector<float>& x, const std::vector<float>& y, double units) {
    const std::vector<float> found = powers(x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float exponent = y.size() == 1 ? y[0] : y[i];
        EXPECT_LE(units_off(found[i], std::pow(static_cast<double>(x[i]), exponent)), units)
            << x[i] << " to the power of " << exponent << " is not " << found[i];
    }
}

TEST(Power, IsWithinAUnitOfTheLastPlace) {
    const std::vector<float> x = positive_numbers(10'001);
    for (const float exponent : other_exponents) {
        expect_powers(x, {exponent}, 1);
    }
    std::vector<float> each(x.size());
    for (std::size_t i = 0; i < each.size(); ++i) {
        each[i] = other_exponents[i % other_exponents.size()];
    }
    expect_powers(x, each, 1);
}

TEST(Power, ByAFewOperationsIsWithinThreeUnits) {
    std::vector<float> x = positive_numbers(1001);
    std::erase_if(x, [](float one) { return one < 1e-12F || one > 1e12F; });
    for (const float exponent : known_exponents) {
        expect_powers(x, {exponent}, 3);
    }
}

TEST(Power, SpecialNumbersAreRaisedAsTheStandardSays) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> x = {0.0F, -0.0F, infinity, -infinity, nan, -2.0F, -0.5F, 1.0F};
    std::vector<float> exponents = known_exponents;
    exponents.insert(exponents.end(), other_exponents.begin(), other_exponents.end());
    exponents.insert(exponents.end(), {infinity, -infinity, nan});
    for (const float exponent : exponents) {
        const std::vector<float> found = powers(x, {exponent});
        for (std::size_t i = 0; i < x.size(); ++i) {
            const float expected = std::pow(x[i], exponent);
            EXPECT_TRUE(found[i] == expected || (std::isnan(found[i]) && std::isnan(expected)))
                << x[i] << " to the power of " << exponent << " is " << found[i];
        }
    }
}

TEST(Power, ItsSlopeFollowsTheBase) {
    const std::vector<float> x = {0.5F, 1.5F, 2.0F, 3.0F, 0.25F};
    const std::vector<float> dy = {1, 2, 3, 4, 5};
    std::vector<float> slopes(x.size());
    for (const float exponent : {2.0F, 3.0F, 0.5F, 1.0F, 0.0F, -1.0F, 2.5F}) {
        slope_row(ElementwiseKind::power, 0, {x.data(), 1}, {&exponent, 0}, dy.data(),
                  slopes.data(), static_cast<std::int64_t>(x.size()));
        for (std::size_t i = 0; i < x.size(); ++i) {
            const float expected = dy[i] * exponent * std::pow(x[i], exponent - 1);
            EXPECT_NEAR(slopes[i], expected, 4e-7F * std::abs(expected)) << x[i];
        }
    }
}

}  // namespace
}  // namespace strata::cpu
