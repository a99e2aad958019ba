// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The one thing in which runs differ, when it is a number.
struct Varied {
    std::string name;                  // "batch", "hidden"
    std::vector<std::int64_t> values;  // by run, all different
};

// Compares the settings: the batch, dimensions and variables, and the parameters in a network's own
// text ("lstm:hidden=256", "matmul(8x64, 64x10) ..."). How long was measured does not matter, and a
// batch that follows another value does not count. Nothing where the runs differ in more or in
// less.
std::optional<Varied> varied_among(std::span<const Run> runs);

// Several numbers in which runs differ.
struct VariedGrid {
    std::vector<std::string> names;                 // the one that changes least often first
    std::vector<std::vector<std::int64_t>> values;  // by run, one of each name; all different
};

// The same of runs that differ in more than one thing; nothing where one of these is no number, or
// two runs have the same of all.
std::optional<VariedGrid> grid_among(std::span<const Run> runs);

}  // namespace strata
