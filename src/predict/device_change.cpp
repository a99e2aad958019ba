// SPDX-License-Identifier: MIT
#include "predict/device_change.h"

#include "base/error.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "predict/rates.h"

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

bool is_changed(const DeviceDescription& device,
                const std::map<std::string, std::string>& changes) {
    if (changes.contains("launch") || changes.contains("cudnn")) {
        return true;
    }
    const auto measured = origin_of_rates(device);
    return measured && std::ranges::any_of(device_fields(), [&](const DeviceField& field) {
               const auto now = number_of(device, field), before = number_of(*measured, field);
               return field.key != "price" && field.key != "memory" &&
                      (now ? now->value : 0) != (before ? before->value : 0);
           });
}

}  // namespace strata
