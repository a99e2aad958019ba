// SPDX-License-Identifier: MIT
#pragma once

#include "predict/accuracy.h"
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
};

// The given table with two more columns:
//
//   device   op      batch  m     n     k     ...  predicted_ms  reason
//   V100     linear  1      3369  184   1239  ...  0.164
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

// The same as JSON: an array of objects with the columns' names as above, errors in percent.
std::string accuracy_json(std::span<const AccuracyRow> rows);

}  // namespace strata
