// SPDX-License-Identifier: MIT
#include "published/read.h"

#include "base/error.h"
#include "base/range.h"
#include "base/text.h"
#include "base/toml_section.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace strata {

namespace {

using namespace std::string_view_literals;

// The keys of what is counted, and what a number has beside them.
constexpr std::array counted_keys = {"network"sv, "batch"sv,  "layers"sv,
                                     "except"sv,  "count"sv,  "convention"sv,
                                     "kernel"sv,  "passes"sv, "first_layer_gradient"sv};
constexpr std::array number_keys = {"network"sv,   "batch"sv,     "layers"sv,
                                    "except"sv,    "count"sv,     "convention"sv,
                                    "kernel"sv,    "passes"sv,    "first_layer_gradient"sv,
                                    "name"sv,      "published"sv, "tolerance"sv,
                                    "exact"sv,     "differs"sv,   "times"sv,
                                    "minus"sv,     "over"sv,      "formula"sv,
                                    "arguments"sv, "grid"sv};
constexpr std::array file_keys = {"title"sv, "source"sv, "remarks"sv, "every"sv, "numbers"sv};

template <class Value>
Value required(const TomlSection& section, std::string_view key, std::optional<Value> value) {
    if (!value) {
        section.refuse(key, "missing; give it");
    }
    return *value;
}

Counted counted_of(const TomlSection& section) {
    Counted counted;
    counted.network = required(section, "network", section.text("network"));
    counted.batch = section.count("batch");
    counted.layers = section.text("layers").value_or(counted.layers);
    counted.except = section.text("except").value_or(counted.except);
    counted.what = section.text("count").value_or(counted.what);
    counted.convention = section.text("convention").value_or(counted.convention);
    counted.kernel = section.text("kernel").value_or(counted.kernel);
    counted.passes = section.text("passes").value_or(counted.passes);
    if (section.truth("first_layer_gradient").value_or(false)) {
        counted.first_layer_gradient = FirstLayerGradient::computed;
    }
    return counted;
}

std::optional<Counted> other_counted(const TomlSection& number, std::string_view key) {
    const toml::table* table = number.table(key);
    if (table == nullptr) {
        return {};
    }
    const TomlSection section(*table, number.place(key), number);
    section.expect_only(counted_keys);
    return counted_of(section);
}

std::map<std::string, double> arguments_of(const TomlSection& number) {
    std::map<std::string, double> arguments;
    const toml::table* table = number.table("arguments");
    if (table == nullptr) {
        return arguments;
    }
    const TomlSection section(*table, number.place("arguments"));
    for (const auto& [key, value] : *table) {
        arguments[std::string(key.str())] = *section.number(key.str());
    }
    return arguments;
}

// Ranges as --vary takes them, an axis each.
Grid grid_of(const TomlSection& section) {
    Grid grid;
    for (const std::string& range : section.texts("grid")) {
        grid.push_back(parse_range(range, section.place("grid")));
    }
    return grid;
}

// What is counted, or the formula or the grid that stands in its place.
void read_meaning(const TomlSection& section, PublishedNumber& number) {
    number.grid = grid_of(section);
    if (!number.grid.empty()) {
        return;
    }
    if (const auto formula = section.text("formula")) {
        number.formula = Formula{*formula, arguments_of(section)};
        return;
    }
    number.counted = counted_of(section);
    number.minus = other_counted(section, "minus");
    number.over = other_counted(section, "over");
}

PublishedNumber number_of(const TomlSection& section) {
    section.expect_only(number_keys);
    PublishedNumber number;
    number.name = required(section, "name", section.text("name"));
    number.published = required(section, "published", section.number("published"));
    number.tolerance = section.number("tolerance").value_or(0);
    number.exact = section.number("exact");
    number.differs = section.text("differs").value_or("");
    number.times = section.number("times").value_or(1);
    read_meaning(section, number);
    return number;
}

}  // namespace

Reproduction parse_reproduction(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection whole(table, std::string(origin));
    whole.expect_only(file_keys);
    Reproduction reproduction;
    reproduction.name = std::filesystem::path(origin).stem().string();
    reproduction.title = required(whole, "title", whole.text("title"));
    reproduction.source = required(whole, "source", whole.text("source"));
    reproduction.remarks = whole.texts("remarks");
    const toml::table none;
    const toml::table* every = whole.table("every");
    const TomlSection common(every == nullptr ? none : *every, whole.place("every"));
    common.expect_only(number_keys);
    for (const toml::table* number : whole.tables("numbers")) {
        const auto index = reproduction.numbers.size() + 1;
        const TomlSection section(*number, fmt::format("{}: number {}", origin, index), common);
        reproduction.numbers.push_back(number_of(section));
    }
    return reproduction;
}

}  // namespace strata
