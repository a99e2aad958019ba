// SPDX-License-Identifier: MIT
#include "predict/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace strata::testing {

namespace {

// time = launch + size / rate, for sizes over five orders of magnitude.
struct Line {
    double launch = 1;
    double rate = 1;

    double at(double size) const { return launch + size / rate; }
};

std::vector<double> sizes() {
    std::vector<double> found;
    for (int i = 0; i < 60; ++i) {
        found.push_back(std::pow(10, i / 12.0));
    }
    return found;
}

void fit_line(Line& line, const std::vector<double>& measured, double pull) {
    const std::vector<FitParameter> parameters = {{&line.launch, pull}, {&line.rate, pull}};
    fit(parameters, measured, [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            predicted[i] = line.at(sizes()[i]);
        }
    });
}

TEST(Fit, FindsWhatMadeTheTimes) {
    const Line truth{40, 250};
    std::vector<double> measured;
    for (const double size : sizes()) {
        measured.push_back(truth.at(size));
    }
    Line line;
    fit_line(line, measured, 1e-6);
    EXPECT_NEAR(line.launch / truth.launch, 1, 1e-3);
    EXPECT_NEAR(line.rate / truth.rate, 1, 1e-3);
}

// A tenth of the rows is ten times too long; a least-squares fit would be far off.
TEST(Fit, AFewRowsThatDoNotFitBendNothing) {
    const Line truth{40, 250};
    std::vector<double> measured;
    for (const double size : sizes()) {
        measured.push_back(truth.at(size) * (measured.size() % 10 == 3 ? 10 : 1));
    }
    Line line;
    fit_line(line, measured, 1e-6);
    EXPECT_NEAR(line.launch / truth.launch, 1, 0.02);
    EXPECT_NEAR(line.rate / truth.rate, 1, 0.02);
}

TEST(Fit, WhatNoRowSpeaksOfStaysAtItsPrior) {
    double used = 3, unused = 7;
    const std::vector<FitParameter> parameters = {{&used, 0.01}, {&unused, 0.01}};
    const std::vector<double> measured(5, 12.0);
    fit(parameters, measured,
        [&](std::span<double> predicted) { std::ranges::fill(predicted, used); });
    EXPECT_NEAR(used, 12, 0.05);
    EXPECT_DOUBLE_EQ(unused, 7);
}

TEST(Fit, AStrongPullKeepsAParameter) {
    double value = 3;
    const std::vector<FitParameter> parameters = {{&value, 1e6}};
    const std::vector<double> measured(5, 12.0);
    fit(parameters, measured,
        [&](std::span<double> predicted) { std::ranges::fill(predicted, value); });
    EXPECT_NEAR(value, 3, 1e-3);
}

// The faster of two kernels runs. At the start of the fit, it is the one whose time does not depend
// on the parameter.
TEST(Fit, SingleMovesCrossAKinkBeforeWhichSlopesEnd) {
    const auto fitted = [](FitSearch search) {
        constexpr double other = 10;
        double value = 10.5;
        const std::vector<FitParameter> parameters = {{&value, 1e-6}};
        const std::vector<double> measured(5, 3.0);
        fit(
            parameters, measured,
            [&](std::span<double> predicted) {
                std::ranges::fill(predicted, std::min(value, other));
            },
            search);
        return value;
    };
    EXPECT_DOUBLE_EQ(fitted(FitSearch::slopes), 10.5);
    EXPECT_NEAR(fitted(FitSearch::slopes_and_single_moves), 3, 0.1);
}

}  // namespace

}  // namespace strata::testing
