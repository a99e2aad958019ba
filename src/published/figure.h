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

// A bar or point of a published figure, and its counterpart of ours.
struct FigureBar {
    std::string name = {};  // the figure's label
    // A family of algorithms ("gemm", "direct", "fft", "winograd"), of which the fastest counts, or
    // a library's choice: "heuristic", "fastest".
    std::string algorithm = {};
    bool first_layer_gradient = true;  // whether the first layer computes its input's gradient
    double published = 0;              // in s or B
};

// The quantity that a panel shows.
enum class FigureQuantity { time, memory };

// Bars of a figure to compare with each other: one batch, the same layers and passes.
struct FigurePanel {
    std::string name = {};
    std::int64_t batch = 1;
    std::string passes = {};  // "forward", "backward" or "training"
    std::string layers = {};  // globs of the convolutions that count: "conv3,conv4"
    FigureQuantity quantity = FigureQuantity::time;
    double tolerance = 0;  // reading precision of the figure, in s or B
    std::vector<FigureBar> bars = {};
};

// A published figure of times measured on a machine that is not ours, so that their order is
// compared, not the values. A file of data/figures.
struct MeasuredFigure {
    std::string name = {};
    std::string title = {};
    std::string source = {};
    std::string network = {};
    std::vector<std::string> remarks = {};
    std::vector<FigurePanel> panels = {};
};

// Throws Error, naming the place and a fix.
MeasuredFigure parse_figure(std::string_view toml, std::string_view origin);

// The files of data/figures; THE list is in src/published/CMakeLists.txt.
std::span<const EmbeddedFile> figure_files();

// One of them by name, or the user's .toml file with panels; otherwise nothing.
std::optional<MeasuredFigure> find_figure(std::string_view name);
std::vector<MeasuredFigure> measured_figures();

}  // namespace strata
