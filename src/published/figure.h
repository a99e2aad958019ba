// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A bar or point of a published figure, and what of ours stands beside it.
struct FigureBar {
    std::string name = {};  // as the figure has it
    // A family of algorithms ("gemm", "direct", "fft", "winograd"), of which the fastest counts, or
    // what a library chooses: "heuristic", "fastest".
    std::string algorithm = {};
    bool first_layer_gradient = true;  // whether the first layer computes its input's gradient
    double published = 0;              // in s or B
};

// What a panel shows.
enum class FigureQuantity { time, memory };

// Bars of a figure that are compared with each other: one batch, the same layers and passes.
struct FigurePanel {
    std::string name = {};
    std::int64_t batch = 1;
    std::string passes = {};  // "forward", "backward" or "training"
    std::string layers = {};  // globs of the convolutions that count: "conv3,conv4"
    FigureQuantity quantity = FigureQuantity::time;
    double tolerance = 0;  // how far the figure can be read, in s or B
    std::vector<FigureBar> bars = {};
};

// A published figure of times that were measured on a machine that is not ours, so that not the
// values are compared but their order. A file of data/figures.
struct MeasuredFigure {
    std::string name = {};
    std::string title = {};
    std::string source = {};
    std::string network = {};
    std::vector<std::string> remarks = {};
    std::vector<FigurePanel> panels = {};
};

// Throws Error that names the place and a fix.
MeasuredFigure parse_figure(std::string_view toml, std::string_view origin);

// The files of data/figures; THE list is in src/published/CMakeLists.txt.
std::span<const EmbeddedFile> figure_files();

// One of them by name, or a .toml file of the reader's own that has panels; otherwise nothing.
std::optional<MeasuredFigure> find_figure(std::string_view name);
std::vector<MeasuredFigure> measured_figures();

}  // namespace strata
