// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The one setting in which runs differ, if it is a number.
struct Varied {
    std::string name;                  // "batch", "hidden"
    std::vector<std::int64_t> values;  // by run, all different
};

// Compares the settings: the batch, dimensions and variables, and the parameters in a network's own
// text ("lstm:hidden=256", "matmul(8x64, 64x10) ..."). The measuring time is ignored, and so is a
// batch that follows another value. Nothing if the runs differ in more than one setting or in
// none.
std::optional<Varied> varied_among(std::span<const Run> runs);

// Several numbers that vary between runs.
struct VariedGrid {
    std::vector<std::string> names;                 // the one that changes least often comes first
    std::vector<std::vector<std::int64_t>> values;  // by run, one of each name; all different
};

// The same for runs that differ in more than one setting; nothing if one of these is not a number
// or two runs agree in all of them.
std::optional<VariedGrid> grid_among(std::span<const Run> runs);

}  // namespace strata
