// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "predict/measured_networks.h"
#include "predict/problems.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The lower end, the median and the upper end of the interval of ln(measured / predicted).
struct Residuals {
    double low = 0;
    double middle = 0;
    double high = 0;
};

// The residuals of a class of problems, in a range of predicted times.
struct ResidualRow {
    std::string device;         // empty: of several devices, each with the same weight
    std::string problem_class;  // as in tables of problems; or a family, "any product"
    ResidualSplit split = ResidualSplit::cross_validated;
    std::size_t n = 0;
    std::size_t devices = 1;
    Seconds until;  // the longest predicted time; rows of one class follow one another, by size
    Residuals residuals;
    // The share of the measured times in the intervals that others let expect: other folds, other
    // parts of the sizes, other devices.
    double covered = 0;
};

// The family of a class, which it borrows from, and which serves classes that have no residuals:
// "any product".
std::string family_of_class(std::string_view problem_class);

// The content of data/residuals.toml, and the measurements it was computed from.
struct StatedResiduals {
    std::string source;
    std::vector<ResidualRow> rows;
};
std::span<const EmbeddedFile> residual_files();
const StatedResiduals& stated_residuals();

std::string to_toml(const StatedResiduals& stated);
// Throws Error, naming `origin`, for an unknown split or a number that is missing.
StatedResiduals parse_residuals(std::string_view toml, std::string_view origin);

// The residuals of the rows that have a time and can be predicted. Of each class on each device at
// most 600 rows count, evenly spread over the table, and fits take at most 240 of them.
std::vector<ResidualRow> residuals_of(std::span<const ProblemRow* const> rows);

// The same of times that were predicted elsewhere. Those that layers on CPUs would have if their
// errors, of which only the mean is known, were normally distributed are added.
std::vector<ResidualRow> residuals_of(std::span<const MeasuredTime> times);

}  // namespace strata
