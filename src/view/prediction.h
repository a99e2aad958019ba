// SPDX-License-Identifier: MIT
#pragma once

#include "predict/accuracy.h"
#include "predict/interval.h"
#include "report/document.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// A row's prediction, or why there is none.
struct PredictedRow {
    const ProblemRow* row = nullptr;
    std::optional<Seconds> time = {};
    std::string reason = {};
    std::optional<TimeInterval> interval = {};
    std::string basis = {};  // of the interval
};

// The given table with five more columns:
//
//   device   op      batch  m     ...  predicted_ms  low_ms  high_ms  basis              reason
//   V100     linear  1      3369  ...  0.164         0.152   0.181    cross-validated...
Document predictions_document(const ProblemTable& table, std::span<const PredictedRow> predicted);

// How far predictions are off, in percent:
//
//   device   class   split            n     MAPE   median  p90     sum
//   a100-40  linear  roofline         1500  43.1   38.0    70.2   -31.0
//   a100-40  linear  cross-validated  1500   4.8    3.3     9.6    -2.1
//   a100-40  linear  left-out         1500  14.6   11.0    30.2    -8.3
//
// `source` names the data, unless it is the user's own tables.
Document accuracy_document(std::span<const AccuracyRow> rows, const std::string& source = {});

// How measured times lie around predicted ones, in percent of the prediction, and the share of them
// that the interval of others holds:
//
//   device   class  split            n    until    p10   median  p90   covered
//   a100-40  add    cross-validated  100  31.2 us  -1.9  0.1     2.2   79 %
Document intervals_document(const StatedResiduals& stated);

// The errors as JSON: an array of objects with the columns' names as above, errors in percent.
std::string accuracy_json(std::span<const AccuracyRow> rows);

}  // namespace strata
