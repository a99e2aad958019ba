// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "metric/formula.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Why a warp did not issue, in the ten categories of Dong et al. (ICPE 2018), which are nvprof's.
enum class StallCategory {
    inst_fetch,
    exec_dependency,
    memory_dependency,
    texture,
    sync,
    other,
    pipe_busy,
    constant_memory_dependency,
    memory_throttle,
    not_selected,
};
inline constexpr std::array<std::string_view, 10> names_of(StallCategory) {
    return {"inst_fetch",
            "exec_dependency",
            "memory_dependency",
            "texture",
            "sync",
            "other",
            "pipe_busy",
            "constant_memory_dependency",
            "memory_throttle",
            "not_selected"};
}

// Whether a set is counted by default: each costs passes.
enum class Collected { by_default, on_request };
inline constexpr std::array<std::string_view, 2> names_of(Collected) {
    return {"by default", "on request"};
}

// A quantity computed from counters of a piece of work.
struct Metric {
    std::string name = {};  // "dram_read_bytes"
    std::string unit = {};  // SI without prefix, "%", "" for a plain count
    std::string meaning = {};
    MetricFormula formula = {};
    std::optional<StallCategory> stall = {};  // the category that it belongs to
};

// Metrics that are requested together: a file of data/metrics/nvidia.
struct MetricSet {
    std::string name = {};
    std::string title = {};
    Collected collected = Collected::on_request;
    std::vector<std::string> remarks = {};
    std::vector<Metric> metrics = {};
};

// Counters that some chips of an architecture lack.
struct CounterGap {
    std::string counters = {};  // glob
    std::string chips = "*";    // glob of the architecture's chips
    std::string reason = {};
};

// The counters that an architecture's chips lack: a file of data/metrics/architectures.
struct Architecture {
    std::string name = {};
    std::vector<std::string> chips = {};  // as CUPTI names them: "GH100"
    std::vector<CounterGap> gaps = {};
};

// Everything known about metrics.
struct MetricCatalogue {
    std::vector<MetricSet> sets = {};
    std::vector<Architecture> architectures = {};
};

// The files of data/metrics/nvidia and data/metrics/architectures, embedded in the
// program.
std::span<const EmbeddedFile> metric_set_files();
std::span<const EmbeddedFile> architecture_files();

// Their parsed content.
MetricCatalogue metric_catalogue();

// Throws Error with exit code usage and the nearest name.
const MetricSet& find_metric_set(const MetricCatalogue& catalogue, std::string_view name);

// Why a chip lacks a counter, from its architecture's file; nothing if it has it or the chip is
// unknown.
std::optional<std::string> gap_of(const MetricCatalogue& catalogue, std::string_view chip,
                                  std::string_view counter);

}  // namespace strata
