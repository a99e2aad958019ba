// SPDX-License-Identifier: MIT
#include "metric/catalogue.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "base/toml_section.h"
#include "metric/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace strata {

namespace {

using namespace std::string_view_literals;

constexpr std::array set_keys = {"title"sv, "collected"sv, "remarks"sv, "metrics"sv};
constexpr std::array metric_keys = {"name"sv, "unit"sv, "meaning"sv, "formula"sv, "stall"sv};
constexpr std::array architecture_keys = {"name"sv, "chips"sv, "missing"sv};
constexpr std::array gap_keys = {"counters"sv, "chips"sv, "reason"sv};

template <class E>
E choice(const TomlSection& section, std::string_view key, const std::string& name) {
    const auto value = value_named<E>(name);
    if (!value) {
        std::vector<std::string> names;
        for (const std::string_view known : names_of(E{})) {
            names.emplace_back(known);
        }
        section.refuse(key, fmt::format("'{}' is not known; choose one of {}", printable(name),
                                        join(names, ", ")));
    }
    return *value;
}

MetricFormula formula_of(const TomlSection& section) {
    const std::string text = section.required_text("formula");
    try {
        return MetricFormula::parse(text);
    } catch (const Error& error) {
        section.refuse("formula", error.what());
    }
}

Metric metric_of(const TomlSection& section) {
    section.expect_only(metric_keys);
    Metric metric{.name = section.required_text("name"),
                  .unit = section.required_text("unit"),
                  .meaning = section.required_text("meaning"),
                  .formula = formula_of(section)};
    if (const auto stall = section.text("stall")) {
        metric.stall = choice<StallCategory>(section, "stall", *stall);
    }
    return metric;
}

CounterGap gap_of(const TomlSection& section) {
    section.expect_only(gap_keys);
    return {.counters = section.required_text("counters"),
            .chips = section.text("chips").value_or("*"),
            .reason = section.required_text("reason")};
}

// Each table of a list, with its place for messages.
template <class Use>
void for_each_table(const TomlSection& whole, std::string_view key, std::string_view origin,
                    Use use) {
    std::size_t index = 0;
    for (const toml::table* table : whole.tables(key)) {
        use(TomlSection(*table, fmt::format("{}: {} {}", origin, key, ++index)));
    }
}

}  // namespace

MetricSet parse_metric_set(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection whole(table, std::string(origin));
    whole.expect_only(set_keys);
    MetricSet set{
        .name = std::filesystem::path(origin).stem().string(),
        .title = whole.required_text("title"),
        .collected = choice<Collected>(whole, "collected", whole.required_text("collected")),
        .remarks = whole.texts("remarks")};
    for_each_table(whole, "metrics", origin, [&](const TomlSection& section) {
        Metric metric = metric_of(section);
        if (std::ranges::find(set.metrics, metric.name, &Metric::name) != set.metrics.end()) {
            section.refuse("name", "another metric has this name; rename one");
        }
        set.metrics.push_back(std::move(metric));
    });
    return set;
}

Architecture parse_architecture(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection whole(table, std::string(origin));
    whole.expect_only(architecture_keys);
    Architecture architecture{.name = whole.required_text("name"), .chips = whole.texts("chips")};
    for_each_table(whole, "missing", origin, [&](const TomlSection& section) {
        architecture.gaps.push_back(gap_of(section));
    });
    return architecture;
}

MetricCatalogue metric_catalogue() {
    MetricCatalogue catalogue;
    for (const EmbeddedFile& file : metric_set_files()) {
        catalogue.sets.push_back(parse_metric_set(file.text, fmt::format("{}.toml", file.name)));
    }
    for (const EmbeddedFile& file : architecture_files()) {
        catalogue.architectures.push_back(
            parse_architecture(file.text, fmt::format("{}.toml", file.name)));
    }
    return catalogue;
}

const MetricSet& find_metric_set(const MetricCatalogue& catalogue, std::string_view name) {
    const auto found = std::ranges::find(catalogue.sets, name, &MetricSet::name);
    if (found != catalogue.sets.end()) {
        return *found;
    }
    std::vector<std::string> names;
    for (const MetricSet& set : catalogue.sets) {
        names.push_back(set.name);
    }
    const auto meant = nearest(name, names);
    throw Error(fmt::format("there is no metric set '{}'; {}", printable(name),
                            meant ? fmt::format("did you mean '{}'?", *meant)
                                  : "choose one of " + join(names, ", ")),
                ExitCode::usage);
}

std::optional<std::string> gap_of(const MetricCatalogue& catalogue, std::string_view chip,
                                  std::string_view counter) {
    for (const Architecture& architecture : catalogue.architectures) {
        if (std::ranges::find(architecture.chips, chip) == architecture.chips.end()) {
            continue;
        }
        for (const CounterGap& gap : architecture.gaps) {
            if (matches_glob(gap.chips, chip) && matches_glob(gap.counters, counter)) {
                return gap.reason;
            }
        }
    }
    return {};
}

}  // namespace strata
