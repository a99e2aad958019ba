// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace strata {

// A file of data/metrics, built into the program so that it needs no other files. THE lists are in
// src/metric/CMakeLists.txt.
struct MetricFile {
    std::string_view name;  // without .toml
    std::string_view text;
};

std::span<const MetricFile> metric_set_files();
std::span<const MetricFile> architecture_files();

}  // namespace strata
