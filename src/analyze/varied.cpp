// SPDX-License-Identifier: MIT
#include "analyze/varied.h"

#include "base/text.h"
#include "record/options.h"

#include <algorithm>
#include <map>
#include <set>

namespace strata {

namespace {

using Description = std::map<std::string, std::string>;

// "dim hidden" and "variable HIDDEN" are displayed as their last word.
std::string own_name(const std::string& key) {
    const auto space = key.rfind(' ');
    return space == std::string::npos ? key : key.substr(space + 1);
}

// A network's text in pieces: NAME=VALUE under its name, the rest in order.
void describe_network(Description& description, std::string_view network) {
    std::string rest;
    while (!network.empty()) {
        const auto end = network.find_first_of(" ,:");
        const std::string_view piece = network.substr(0, end);
        const auto equals = piece.find('=');
        if (equals == std::string_view::npos || equals == 0) {
            rest += std::string(piece) + " ";
        } else {
            description[std::string(piece.substr(0, equals))] = piece.substr(equals + 1);
        }
        network.remove_prefix(end == std::string_view::npos ? network.size() : end + 1);
    }
    description["network "] = rest;
}

// A trailing space distinguishes settings from parameters in a network's own text.
std::string described_name(const Option& option) {
    return std::string(option.name) + (option.choices == nullptr ? "" : " ");
}

Description describe(const Settings& settings) {
    Description description;
    for (const auto& [name, value] : identifying_settings(settings)) {
        description[own_name(name)] = value;
    }
    describe_network(description, settings.network);
    description["backend "] = settings.backend;
    for (const Option& option : all_options()) {
        if (option.kept == Kept::in_column) {
            description[described_name(option)] = text_of(settings, option);
        }
    }
    description["batch"] = std::to_string(settings.batch);
    return description;
}

std::string described_value(const Description& description, const std::string& name) {
    const auto found = description.find(name);
    return found == description.end() ? "" : found->second;
}

// The names whose values vary.
std::set<std::string> differences(const std::vector<Description>& descriptions) {
    std::set<std::string> names;
    for (const Description& one : descriptions) {
        for (const auto& [name, value] : one) {
            for (const Description& other : descriptions) {
                if (described_value(other, name) != value) {
                    names.insert(name);
                }
            }
        }
    }
    return names;
}

std::vector<Description> descriptions_of(std::span<const Run> runs) {
    std::vector<Description> descriptions;
    for (const Run& run : runs) {
        descriptions.push_back(describe(run.settings));
    }
    return descriptions;
}

// How often a value changes between consecutive runs.
std::size_t changes_of(const std::vector<Description>& descriptions, const std::string& name) {
    std::size_t changes = 0;
    for (std::size_t i = 1; i < descriptions.size(); ++i) {
        changes +=
            described_value(descriptions[i], name) != described_value(descriptions[i - 1], name)
                ? 1U
                : 0U;
    }
    return changes;
}

}  // namespace

std::optional<Varied> varied_among(std::span<const Run> runs) {
    const auto descriptions = descriptions_of(runs);
    auto names = differences(descriptions);
    if (names.size() == 2) {
        names.erase("batch");  // the network's own batch follows the varied value
    }
    if (names.size() != 1) {
        return std::nullopt;
    }
    Varied varied{*names.begin(), {}};
    std::set<std::int64_t> distinct;
    for (const Description& one : descriptions) {
        const auto value = parse_integer(described_value(one, varied.name));
        if (!value || !distinct.insert(*value).second) {
            return std::nullopt;
        }
        varied.values.push_back(*value);
    }
    return varied;
}

std::optional<VariedGrid> grid_among(std::span<const Run> runs) {
    const auto descriptions = descriptions_of(runs);
    const auto names = differences(descriptions);
    VariedGrid grid{.names = {names.begin(), names.end()}, .values = {}};
    std::ranges::stable_sort(
        grid.names, {}, [&](const std::string& name) { return changes_of(descriptions, name); });
    std::set<std::vector<std::int64_t>> distinct;
    for (const Description& one : descriptions) {
        auto& values = grid.values.emplace_back();
        for (const std::string& name : grid.names) {
            const auto value = parse_integer(described_value(one, name));
            if (!value) {
                return std::nullopt;
            }
            values.push_back(*value);
        }
        if (!distinct.insert(values).second) {
            return std::nullopt;
        }
    }
    return grid.names.size() < 2 ? std::nullopt : std::optional(std::move(grid));
}

}  // namespace strata
