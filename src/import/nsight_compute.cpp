// SPDX-License-Identifier: MIT Nsight Compute's tables, in long form
// (one row per metric) or wide form (--page raw: one column per metric,
// with a row of units). Strata's own metrics are computed from its
// counters.
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

// Names on the details page whose counter appears in a formula (its section files).
struct DetailName {
    std::string_view label;
    std::string_view counter;
};
constexpr std::array detail_names = {
    DetailName{"Duration", duration_counter},
    DetailName{"gpu__time_duration.avg", duration_counter},  // --page raw in some versions
    DetailName{"L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
    DetailName{"L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
    DetailName{"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
};

std::string_view counter_named(std::string_view name) {
    const auto found = std::ranges::find(detail_names, name, &DetailName::label);
    return found == detail_names.end() ? name : found->counter;
}

// (No time over an hour is plausible.)
Nanoseconds nanoseconds_of(double value) {
    constexpr double two_hours = 7.2e12;
    return Nanoseconds(std::llround(std::clamp(value, -1.0, two_hours)));
}

// The names of the ranges in `771 "<default domain>:conv1:none:none:none:none:none:none"`,
// outermost first: each is a domain, a name and six attributes. Ranges of single operators and
// iterations are not layers.
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

// The unit, if it fits the counter: a counter that a formula takes as nanoseconds or bytes must be
// stated in such a unit.
std::optional<CounterUnit> unit_of(std::string_view counter, std::string_view name) {
    const auto unit = counter_unit(name);
    const bool is_bytes = counter.find("__bytes") != counter.npos && counter.ends_with(".sum");
    const bool is_fit = !unit || ((counter != duration_counter || unit->name == "ns") &&
                                  (!is_bytes || unit->name == "B"));
    return is_fit ? unit : std::nullopt;
}

class NsightComputeReader {
public:
    explicit NsightComputeReader(ByteSource& source)
        : source_(source), table_(source, rows_.ledger()) {}

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
        return rows_.finish(source_);
    }

private:
    void read_long() {
        if (!table_.has("Metric Value")) {
            throw Error(
                fmt::format("'{}' is a summary of ncu --print-summary: each metric covers all "
                            "invocations together; print it without that option",
                            source_.name()));
        }
        table_.learn_numbers([](std::string_view column) { return column == "Metric Value"; });
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

    // Each existing counter is a record, as in the long form.
    void read_wide() {
        const auto is_counter = [](std::string_view column) {
            return column.find("__") != column.npos;
        };
        table_.learn_numbers(is_counter);
        if (!table_.next_units("ID")) {
            return;
        }
        const std::vector<std::string> units = table_.row();
        while (table_.next()) {
            begin();
            row_.records = 1;
            for (std::size_t i = 0; i < units.size(); ++i) {
                if (is_counter(table_.columns()[i]) && !table_.row()[i].empty()) {
                    rows_.ledger().meet();
                    take(table_.columns()[i], units[i], table_.row()[i]);
                }
            }
        }
        finish_kernel();
    }

    void begin() {
        finish_kernel();
        row_ = {.name = std::string(table_.at("Kernel Name")),
                .device = std::string(table_.at("Device")),
                .process = parse_integer(table_.at("Process ID")).value_or(0),
                .stream = whole_of(table_.at("Stream")),
                .records = 0};
        for (const std::string& range : ranges_in(table_.at_prefix("thread Domain:Push/Pop"))) {
            row_.scope = scope_within(rows_.profile().texts, row_.scope, range);
        }
        is_open_ = true;
    }

    // Rows of rules, and of metrics that a kernel lacks, have no value.
    void take(std::string_view name, std::string_view unit_name, std::string_view value) {
        const auto number = table_.number(value);
        const std::string_view counter = counter_named(name);
        const auto unit = unit_of(counter, unit_name);
        if (number && unit && !name.empty()) {
            row_.counters.emplace(counter, RecordedCounter{*number * unit->factor, unit->name});
            ++row_.records;
        } else if (is_missing(value) || name.empty()) {
            rows_.ledger().leave_out(LeftOutReason::no_value, name);
        } else {
            rows_.ledger().leave_out(
                unit ? LeftOutReason::unclear_number : LeftOutReason::unknown_unit,
                unit ? name : unit_name);
        }
    }

    static bool is_missing(std::string_view value) {
        value = trim(value);
        return value.empty() || value == "n/a" || value == "nan" || value == "(!) n/a";
    }

    void finish_kernel() {
        if (!is_open_) {
            return;
        }
        is_open_ = false;
        if (row_.records == 0) {
            return;
        }
        if (const auto time = row_.counters.find(duration_counter); time != row_.counters.end()) {
            row_.time.time = nanoseconds_of(time->second.value);
        }
        rows_.add(std::move(row_));
    }

    ByteSource& source_;
    KernelRows rows_{"nsight-compute"};
    CsvTable table_;
    KernelRow row_ = {};    // the current kernel
    bool is_open_ = false;  // there is a current kernel
};

}  // namespace

RecordedProfile read_nsight_compute(ByteSource& source) {
    return NsightComputeReader(source).read();
}

}  // namespace strata
