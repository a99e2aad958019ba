// SPDX-License-Identifier: MIT
#include "published/figure.h"

#include "base/file.h"
#include "base/toml_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace strata {

namespace {

using namespace std::string_view_literals;

constexpr std::array figure_keys = {"title"sv, "source"sv, "network"sv, "remarks"sv, "panels"sv};
constexpr std::array panel_keys = {"name"sv, "batch"sv,     "passes"sv, "layers"sv,
                                   "unit"sv, "tolerance"sv, "bars"sv};
constexpr std::array bar_keys = {"name"sv, "algorithm"sv, "first_layer_gradient"sv, "published"sv};
constexpr std::array all_algorithms = {"gemm"sv,     "direct"sv,    "fft"sv,
                                       "winograd"sv, "heuristic"sv, "fastest"sv};
constexpr std::array all_passes_of_figures = {"forward"sv, "backward"sv, "training"sv};

// A text that must be one of these.
std::string one_of(const TomlSection& section, std::string_view key,
                   std::span<const std::string_view> known) {
    std::string text = section.required_text(key);
    if (std::ranges::find(known, text) == known.end()) {
        section.refuse(key, fmt::format("give one of {}", fmt::join(known, ", ")));
    }
    return text;
}

// In s or B.
double in_units(double value, FigureQuantity quantity) {
    return quantity == FigureQuantity::time ? value / 1e3 : value * 1e6;
}

FigureBar bar_of(const TomlSection& section, FigureQuantity quantity) {
    section.expect_only(bar_keys);
    FigureBar bar;
    bar.algorithm = one_of(section, "algorithm", all_algorithms);
    bar.name = section.text("name").value_or(bar.algorithm);
    bar.first_layer_gradient = section.truth("first_layer_gradient").value_or(true);
    bar.published = in_units(section.required_number("published"), quantity);
    return bar;
}

FigurePanel panel_of(const TomlSection& section) {
    section.expect_only(panel_keys);
    constexpr std::array units = {"ms"sv, "MB"sv};
    FigurePanel panel;
    panel.name = section.required_text("name");
    panel.batch = static_cast<std::int64_t>(section.required_number("batch"));
    panel.passes = one_of(section, "passes", all_passes_of_figures);
    panel.layers = section.text("layers").value_or("*");
    panel.quantity =
        one_of(section, "unit", units) == "ms" ? FigureQuantity::time : FigureQuantity::memory;
    panel.tolerance = in_units(section.required_number("tolerance"), panel.quantity);
    for (const toml::table* bar : section.tables("bars")) {
        const auto place = fmt::format("{}, bar {}", panel.name, panel.bars.size() + 1);
        panel.bars.push_back(bar_of(TomlSection(*bar, place), panel.quantity));
    }
    if (panel.bars.size() < 2) {
        section.refuse("bars", "fewer than two; give those to compare");
    }
    return panel;
}

}  // namespace

MeasuredFigure parse_figure(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection whole(table, std::string(origin));
    whole.expect_only(figure_keys);
    MeasuredFigure figure;
    figure.name = std::filesystem::path(origin).stem().string();
    figure.title = whole.required_text("title");
    figure.source = whole.required_text("source");
    figure.network = whole.required_text("network");
    figure.remarks = whole.texts("remarks");
    for (const toml::table* panel : whole.tables("panels")) {
        const auto place = fmt::format("{}: panel {}", origin, figure.panels.size() + 1);
        figure.panels.push_back(panel_of(TomlSection(*panel, place)));
    }
    return figure;
}

std::vector<MeasuredFigure> measured_figures() {
    std::vector<MeasuredFigure> figures;
    for (const EmbeddedFile& file : figure_files()) {
        figures.push_back(parse_figure(file.text, fmt::format("{}.toml", file.name)));
    }
    return figures;
}

std::optional<MeasuredFigure> find_figure(std::string_view name) {
    if (const auto text = name.ends_with(".toml") ? read_small_file(name) : std::nullopt) {
        return parse_toml(*text, name).contains("panels") ? std::optional(parse_figure(*text, name))
                                                          : std::nullopt;
    }
    const auto files = figure_files();
    const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
    return found == files.end()
               ? std::nullopt
               : std::optional(parse_figure(found->text, fmt::format("{}.toml", found->name)));
}

}  // namespace strata
