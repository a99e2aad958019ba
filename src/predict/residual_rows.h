// SPDX-License-Identifier: MIT
#pragma once

#include "predict/residuals.h"

#include <span>
#include <string>
#include <vector>

namespace strata {

// One residual, and the part of its set that it is checked apart from: its fold or size.
struct Residual {
    Seconds predicted;
    double value = 0;  // ln(measured / predicted)
    std::size_t part = 0;
};

// The residuals of one class on one device, made in one way.
struct ResidualSet {
    std::string device;
    std::string problem_class;
    ResidualSplit split = ResidualSplit::cross_validated;
    std::vector<Residual> residuals = {};
};

// What the residuals of each device and of all of them let expect, by class and by family. Both
// ends of an interval are quantiles of one level for each split: that by which intervals hold eight
// tenths of the groups (devices, parts of the sizes, folds) that had no part in them.
std::vector<ResidualRow> rows_of(std::span<const ResidualSet> sets);

}  // namespace strata
