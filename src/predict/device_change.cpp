// SPDX-License-Identifier: MIT
#include "predict/device_change.h"

#include "base/error.h"
#include "base/text.h"
#include "base/unit_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

DeviceChanges changes_in(const std::map<std::string, std::string>& stored) {
    DeviceChanges changes;
    for (const auto& [key, values] : stored) {
        for (const std::string_view value : split(values, ',')) {
            changes.push_back(fmt::format("{}={}", key, trim(value)));
        }
    }
    return changes;
}

bool changes_numbers(const std::map<std::string, std::string>& stored) {
    return std::ranges::any_of(stored, [](const auto& change) {
        return change.first != "framework" && change.first != "products";
    });
}

std::optional<std::string_view> value_for(std::string_view name, std::string_view change) {
    const auto equals = change.find('=');
    if (equals == std::string_view::npos || trim(change.substr(0, equals)) != name) {
        return std::nullopt;
    }
    return trim(change.substr(equals + 1));
}

LaunchChange launch_change(std::string_view value) {
    if (value.ends_with('x')) {
        if (const auto factor = parse_with_unit(value.substr(0, value.size() - 1), "")) {
            return *factor;
        }
    }
    if (const auto seconds = parse_with_unit(value, "s")) {
        return Seconds{*seconds};
    }
    throw Error(
        fmt::format("launch: '{}' is not a time, nor a factor such as 0.5x", printable(value)),
        ExitCode::usage);
}

}  // namespace strata
