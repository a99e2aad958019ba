// SPDX-License-Identifier: MIT
#pragma once

#include "import/csv.h"
#include "import/recording.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// A time in a table, in the unit that the table names: "usecond". Nothing for what is no number or
// no unit of time.
std::optional<Nanoseconds> time_in(std::string_view text, std::string_view unit);

// A count in a table; 0 for what is none.
std::uint32_t whole_of(std::string_view text);

// What a kernel's row tells.
struct KernelRow {
    std::string_view name = {};
    TextId scope = 0;  // the ranges around its launch
    std::optional<Nanoseconds> start = {};
    std::optional<Nanoseconds> time = {};
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    std::optional<LaunchShape> launch = {};
    SpanKind kind = SpanKind::kernel;
    RecordedCounters counters = {};
};

// Kernels of a table, as operators of their own: nothing tells what launched them.
class KernelRows {
public:
    explicit KernelRows(std::string tool) { profile_.tool = std::move(tool); }

    // Requires: a table whose rows have counters tells no starts (the rows are sorted by them).
    // A row without a name, or with an implausible time, is left out and counted.
    void add(KernelRow row);

    // Throws Error where the table had no kernel.
    RecordedProfile finish(const CsvTable& table, const ByteSource& source);

    RecordedProfile& profile() { return profile_; }

private:
    void sort_by_start();

    RecordedProfile profile_ = {};
    LeftOut left_out_ = {};
    Nanoseconds now_ = Nanoseconds(1);
};

}  // namespace strata
