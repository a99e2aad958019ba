// SPDX-License-Identifier: MIT
#include "published/modelled_figure.h"

#include "base/enumeration.h"
#include "base/file.h"
#include "base/toml_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace strata {

namespace {

using namespace std::string_view_literals;

constexpr std::array modelled_figure_keys = {"title"sv,  "source"sv,         "network"sv,
                                             "device"sv, "layers"sv,         "remarks"sv,
                                             "panels"sv, "findings_batch"sv, "findings"sv};
constexpr std::array measure_panel_keys = {"name"sv, "quantity"sv, "batch"sv, "published"sv};

MeasurePanel measure_panel_of(const toml::table& table, const TomlSection& section,
                              std::size_t layers) {
    section.expect_only(measure_panel_keys);
    MeasurePanel panel;
    panel.name = section.required_text("name");
    const auto measure = value_named<FigureMeasure>(section.required_text("quantity"));
    if (!measure) {
        section.refuse("quantity",
                       fmt::format("give one of {}", fmt::join(names_of(FigureMeasure{}), ", ")));
    }
    panel.measure = *measure;
    panel.batch = section.count("batch").value_or(0);
    if (panel.batch < 1) {
        section.refuse("batch", "give a whole number of at least 1");
    }
    if (const toml::array* published = table["published"].as_array()) {
        for (const toml::node& value : *published) {
            if (const auto number = value.value<double>()) {
                panel.published.push_back(*number);
            }
        }
    }
    if (panel.published.size() != layers) {
        section.refuse("published", fmt::format("give {} numbers, one for each layer", layers));
    }
    return panel;
}

}  // namespace

ModelledFigure parse_modelled_figure(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection whole(table, std::string(origin));
    whole.expect_only(modelled_figure_keys);
    ModelledFigure figure;
    figure.name = std::filesystem::path(origin).stem().string();
    figure.title = whole.required_text("title");
    figure.source = whole.required_text("source");
    figure.network = whole.required_text("network");
    figure.device = whole.required_text("device");
    figure.layers = whole.texts("layers");
    figure.remarks = whole.texts("remarks");
    for (const toml::table* finding : whole.tables_if_any("findings")) {
        const auto place = fmt::format("{}: finding {}", origin, figure.findings.size() + 1);
        figure.findings.push_back(finding_of(TomlSection(*finding, place)));
    }
    figure.findings_batch = whole.count("findings_batch").value_or(1);
    if (figure.findings_batch < 1) {
        whole.refuse("findings_batch", "give a whole number of at least 1");
    }
    const auto panels = whole.tables_if_any("panels");
    if (panels.empty() && figure.findings.empty()) {
        whole.refuse("panels", "give some, or findings");
    }
    if (!panels.empty() && figure.layers.size() < 2) {
        whole.refuse("layers", "give at least two to compare");
    }
    for (const toml::table* panel : panels) {
        const auto place = fmt::format("{}: panel {}", origin, figure.panels.size() + 1);
        figure.panels.push_back(
            measure_panel_of(*panel, TomlSection(*panel, place), figure.layers.size()));
    }
    return figure;
}

std::vector<ModelledFigure> modelled_figures() {
    std::vector<ModelledFigure> figures;
    for (const EmbeddedFile& file : modelled_figure_files()) {
        figures.push_back(parse_modelled_figure(file.text, fmt::format("{}.toml", file.name)));
    }
    return figures;
}

std::optional<ModelledFigure> find_modelled_figure(std::string_view name) {
    if (const auto text = name.ends_with(".toml") ? read_small_file(name) : std::nullopt) {
        return parse_toml(*text, name).contains("device")
                   ? std::optional(parse_modelled_figure(*text, name))
                   : std::nullopt;
    }
    const auto files = modelled_figure_files();
    const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
    return found == files.end() ? std::nullopt
                                : std::optional(parse_modelled_figure(
                                      found->text, fmt::format("{}.toml", found->name)));
}

}  // namespace strata
