// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "published/finding.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The measures that a published figure shows for each layer of a training step, all passes
// together. Rates are in GB/s, shares and hit rates in per cent, as published; ratios are to the
// first layer.
enum class FigureMeasure {
    time_ratio,
    backward_over_forward,
    data_stall_share,
    instruction_ratio,
    load_store_share,
    l1_rate,
    l1_hit_rate,
    l2_read_rate,
    l2_read_hit_rate,
    l2_write_rate,
    l2_write_hit_rate,
    dram_read_rate,
    dram_write_rate,
};
inline constexpr std::array<std::string_view, 13> names_of(FigureMeasure) {
    return {"time_ratio",        "backward_over_forward", "data_stall_share",
            "instruction_ratio", "load_store_share",      "l1_rate",
            "l1_hit_rate",       "l2_read_rate",          "l2_read_hit_rate",
            "l2_write_rate",     "l2_write_hit_rate",     "dram_read_rate",
            "dram_write_rate"};
}

// One measure of every layer, at one batch.
struct MeasurePanel {
    std::string name = {};
    FigureMeasure measure = FigureMeasure::time_ratio;
    std::int64_t batch = 1;
    std::vector<double> published = {};  // by layer
};

// A published figure of counters on a device, or statements about them, to compare with a
// simulation of that device. A file of data/figures that names a device.
struct ModelledFigure {
    std::string name = {};
    std::string title = {};
    std::string source = {};
    std::string network = {};
    std::string device = {};
    std::vector<std::string> layers = {};
    std::vector<std::string> remarks = {};
    std::vector<MeasurePanel> panels = {};
    std::int64_t findings_batch = 1;
    std::vector<PublishedFinding> findings = {};
};

// Throws Error, naming the place and a fix.
ModelledFigure parse_modelled_figure(std::string_view toml, std::string_view origin);

// The files of data/figures that name a device; THE list is in src/published/CMakeLists.txt.
std::span<const EmbeddedFile> modelled_figure_files();

// One of them by name, or the user's .toml file that names a device; otherwise nothing.
std::optional<ModelledFigure> find_modelled_figure(std::string_view name);
std::vector<ModelledFigure> modelled_figures();

}  // namespace strata
