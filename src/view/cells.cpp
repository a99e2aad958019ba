// SPDX-License-Identifier: MIT
#include "view/cells.h"

namespace strata {

Provenance times_of(Origin origin) {
    return origin == Origin::measured   ? Provenance::measured
           : origin == Origin::modelled ? Provenance::modelled
                                        : Provenance::imported;
}

Provenance derived_from(Origin origin) {
    return origin == Origin::measured ? Provenance::derived : times_of(origin);
}

bool has_interval(const Estimate& time) {
    return time.samples > 1;
}

Cell time_cell(const Estimate& time, Provenance provenance) {
    Number number{.value = time.median.value, .unit = "s", .provenance = provenance};
    if (has_interval(time)) {
        number.low = time.low.value;
        number.high = time.high.value;
    }
    return number;
}

Cell time_cell(Seconds time, Provenance provenance) {
    return number_cell(time.value, "s", provenance);
}

Cell bytes_cell(Bytes bytes, Provenance provenance) {
    return number_cell(bytes.value, "B", provenance);
}

Cell flops_cell(Flops flops) {
    return number_cell(flops.value, "FLOP");
}

Cell count_cell(double count) {
    return number_cell(count, "");
}

Cell percent_cell(double share, Provenance provenance) {
    return number_cell(100 * share, "%", provenance);
}

Cell ratio_cell(const Ratio& ratio) {
    Number number{.value = ratio.value, .unit = ""};
    if (ratio.has_interval()) {
        number.low = ratio.low;
        number.high = ratio.high;
    }
    return number;
}

Cell flag_cell(bool flag) {
    return Verbatim{flag ? "true" : "false", flag ? 1.0 : 0.0};
}

Cell seen_cell(const StepResult& step, std::size_t SeenIn::*part) {
    return step.seen_in ? count_cell(static_cast<double>((*step.seen_in).*part)) : Cell(Missing{});
}

Cell text_or_missing(const std::string& text) {
    return text.empty() ? Cell(Missing{}) : Cell(text);
}

Cell number_cell(double value, const char* unit, Provenance provenance) {
    return Number{.value = value, .unit = unit, .provenance = provenance};
}

Cell threads_cell(int threads) {
    return threads > 0 ? count_cell(threads) : Cell(Missing{});
}

void add_origin(Table& table, Origin origin) {
    table.columns.push_back(data_column("origin"));
    const auto add = [&](std::vector<Cell>& row) {
        row.emplace_back(std::string(name_of(origin)));
    };
    std::ranges::for_each(table.rows, add);
    std::ranges::for_each(table.totals, add);
}

Table table_for_data(std::initializer_list<const char*> keys, std::string records) {
    Table table{.records = std::move(records)};
    for (const char* key : keys) {
        table.columns.push_back(data_column(key));
    }
    return table;
}

}  // namespace strata
