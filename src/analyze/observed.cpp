// SPDX-License-Identifier: MIT
#include "analyze/observed.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace strata {

namespace {

// The name of a run that a condition tests; nothing if it tests a number.
std::optional<std::string> name_in(const Observation& run, std::string_view name) {
    return name == "backend"    ? std::optional(run.backend)
           : name == "platform" ? std::optional(std::string(platform_of(run)))
           : name == "network"  ? std::optional(run.network)
           : name == "family"   ? std::optional(run.family)
           : name == "mode"     ? std::optional(run.mode)
           : name == "dtype"    ? std::optional(run.dtype)
           : name == "version"  ? std::optional(run.version)
           : name == "origin"   ? std::optional(std::string(name_of(run.origin)))
                                : std::nullopt;
}

bool compares(double left, std::string_view comparison, double right) {
    return comparison == "="    ? left == right
           : comparison == "!=" ? left != right
           : comparison == "<"  ? left < right
           : comparison == "<=" ? left <= right
           : comparison == ">"  ? left > right
                                : left >= right;
}

}  // namespace

std::string_view unit_of(ObservedMetric metric) {
    constexpr std::array<std::string_view, names_of(ObservedMetric{}).size()> units = {
        "s", "1/s", "FLOP/s", "%", "FLOP/B", "FLOP"};
    return units[static_cast<std::size_t>(metric)];
}

std::optional<FlopRate> peak_for(const Observations& all, const Observation& run) {
    const Device* device = all.device_of(run);
    if (device == nullptr) {
        return {};
    }
    if (const auto peak = peak_of(*device, run.dtype)) {
        return peak;
    }
    std::optional<FlopRate> highest;
    for (const ComputeCeiling& one : device->compute) {
        highest = std::max(highest.value_or(FlopRate{}), one.peak.value);
    }
    return highest;
}

std::optional<double> metric_of(const Observations& all, const Observation& run,
                                ObservedMetric metric) {
    if (metric == ObservedMetric::work) {
        return run.flops > Flops{} ? std::optional(run.flops.value) : std::nullopt;
    }
    if (metric == ObservedMetric::intensity) {
        return run.flops > Flops{} && run.traffic > Bytes{}
                   ? std::optional((run.flops / run.traffic).value)
                   : std::nullopt;
    }
    if (!run.time) {
        return {};
    }
    if (metric == ObservedMetric::time) {
        return run.time->median.value;
    }
    if (metric == ObservedMetric::throughput) {
        return static_cast<double>(run.batch) / run.time->median.value;
    }
    if (!(run.flops > Flops{})) {
        return {};
    }
    const FlopRate rate = run.flops / run.time->median;
    if (metric == ObservedMetric::rate) {
        return rate.value;
    }
    const auto peak = peak_for(all, run);
    return peak ? std::optional(rate / *peak) : std::nullopt;
}

RunCondition parse_condition(std::string_view text) {
    const auto at = text.find_first_of("=<>!");
    RunCondition condition;
    if (at != text.npos && at > 0) {
        const bool is_long = text.substr(at + 1).starts_with('=');
        condition = {std::string(trim(text.substr(0, at))),
                     std::string(text.substr(at, is_long ? 2 : 1)),
                     std::string(trim(text.substr(at + (is_long ? 2 : 1))))};
    }
    const bool is_name = name_in({}, condition.name).has_value();
    const bool is_equality = condition.comparison == "=" || condition.comparison == "!=";
    if (condition.value.empty() || condition.comparison == "!" || condition.comparison == "==" ||
        (is_name && !is_equality) || (!is_name && !parse_number(condition.value))) {
        throw Error(fmt::format("--where '{}' is not a condition: give NAME=VALUE, such as "
                                "backend=paradnn:*, or nodes>=256",
                                printable(text)),
                    ExitCode::usage);
    }
    return condition;
}

bool holds(const RunCondition& condition, const Observation& run) {
    if (const auto name = name_in(run, condition.name)) {
        // (A network's own text has commas, which separate a glob's alternatives.)
        const bool matches = condition.value == *name || matches_glob(condition.value, *name);
        return matches == (condition.comparison == "=");
    }
    const auto value = parameter_of(run, condition.name);
    return value && compares(*value, condition.comparison, *parse_number(condition.value));
}

Observations selected(Observations all, std::span<const RunCondition> conditions) {
    std::erase_if(all.runs, [&](const Observation& run) {
        return !std::ranges::all_of(
            conditions, [&](const RunCondition& condition) { return holds(condition, run); });
    });
    return all;
}

std::vector<std::string> varied_parameters(std::span<const Observation* const> runs) {
    if (runs.empty()) {
        return {};
    }
    std::vector<std::string> names;
    for (const auto& [name, value] : runs.front()->parameters) {
        names.push_back(name);
    }
    names.insert(names.end(), {"threads", "batch"});
    std::erase_if(names, [&](const std::string& name) {
        const auto first = parameter_of(*runs.front(), name);
        bool differs = false;
        for (const Observation* run : runs) {
            const auto value = parameter_of(*run, name);
            if (!value) {
                return true;
            }
            differs = differs || value != first;
        }
        return !differs;
    });
    return names;
}

std::vector<BackendRuns> by_backend(const Observations& all) {
    std::vector<BackendRuns> groups;
    std::unordered_map<std::string_view, std::size_t> places;
    for (const Observation& run : all.runs) {
        const auto [at, is_new] = places.emplace(run.backend, groups.size());
        if (is_new) {
            groups.push_back({run.backend});
        }
        groups[at->second].runs.push_back(&run);
    }
    return groups;
}

}  // namespace strata
