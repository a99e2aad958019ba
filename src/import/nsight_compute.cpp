// SPDX-License-Identifier: MIT
// Nsight Compute's tables, in long form (a row for each metric) or wide form (--page raw: a column
// for each, below them the units). Its counters are the ones that strata's own metrics are computed
// of.
#include "import/formats.h"
#include "import/kernel_rows.h"
#include "import/nesting.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

constexpr std::string_view duration_counter = "gpu__time_duration.sum";

// Names of the page of details, of which a formula knows the counter (its section files).
struct DetailName {
    std::string_view label;
    std::string_view counter;
};
constexpr std::array detail_names = {
    DetailName{"Duration", duration_counter},
    DetailName{"gpu__time_duration.avg", duration_counter},  // of --page raw in some versions
    DetailName{"L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
    DetailName{"L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
    DetailName{"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
};

std::string_view counter_named(std::string_view name) {
    const auto found = std::ranges::find(detail_names, name, &DetailName::label);
    return found == detail_names.end() ? name : found->counter;
}

// How many of the base unit one of this is: 1e6 of "Mbyte" with "byte". Without --print-units base
// the tool scales units as it prints.
struct ScaledUnit {
    double factor = 1;
    std::string_view base = {};
};

ScaledUnit scaled_unit(std::string_view unit) {
    constexpr std::array bases = {std::string_view("byte"), std::string_view("second"),
                                  std::string_view("hz"),   std::string_view("cycle"),
                                  std::string_view("inst"), std::string_view("sector")};
    constexpr std::string_view prefixes = "numKMGT";
    constexpr std::array factors = {1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9, 1e12};
    const auto prefix = unit.empty() ? unit.npos : prefixes.find(unit.front());
    for (const std::string_view base : bases) {
        if (prefix != unit.npos && unit.substr(1) == base) {
            return {factors.at(prefix), base};
        }
    }
    return {1, unit};
}

// The value in the units that formulas expect, which are CUPTI's: nanoseconds, and plain ones of
// everything else.
double in_counted_units(double value, std::string_view unit) {
    const auto slash = unit.find('/');
    const ScaledUnit whole = scaled_unit(unit.substr(0, slash));
    if (slash != unit.npos) {
        return value * whole.factor / scaled_unit(unit.substr(slash + 1)).factor;
    }
    return value * whole.factor * (whole.base == "second" ? 1e9 : 1);
}

// "byte/second" of "Gbyte/s" is what in_counted_units makes; times are nanoseconds.
std::string counted_unit(std::string_view unit) {
    const auto slash = unit.find('/');
    const std::string_view whole = scaled_unit(unit.substr(0, slash)).base;
    if (slash != unit.npos) {
        return fmt::format("{}/{}", whole, scaled_unit(unit.substr(slash + 1)).base);
    }
    return std::string(whole == "second" ? "ns" : whole);
}

// (Beyond an hour no time is plausible.)
Nanoseconds nanoseconds_of(double value) {
    constexpr double two_hours = 7.2e12;
    return Nanoseconds(std::llround(std::clamp(value, -1.0, two_hours)));
}

// The names of the ranges in `771  "<default domain>:conv1:none:none:none:none:none:none"`, the
// outer ones first: each is a domain, a name and six attributes. Those of single operators and
// iterations are no layers.
std::vector<std::string> ranges_in(std::string_view field) {
    constexpr int attributes = 6;
    std::vector<std::string> names;
    const auto parts = split(field, '"');
    for (std::size_t i = 1; i < parts.size(); i += 2) {
        std::string_view name = parts[i].substr(std::min(parts[i].find(':') + 1, parts[i].size()));
        for (int k = 0; k < attributes && name.rfind(':') != name.npos; ++k) {
            name = name.substr(0, name.rfind(':'));
        }
        if (!name.empty() && !name.starts_with("aten::") && !name.starts_with("autograd::") &&
            !is_iteration_range(name)) {
            names.emplace_back(name);
        }
    }
    return names;
}

class NsightComputeReader {
public:
    explicit NsightComputeReader(ByteSource& source) : source_(source), table_(source) {}

    RecordedProfile read() {
        if (!table_.find_header({"Kernel Name"})) {
            throw Error(
                fmt::format("'{}' has no header with \"Kernel Name\"; record it with ncu --csv",
                            source_.name()));
        }
        if (table_.has("Metric Name")) {
            read_long();
        } else {
            read_wide();
        }
        rows_.profile().doubts.push_back(
            "Nsight Compute runs kernels one by one, several times and at a fixed clock: their "
            "times are not those of the program");
        return rows_.finish(table_, source_);
    }

private:
    void read_long() {
        std::string id;
        while (table_.next()) {
            if (std::string(table_.at("ID")) != id || !is_open_) {
                id = table_.at("ID");
                begin();
            }
            take(table_.at("Metric Name"), table_.at("Metric Unit"), table_.at("Metric Value"));
        }
        finish_kernel();
    }

    void read_wide() {
        if (!table_.next()) {
            return;
        }
        const std::vector<std::string> units = table_.row();
        while (table_.next()) {
            begin();
            for (std::size_t i = 0; i < units.size(); ++i) {
                if (table_.columns()[i].find("__") != std::string::npos) {
                    take(table_.columns()[i], units[i], table_.row()[i]);
                }
            }
        }
        finish_kernel();
    }

    void begin() {
        finish_kernel();
        name_ = table_.at("Kernel Name");
        stream_ = whole_of(table_.at("Stream"));
        scope_ = 0;
        for (const std::string& range : ranges_in(table_.at_prefix("thread Domain:Push/Pop"))) {
            scope_ = scope_within(rows_.profile().texts, scope_, range);
        }
        is_open_ = true;
    }

    void take(std::string_view name, std::string_view unit, std::string_view value) {
        const auto number = parse_separated(value);
        if (number && !name.empty()) {
            counters_.emplace(counter_named(name),
                              RecordedCounter{in_counted_units(*number, unit), counted_unit(unit)});
        }
    }

    void finish_kernel() {
        if (!is_open_) {
            return;
        }
        const auto time = counters_.find(duration_counter);
        const auto duration = time == counters_.end()
                                  ? std::nullopt
                                  : std::optional(nanoseconds_of(time->second.value));
        rows_.add({.name = name_,
                   .scope = scope_,
                   .time = duration,
                   .stream = stream_,
                   .counters = std::move(counters_)});
        counters_.clear();
        is_open_ = false;
    }

    ByteSource& source_;
    CsvTable table_;
    KernelRows rows_{"nsight-compute"};
    std::string name_ = {};
    TextId scope_ = 0;
    std::uint32_t stream_ = 0;
    RecordedCounters counters_ = {};  // of the present kernel
    bool is_open_ = false;
};

}  // namespace

RecordedProfile read_nsight_compute(ByteSource& source) {
    return NsightComputeReader(source).read();
}

}  // namespace strata
