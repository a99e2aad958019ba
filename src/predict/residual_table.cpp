// SPDX-License-Identifier: MIT
#include "base/enumeration.h"
#include "base/toml_section.h"
#include "predict/residuals.h"

#include <fmt/format.h>

namespace strata {

namespace {

constexpr std::string_view head =
    "# SPDX-License-Identifier: MIT\n"
    "# How measured times lie around predicted ones, as `strata accuracy TABLE... --write FILE` "
    "writes "
    "it: the\n"
    "# tenth, the median and the ninth decile of ln(measured / predicted), for predicted times up "
    "to "
    "until_us.\n"
    "# docs/prediction-accuracy.md says what the splits are, and which interval a prediction "
    "takes.\n";

std::string line_of(const ResidualRow& row) {
    return fmt::format(
        "  {{ device = {}, class = {}, split = {}, n = {}, devices = {}, until_us = {:.6g}, low = "
        "{:.4f}, median = {:.4f}, high = {:.4f}, covered = {:.3f} }},\n",
        toml_string(row.device), toml_string(row.problem_class), toml_string(name_of(row.split)),
        row.n, row.devices, row.until.value * 1e6, row.residuals.low, row.residuals.middle,
        row.residuals.high, row.covered);
}

ResidualRow row_in(const TomlSection& section) {
    const auto split = value_named<ResidualSplit>(section.required_text("split"));
    if (!split) {
        section.refuse("split", "name a split that docs/prediction-accuracy.md explains");
    }
    return {.device = section.required_text("device"),
            .problem_class = section.required_text("class"),
            .split = *split,
            .n = static_cast<std::size_t>(section.count("n").value_or(1)),
            .devices = static_cast<std::size_t>(section.count("devices").value_or(1)),
            .until = Seconds{section.required_number("until_us") * 1e-6},
            .residuals = {.low = section.required_number("low"),
                          .middle = section.required_number("median"),
                          .high = section.required_number("high")},
            .covered = section.required_number("covered")};
}

}  // namespace

std::string to_toml(const StatedResiduals& stated) {
    std::string text(head);
    text += fmt::format("source = {}\nresiduals = [\n", toml_string(stated.source));
    for (const ResidualRow& row : stated.rows) {
        text += line_of(row);
    }
    return text + "]\n";
}

StatedResiduals parse_residuals(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection whole(table, std::string(origin));
    StatedResiduals stated{.source = whole.required_text("source"), .rows = {}};
    for (const toml::table* const row : whole.tables("residuals")) {
        stated.rows.push_back(row_in(TomlSection(*row, std::string(origin))));
    }
    return stated;
}

const StatedResiduals& stated_residuals() {
    static const StatedResiduals stated = [] {
        const EmbeddedFile& file = residual_files().front();
        return parse_residuals(file.text, fmt::format("{}.toml", file.name));
    }();
    return stated;
}

}  // namespace strata
