// SPDX-License-Identifier: MIT
#include "report/flat.h"

#include "base/enumeration.h"
#include "report/format.h"
#include "report/unicode.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

template <class Predicate>
bool any_number(const Table& table, std::size_t column, Predicate&& holds) {
    const auto in_row = [&](const std::vector<Cell>& row) {
        const auto* number = std::get_if<Number>(&row[column]);
        return number && holds(*number);
    };
    return std::ranges::any_of(table.rows, in_row) || std::ranges::any_of(table.totals, in_row);
}

FlatValue finite(std::optional<double> value) {
    return value && std::isfinite(*value) ? FlatValue(*value) : FlatValue();
}

FlatValue part_of(const Number& number, CellPart part) {
    switch (part) {
        case CellPart::value:
            return finite(number.value);
        case CellPart::low:
            return finite(number.low);
        case CellPart::high:
            return finite(number.high);
        case CellPart::provenance:
            return std::string(name_of(number.provenance));
    }
    return {};
}

}  // namespace

std::vector<FlatColumn> flat_columns(const Table& table) {
    std::vector<FlatColumn> flat;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string& key = table.columns[i].key;
        flat.push_back({key, i, CellPart::value});
        if (any_number(table, i, [](const Number& number) { return number.low || number.high; })) {
            flat.push_back({key + "_low", i, CellPart::low});
            flat.push_back({key + "_high", i, CellPart::high});
        }
        if (any_number(table, i, [](const Number& number) {
                return number.provenance == Provenance::modelled ||
                       number.provenance == Provenance::imported;
            })) {
            flat.push_back({key + "_provenance", i, CellPart::provenance});
        }
    }
    return flat;
}

FlatValue flat_value(const std::vector<Cell>& row, const FlatColumn& column) {
    const Cell& cell = row[column.source];
    if (const auto* number = std::get_if<Number>(&cell)) {
        return part_of(*number, column.part);
    }
    const auto* text = std::get_if<std::string>(&cell);
    return text && column.part == CellPart::value ? FlatValue(*text) : FlatValue();
}

}  // namespace strata
