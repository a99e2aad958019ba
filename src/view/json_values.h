// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "record/settings.h"
#include "report/data.h"
#include "report/json.h"
#include "report/select.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace strata {

// Values as the writers of view/json.h write them: null if unknown.

// A count of operations or bytes, rounded because a convention may have fractional weights.
template <class Quantity>
nlohmann::ordered_json whole_json(Quantity count) {
    return static_cast<std::int64_t>(std::llround(count.value));
}

inline nlohmann::ordered_json number_json(std::optional<double> value) {
    return value && std::isfinite(*value) ? nlohmann::ordered_json(*value)
                                          : nlohmann::ordered_json();
}

inline nlohmann::ordered_json text_json(const std::string& value) {
    return value.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
}

// Null if they are unknown, or a GPU computed.
inline nlohmann::ordered_json threads_json(const Run& run) {
    const int threads = run.threads();
    return threads > 0 ? nlohmann::ordered_json(threads) : nlohmann::ordered_json();
}

// The selected records of the document. Requires: its first block is a table.
inline nlohmann::ordered_json records_in(const Document& document,
                                         const Selection& selection = {}) {
    const Document data = select(data_of(document), selection);
    return records_of(std::get<Table>(data.blocks.front()));
}

}  // namespace strata
