// SPDX-License-Identifier: MIT
#pragma once

#include "measure/ratio.h"
#include "record/run.h"
#include "report/document.h"

#include <initializer_list>
#include <optional>

namespace strata {

// The provenance of a run's times and of what is computed from them: a rate computed from modelled
// times is modelled.
Provenance times_of(Origin origin);
Provenance derived_from(Origin origin);

// Whether an estimate has an interval: a single sample has none, and a model's answer needs none.
bool has_interval(const Estimate& time);

// Numbers as cells.
Cell time_cell(const Estimate& time, Provenance provenance);
Cell time_cell(Seconds time, Provenance provenance = Provenance::derived);
Cell bytes_cell(Bytes bytes, Provenance provenance = Provenance::derived);
Cell flops_cell(Flops flops);
Cell count_cell(double count);
Cell percent_cell(double share, Provenance provenance = Provenance::derived);
Cell number_cell(double value, const char* unit, Provenance provenance = Provenance::derived);
Cell ratio_cell(const Ratio& ratio);
Cell flag_cell(bool flag);  // true or false in data
// Missing if the step occurs in every iteration.
Cell seen_cell(const StepResult& step, std::size_t SeenIn::*part);
Cell text_or_missing(const std::string& text);  // empty: missing
Cell threads_cell(int threads);                 // missing if 0: unknown, or a device's own

// Appends a column, for data only, with the origin of each row's numbers.
void add_origin(Table& table, Origin origin);

// A table for data only, with these keys: people see it as a chart.
Table table_for_data(std::initializer_list<const char*> keys, std::string records);

// The cell, or a dash with its reason.
template <class Value, class Make>
Cell optional_cell(const std::optional<Value>& value, Make&& make, const char* reason = "") {
    return value ? Cell(make(*value)) : Cell(Missing{reason});
}

}  // namespace strata
