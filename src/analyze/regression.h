// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/line_fit.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The explanatory variables of a regression, one column each.
struct RegressionData {
    std::vector<std::string> names = {};
    std::vector<std::vector<double>> columns = {};  // by name; all as long as `target`
    std::vector<double> target = {};
};

// Whether hyperparameters enter unchanged or as their binary logarithm.
enum class FeatureScale { plain, log2 };
inline constexpr std::array<std::string_view, 2> names_of(FeatureScale) {
    return {"plain", "log2"};
}

struct RegressionOptions {
    FeatureScale scale = FeatureScale::plain;
    int order = 1;  // 2: squares and products of two as well
};

struct RegressionTerm {
    std::string name;  // "batch", "nodes^2", "batch x nodes"
    double weight = 0;
    Interval interval = {};
};

struct Regression {
    std::size_t count = 0;  // of the points
    std::vector<RegressionTerm> terms = {};
    double r_squared = 0;
    std::vector<std::string> constant = {};  // left out because constant
};

// Ordinary least squares of a target on standardised features (population deviation), so that
// weights are comparable: by how many deviations the target moves with one deviation of the feature
// (Wang, Wei and Brooks, MLSys 2020, section 4.2). Terms of the second order are products of
// these, standardised again. 95 % intervals by Student's t hold if the errors are normal with
// equal variance. Throws Error with exit code usage if there are too few points, the target
// is the same everywhere, features depend on each other, or a logarithm has no positive
// argument.
Regression regress(const RegressionData& data, const RegressionOptions& options);

}  // namespace strata
