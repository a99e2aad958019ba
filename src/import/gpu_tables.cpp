// SPDX-License-Identifier: MIT
// The tables of kernels that nvprof and rocprof print.
#include "import/formats.h"
#include "import/kernel_rows.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace strata {

namespace {

// "Tesla V100 (0)" is a name and a number.
void take_nvprof_device(std::string_view text, KernelRow& row) {
    row.device = unit_in_name(text);
    if (row.device.empty()) {
        row.device = text;
    } else {
        row.device_name = trim(text.substr(0, text.rfind('(')));
    }
}

// Names of rocprof end in ".kd", rocprofv3's do not.
std::string_view kernel_of(std::string_view name) {
    for (const std::string_view ending : {" [clone .kd]", ".kd"}) {
        if (name.ends_with(ending)) {
            return name.substr(0, name.size() - ending.size());
        }
    }
    return name;
}

// A GPU trace (--print-gpu-trace).
void read_nvprof_trace(CsvTable& table, KernelRows& rows) {
    if (!table.next_units("Duration")) {
        return;
    }
    const std::string unit_of_start(table.at("Start"));
    const std::string unit(table.at("Duration"));
    while (table.next()) {
        const std::string_view name = table.at("Name");
        KernelRow row{.name = std::string(name),
                      .start = table.time_in(table.at("Start"), unit_of_start).time,
                      .time = table.time_in(table.at("Duration"), unit),
                      .stream = whole_of(table.at("Stream"))};
        take_nvprof_device(table.at("Device"), row);
        row.kind = name.starts_with("[CUDA memcpy")   ? SpanKind::copy
                   : name.starts_with("[CUDA memset") ? SpanKind::fill
                                                      : SpanKind::kernel;
        if (row.start) {
            *row.start += Nanoseconds(1);  // 0 means no stamp
        }
        if (!table.at("Block X").empty()) {
            row.launch = {.grid = {whole_of(table.at("Grid X")), whole_of(table.at("Grid Y")),
                                   whole_of(table.at("Grid Z"))},
                          .block = {whole_of(table.at("Block X")), whole_of(table.at("Block Y")),
                                    whole_of(table.at("Block Z"))},
                          .registers = whole_of(table.at("Registers Per Thread"))};
        }
        rows.add(std::move(row));
    }
}

// Calls of the HIP and HSA interfaces have C names: "hipLaunchKernel", "hsa_signal_create".
bool is_host_call(std::string_view name) {
    name = name.starts_with("__hip") ? name.substr(2) : name;
    const bool is_hip =
        name.starts_with("hip") && name.size() > 3 && name[3] >= 'A' && name[3] <= 'Z';
    return (is_hip || name.starts_with("hsa_")) &&
           std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// rocprofv3's domain_stats.csv has a row for all kernels, and one for each interface.
bool is_rocprof_domain(std::string_view name) {
    constexpr std::array domains = {"KERNEL_DISPATCH",
                                    "MEMORY_COPY",
                                    "MEMORY_ALLOCATION",
                                    "SCRATCH_MEMORY",
                                    "HIP_API",
                                    "HIP_RUNTIME_API",
                                    "HIP_COMPILER_API",
                                    "HSA_API",
                                    "HSA_CORE_API",
                                    "HSA_AMD_EXT_API",
                                    "HSA_IMAGE_EXT_API",
                                    "MARKER_API",
                                    "HSA_FINALIZE_EXT_API",
                                    "MARKER_CORE_API",
                                    "RCCL_API",
                                    "OMPT"};
    return std::ranges::find(domains, name) != domains.end();
}

// A table of sums: for each kernel, the time of all its calls.
struct SummaryColumns {
    std::string name = {};
    std::string time = {};
    std::string unit = {};  // of the time
    std::string calls = {};
};

void read_summary(CsvTable& table, KernelRows& rows, const SummaryColumns& columns) {
    while (table.next()) {
        // nvprof lists calls of the host's interface as rows of another type, rocprof in a similar
        // table.
        const std::string_view type = table.at("Type");
        const TableTime time = table.time_in(table.at(columns.time), columns.unit);
        const bool is_call = is_host_call(table.at(columns.name));
        if (is_call || (!type.empty() && type != "GPU activities")) {
            rows.ledger().leave_out(LeftOutReason::host_alone, is_call ? "calls" : type, time.time);
            continue;
        }
        if (is_rocprof_domain(table.at(columns.name))) {
            rows.ledger().leave_out(LeftOutReason::unknown_kind, table.at(columns.name), time.time);
            continue;
        }
        const std::string calls = fmt::format("{} calls", printable(table.at(columns.calls), 20));
        rows.add({.name = std::string(kernel_of(table.at(columns.name))),
                  .implementation = rows.profile().texts.id_of(calls),
                  .time = time});
    }
    rows.profile().is_summary = true;
    rows.profile().doubts.emplace_back(
        "the file is a summary: each kernel's time is the sum of all its calls in all iterations");
}

void read_nvprof_summary(CsvTable& table, KernelRows& rows) {
    if (table.next_units("Time")) {
        read_summary(table, rows,
                     {.name = "Name",
                      .time = "Time",
                      .unit = std::string(table.at("Time")),
                      .calls = "Calls"});
    }
}

// Metrics of nvprof that a CUPTI counter replaced (NVIDIA, Nsight Compute CLI, "nvprof Metric
// Comparison"), and the factor to the counter.
struct NvprofMetric {
    std::string_view name;
    std::string_view counter;
    double scale = 1;
};
constexpr std::array nvprof_metrics = {
    NvprofMetric{"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", 100},
    NvprofMetric{"dram_read_bytes", "dram__bytes_read.sum"},
    NvprofMetric{"dram_write_bytes", "dram__bytes_write.sum"},
    NvprofMetric{"inst_executed", "smsp__inst_executed.sum"},
    NvprofMetric{"l2_read_transactions", "lts__t_sectors_op_read.sum"},
    NvprofMetric{"l2_write_transactions", "lts__t_sectors_op_write.sum"},
    NvprofMetric{"tex_cache_hit_rate", "l1tex__t_sector_hit_rate.pct"},
};

// "1.234GB/s" or "45.20%": nvprof writes units after numbers. Returns nothing, and books it, if it
// is not a number or has no known unit.
std::optional<RecordedCounter> nvprof_value(std::string_view text, const CsvTable& table,
                                            Ledger& ledger) {
    const auto end = std::min(text.find_first_not_of("0123456789., +-eE"), text.size());
    const auto number = table.number(text.substr(0, end));
    const auto unit = counter_unit(text.substr(end));
    if (!number || !unit) {
        ledger.leave_out(unit ? LeftOutReason::unclear_number : LeftOutReason::unknown_unit,
                         unit ? text : text.substr(end));
        return {};
    }
    return RecordedCounter{*number * unit->factor, unit->name};
}

// Kernels whose counters have separate rows, in order of first appearance.
class CountedKernels {
public:
    // The kernel with that identity, and whether it is new.
    std::pair<KernelRow*, bool> at(const std::string& identity) {
        const auto [place, is_new] = places_.emplace(identity, kernels_.size());
        if (is_new) {
            kernels_.push_back({.records = 0});
        }
        return {&kernels_[place->second], is_new};
    }

    void add_to(KernelRows& rows) {
        for (KernelRow& kernel : kernels_) {
            if (kernel.records > 0) {
                rows.add(std::move(kernel));
            }
        }
    }

private:
    std::map<std::string, std::size_t> places_ = {};
    std::vector<KernelRow> kernels_ = {};
};

// Adds a further row of a kernel.
void count(KernelRow& kernel, std::string_view counter, const RecordedCounter& value,
           Ledger& ledger) {
    if (kernel.counters.emplace(counter, value).second) {
        ++kernel.records;
    } else {
        ledger.leave_out(LeftOutReason::unknown_kind, "a repeated counter");
    }
}

// --metrics: one row for each metric of each kernel, the mean of its invocations.
void read_nvprof_metrics(CsvTable& table, KernelRows& rows) {
    table.learn_numbers([](std::string_view column) {
        return column == "Min" || column == "Max" || column == "Avg";
    });
    CountedKernels kernels;
    while (table.next()) {
        auto value = nvprof_value(table.at("Avg"), table, rows.ledger());
        if (!value) {
            continue;
        }
        const std::string_view name = table.at("Kernel"), metric = table.at("Metric Name");
        const auto [kernel, is_new] = kernels.at(fmt::format("{}\n{}", table.at("Device"), name));
        if (is_new) {
            kernel->name = name;
            take_nvprof_device(table.at("Device"), *kernel);
        }
        const auto known = std::ranges::find(nvprof_metrics, metric, &NvprofMetric::name);
        const bool is_known = known != nvprof_metrics.end();
        value->value *= is_known ? known->scale : 1;
        count(*kernel, is_known ? known->counter : metric, *value, rows.ledger());
    }
    kernels.add_to(rows);
    rows.profile().is_summary = true;
    rows.profile().doubts.emplace_back("each kernel's metrics are the means of its invocations");
}

// The columns that describe a dispatch, in either rocprof.
struct RocprofColumns {
    std::string_view name, start, end, agent, queue, process;
};
constexpr RocprofColumns rocprof_columns = {"KernelName", "BeginNs",  "EndNs",
                                            "gpu-id",     "queue-id", "pid"};
constexpr RocprofColumns rocprofv3_columns = {"Kernel_Name", "Start_Timestamp", "End_Timestamp",
                                              "Agent_Id",    "Queue_Id",        "Process_Id"};
// The others of rocprof's results.csv are counters.
constexpr std::array<std::string_view, 24> rocprof_dispatch_columns = {
    "Index",     "KernelName", "gpu-id",  "queue-id", "queue-index", "pid",
    "tid",       "grd",        "wgr",     "lds",      "scr",         "vgpr",
    "arch_vgpr", "accum_vgpr", "sgpr",    "fbar",     "wave_size",   "sig",
    "obj",       "DispatchNs", "BeginNs", "EndNs",    "CompleteNs",  "DurationNs"};

KernelRow rocprof_row(const CsvTable& table, const RocprofColumns& columns) {
    const TableTime start = table.time_in(table.at(columns.start), "ns");
    const TableTime end = table.time_in(table.at(columns.end), "ns");
    KernelRow row{.name = std::string(kernel_of(table.at(columns.name))),
                  .start = start.time,
                  .time = start.time ? end : start,
                  .device = std::string(table.at(columns.agent)),
                  .process = parse_integer(table.at(columns.process)).value_or(0),
                  .stream = whole_of(table.at(columns.queue))};
    if (start.time && end.time) {
        row.time.time = *end.time - *start.time;
    }
    if (start.time == Nanoseconds::zero() && end.time == Nanoseconds::zero()) {
        row.start.reset();  // no stamps were taken
        row.time = {};
    }
    return row;
}

// A counter in a column: each non-empty value is a record besides the row.
void take_cell(const std::string& name, std::string_view text, const CsvTable& table,
               KernelRow& row, Ledger& ledger) {
    if (text.empty()) {
        return;
    }
    ledger.meet();
    if (const auto value = table.number(text)) {
        row.counters.emplace(name, RecordedCounter{*value, ""});
        ++row.records;
    } else {
        ledger.leave_out(LeftOutReason::unclear_number, name);
    }
}

// rocprofv3 --pmc: one row for each counter of each dispatch.
void read_rocprof_counters(CsvTable& table, KernelRows& rows) {
    table.learn_numbers([](std::string_view column) { return column == "Counter_Value"; });
    CountedKernels kernels;
    while (table.next()) {
        const auto value = table.number(table.at("Counter_Value"));
        if (!value) {
            rows.ledger().leave_out(LeftOutReason::unclear_number, table.at("Counter_Name"));
            continue;
        }
        const auto [kernel, is_new] = kernels.at(
            fmt::format("{}\n{}\n{}", table.at("Process_Id"), table.at("Agent_Id"),
                        table.at(table.has("Dispatch_Id") ? "Dispatch_Id" : "Correlation_Id")));
        if (is_new) {
            *kernel = rocprof_row(table, rocprofv3_columns);
            kernel->records = 0;
        }
        count(*kernel, table.at("Counter_Name"), {*value, ""}, rows.ledger());
    }
    kernels.add_to(rows);
}

// One row for each dispatch. rocprof's own counters ("pmc:") are columns between those that
// describe a dispatch.
void read_rocprof_rows(CsvTable& table, KernelRows& rows, const RocprofColumns& columns) {
    const bool is_first = &columns == &rocprof_columns;
    const auto is_counter = [&](std::string_view column) {
        return is_first && std::ranges::find(rocprof_dispatch_columns, column) ==
                               rocprof_dispatch_columns.end();
    };
    table.learn_numbers(is_counter);
    while (table.next()) {
        KernelRow row = rocprof_row(table, columns);
        for (std::size_t i = 0; i < table.columns().size(); ++i) {
            if (const std::string& name = table.columns()[i]; is_counter(name)) {
                take_cell(name, table.row()[i], table, row, rows.ledger());
            }
        }
        rows.add(std::move(row));
    }
}

// rocprof --stats and rocprofv3's kernel_stats.csv.
bool is_rocprof_summary(const CsvTable& table) {
    return table.has("TotalDurationNs") && table.has("Calls");
}

}  // namespace

RecordedProfile read_nvprof(ByteSource& source) {
    KernelRows rows("nvprof");
    CsvTable table(source, rows.ledger());
    if (!table.find_header({"Name", "Kernel"})) {
        throw Error(
            fmt::format("'{}' has no header with \"Name\" or \"Kernel\"; record it with nvprof "
                        "--csv --print-gpu-trace",
                        source.name()));
    }
    if (table.has("Metric Name")) {
        read_nvprof_metrics(table, rows);
    } else if (table.has("Start")) {
        table.learn_numbers(
            [](std::string_view column) { return column == "Start" || column == "Duration"; });
        read_nvprof_trace(table, rows);
    } else {
        table.learn_numbers([](std::string_view column) {
            return column == "Time" || column == "Avg" || column == "Min" || column == "Max";
        });
        read_nvprof_summary(table, rows);
    }
    return rows.finish(source);
}

RecordedProfile read_nsys_stats(ByteSource& source) {
    KernelRows rows("nsight-systems");
    CsvTable table(source, rows.ledger());
    if (!table.find_header({"Instances"}, "Name") || table.column_with("Total Time").empty()) {
        throw Error(
            fmt::format("'{}' has no header with \"Total Time\", \"Instances\" and \"Name\"; "
                        "print it with nsys stats --report cuda_gpu_kern_sum --format csv",
                        source.name()));
    }
    const std::string time(table.column_with("Total Time"));
    table.learn_numbers(
        [](std::string_view column) { return column != "Name" && column != "Instances"; });
    read_summary(table, rows,
                 {.name = "Name",
                  .time = time,
                  .unit = std::string(unit_in_name(time)),
                  .calls = "Instances"});
    return rows.finish(source);
}

RecordedProfile read_rocprof(ByteSource& source) {
    KernelRows rows("rocprof");
    CsvTable table(source, rows.ledger());
    if (!table.find_header({"Kernel_Name", "KernelName", "TotalDurationNs"})) {
        throw Error(
            fmt::format("'{}' has no header with a kernel's name; record it with rocprofv3 "
                        "--kernel-trace or rocprof --timestamp on",
                        source.name()));
    }
    if (is_rocprof_summary(table)) {
        read_summary(table, rows,
                     {.name = "Name", .time = "TotalDurationNs", .unit = "ns", .calls = "Calls"});
        if (rows.profile().operators.empty() && rows.ledger().left_out().records > 0) {
            throw Error(
                fmt::format("'{}' is a summary of rocprof without a kernel that has a time ({}); "
                            "import kernel_stats.csv or kernel_trace.csv",
                            source.name(), join(rows.ledger().sentences(), "; ")));
        }
    } else if (table.has("Counter_Name")) {
        read_rocprof_counters(table, rows);
    } else {
        read_rocprof_rows(table, rows,
                          table.has("Kernel_Name") ? rocprofv3_columns : rocprof_columns);
    }
    if (rows.has_counters()) {
        rows.profile().doubts.emplace_back(
            "kernels run one by one while counters are collected: their times are not those of the "
            "program");
    }
    return rows.finish(source);
}

}  // namespace strata
