// SPDX-License-Identifier: MIT
// The tables that GPU profilers print: nvprof, Nsight Compute, rocprof. Each row is a kernel, or a
// metric of one; only Nsight Compute tells ranges.
#include "import/csv.h"
#include "import/formats.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace strata {

namespace {

struct TimeUnit {
    std::string_view name;
    double nanoseconds;
};
constexpr std::array time_units = {
    TimeUnit{"ns", 1},   TimeUnit{"nsecond", 1},   TimeUnit{"nanosecond", 1},
    TimeUnit{"us", 1e3}, TimeUnit{"usecond", 1e3}, TimeUnit{"microsecond", 1e3},
    TimeUnit{"ms", 1e6}, TimeUnit{"msecond", 1e6}, TimeUnit{"millisecond", 1e6},
    TimeUnit{"s", 1e9},  TimeUnit{"second", 1e9},
};

std::optional<Nanoseconds> time_in(std::string_view text, std::string_view unit) {
    const auto known = std::ranges::find(time_units, unit, &TimeUnit::name);
    std::string plain(trim(text));
    std::erase(plain, ',');
    return known == time_units.end() ? std::nullopt : parse_nanoseconds(plain, known->nanoseconds);
}

std::uint32_t whole_of(std::string_view text) {
    const double value = parse_separated(text).value_or(0);
    return static_cast<std::uint32_t>(std::clamp(value, 0.0, 2e9));
}

// What a kernel's row tells.
struct KernelRow {
    std::string_view name = {};
    std::optional<Nanoseconds> start = {};
    std::optional<Nanoseconds> time = {};
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    std::optional<LaunchShape> launch = {};
    SpanKind kind = SpanKind::kernel;
};

// Kernels of a table, as operators of their own: nothing tells what launched them.
class KernelRows {
public:
    explicit KernelRows(std::string tool) { profile_.tool = std::move(tool); }

    void add(const KernelRow& row) {
        if (row.name.empty()) {
            ++left_out_.nameless;
            return;
        }
        if (!row.time || !is_plausible(*row.time)) {
            ++left_out_.implausible;
            return;
        }
        const TextId name = profile_.texts.id_of(row.name);
        const auto place = static_cast<std::uint32_t>(profile_.operators.size());
        const Nanoseconds start = row.start.value_or(now_);
        profile_.operators.push_back(
            {.name = name, .stream = row.stream, .start = start, .time = *row.time});
        now_ = start + *row.time;
        if (row.start) {
            profile_.spans.push_back({.span = {.kind = row.kind,
                                               .name = std::string(profile_.texts[name]),
                                               .device = row.device,
                                               .stream = row.stream,
                                               .start = start,
                                               .end = start + *row.time,
                                               .launch = row.launch},
                                      .launched_by = place});
        }
    }

    RecordedProfile finish(const CsvTable& table, const ByteSource& source) {
        if (profile_.operators.empty() && left_out_.nameless + left_out_.implausible == 0) {
            throw Error(
                fmt::format("'{}' has no kernel in its table; record it again, with its "
                            "first lines",
                            source.name()));
        }
        profile_.has_starts = !profile_.spans.empty();
        sort_by_start();
        left_out_.add_to(profile_.doubts);
        if (table.left_out() > 0) {
            profile_.doubts.push_back(
                fmt::format("{} row{} of the table, with other numbers of "
                            "fields than its header, were left out",
                            table.left_out(), table.left_out() == 1 ? "" : "s"));
        }
        return std::move(profile_);
    }

    RecordedProfile& profile() { return profile_; }

private:
    void sort_by_start() {
        if (!profile_.has_starts || profile_.spans.size() != profile_.operators.size()) {
            return;
        }
        std::ranges::stable_sort(profile_.spans, {},
                                 [](const RecordedSpan& one) { return one.span.start; });
        std::vector<RecordedOperator> sorted;
        for (RecordedSpan& one : profile_.spans) {
            sorted.push_back(profile_.operators[one.launched_by]);
            one.launched_by = static_cast<std::uint32_t>(sorted.size() - 1);
        }
        profile_.operators = std::move(sorted);
    }

    RecordedProfile profile_ = {};
    LeftOut left_out_ = {};
    Nanoseconds now_ = Nanoseconds(1);
};

// A GPU trace (--print-gpu-trace), or the summary that nvprof prints without options.
void read_nvprof_trace(CsvTable& table, KernelRows& rows) {
    if (!table.next()) {  // the row of units
        return;
    }
    const std::string unit_of_start(table.at("Start"));
    const std::string unit(table.at("Duration"));
    while (table.next()) {
        const std::string_view name = table.at("Name");
        KernelRow row{.name = name,
                      .start = time_in(table.at("Start"), unit_of_start),
                      .time = time_in(table.at("Duration"), unit),
                      .stream = whole_of(table.at("Stream"))};
        row.kind = name.starts_with("[CUDA memcpy")   ? SpanKind::copy
                   : name.starts_with("[CUDA memset") ? SpanKind::fill
                                                      : SpanKind::kernel;
        if (row.start) {
            *row.start += Nanoseconds(1);  // 0 stands for no stamp
        }
        if (!table.at("Block X").empty()) {
            row.launch = {.grid = {whole_of(table.at("Grid X")), whole_of(table.at("Grid Y")),
                                   whole_of(table.at("Grid Z"))},
                          .block = {whole_of(table.at("Block X")), whole_of(table.at("Block Y")),
                                    whole_of(table.at("Block Z"))},
                          .registers = whole_of(table.at("Registers Per Thread"))};
        }
        rows.add(row);
    }
}

// The kernels' sums; the calls of the host's interface have rows of another type.
void read_nvprof_summary(CsvTable& table, KernelRows& rows) {
    if (!table.next()) {
        return;
    }
    const std::string unit(table.at("Time"));
    while (table.next()) {
        const std::string_view type = table.at("Type");
        if (type.empty() || type == "GPU activities") {
            rows.add({.name = table.at("Name"), .time = time_in(table.at("Time"), unit)});
        }
    }
    rows.profile().doubts.push_back(
        "the file is a summary: each kernel's time is the sum of all "
        "its calls in all iterations");
}

// Where a metric is a kernel's time.
bool is_duration_metric(std::string_view name) {
    return name == "gpu__time_duration.sum" || name == "Duration" ||
           name == "gpu__time_duration.avg";
}

// Nsight Compute's kernels with their metrics, in long form (a row for each metric) or wide form
// (--page raw: a column for each, below them the units).
class NsightComputeReader {
public:
    explicit NsightComputeReader(ByteSource& source) : source_(source), table_(source) {}

    RecordedProfile read() {
        if (!table_.find_header("Kernel Name")) {
            throw Error(
                fmt::format("'{}' has no header with \"Kernel Name\"; record it with ncu "
                            "--csv",
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
    void begin(const std::string& name) {
        finish_kernel();
        name_ = name;
        stream_ = whole_of(table_.at("Stream"));
        is_open_ = true;
    }

    void take(std::string_view metric, std::string_view unit, std::string_view value) {
        if (is_duration_metric(metric)) {
            time_ = time_ ? time_ : time_in(value, unit);
        }
        if (const auto number = parse_separated(value)) {
            metrics_.push_back(
                {.name = std::string(metric), .unit = std::string(unit), .value = number});
        }
    }

    void finish_kernel() {
        if (!is_open_) {
            return;
        }
        const std::size_t before = rows_.profile().operators.size();
        rows_.add({.name = name_, .time = time_, .stream = stream_});
        if (rows_.profile().operators.size() > before) {
            rows_.profile().metrics[static_cast<std::uint32_t>(before)] = std::move(metrics_);
        }
        metrics_.clear();
        time_.reset();
        is_open_ = false;
    }

    void read_long() {
        std::string id;
        while (table_.next()) {
            if (std::string(table_.at("ID")) != id || !is_open_) {
                id = table_.at("ID");
                begin(std::string(table_.at("Kernel Name")));
            }
            if (!table_.at("Metric Name").empty()) {
                take(table_.at("Metric Name"), table_.at("Metric Unit"), table_.at("Metric Value"));
            }
        }
        finish_kernel();
    }

    void read_wide() {
        if (!table_.next()) {
            return;
        }
        const std::vector<std::string> units = table_.row();
        while (table_.next()) {
            begin(std::string(table_.at("Kernel Name")));
            for (std::size_t i = 0; i < units.size(); ++i) {
                if (table_.columns()[i].find("__") != std::string::npos) {
                    take(table_.columns()[i], units[i], table_.row()[i]);
                }
            }
        }
        finish_kernel();
    }

    ByteSource& source_;
    CsvTable table_;
    KernelRows rows_{"nsight-compute"};
    std::string name_ = {};
    std::uint32_t stream_ = 0;
    std::optional<Nanoseconds> time_ = {};
    std::vector<MetricResult> metrics_ = {};
    bool is_open_ = false;
};

// Names of rocprof end in ".kd", rocprofv3's do not.
std::string_view kernel_of(std::string_view name) {
    for (const std::string_view ending : {" [clone .kd]", ".kd"}) {
        if (name.ends_with(ending)) {
            return name.substr(0, name.size() - ending.size());
        }
    }
    return name;
}

}  // namespace

RecordedProfile read_nvprof(ByteSource& source) {
    CsvTable table(source);
    KernelRows rows("nvprof");
    if (!table.find_header("Name")) {
        throw Error(
            fmt::format("'{}' has no header with \"Name\"; record it with nvprof --csv "
                        "--print-gpu-trace",
                        source.name()));
    }
    if (table.has("Start")) {
        read_nvprof_trace(table, rows);
    } else {
        read_nvprof_summary(table, rows);
    }
    return rows.finish(table, source);
}

RecordedProfile read_nsight_compute(ByteSource& source) {
    return NsightComputeReader(source).read();
}

RecordedProfile read_rocprof(ByteSource& source) {
    CsvTable table(source);
    KernelRows rows("rocprof");
    const bool is_third = head_of(source.file()).find("Start_Timestamp") != std::string::npos;
    if (!table.find_header(is_third ? "Kernel_Name" : "KernelName")) {
        throw Error(
            fmt::format("'{}' has no header with a kernel's name; record it with rocprofv3 "
                        "--kernel-trace or rocprof --timestamp on",
                        source.name()));
    }
    while (table.next()) {
        const auto start = time_in(table.at(is_third ? "Start_Timestamp" : "BeginNs"), "ns");
        const auto end = time_in(table.at(is_third ? "End_Timestamp" : "EndNs"), "ns");
        const bool is_timed = start && end;
        rows.add({.name = kernel_of(table.at(is_third ? "Kernel_Name" : "KernelName")),
                  .start = start,
                  .time = is_timed ? std::optional(*end - *start) : std::nullopt,
                  .stream = whole_of(table.at(is_third ? "Queue_Id" : "queue-id"))});
    }
    return rows.finish(table, source);
}

}  // namespace strata
