// SPDX-License-Identifier: MIT
// The tables of kernels that nvprof and rocprof print.
#include "import/formats.h"
#include "import/kernel_rows.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace strata {

namespace {

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
        rows.add(std::move(row));
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

// Metrics of nvprof that one of CUPTI's counters replaced (NVIDIA, Nsight Compute CLI, "nvprof
// Metric Comparison"), and how many of the counter one of it is.
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

// "1.234GB/s" or "45.20%": nvprof writes units behind numbers.
std::optional<RecordedCounter> nvprof_value(std::string_view text) {
    const auto end = text.find_first_not_of("0123456789.,+-eE");
    const auto number = parse_separated(text.substr(0, end));
    const std::string_view unit = end == text.npos ? "" : text.substr(end);
    if (!number) {
        return {};
    }
    constexpr std::string_view prefixes = "KMGT";
    const auto prefix =
        unit.ends_with("B/s") && unit.size() == 4 ? prefixes.find(unit[0]) : prefixes.npos;
    return prefix == prefixes.npos
               ? RecordedCounter{*number, std::string(unit)}
               : RecordedCounter{*number * std::pow(1e3, static_cast<double>(prefix) + 1), "B/s"};
}

// --metrics: a row for each metric of each kernel, the mean of its invocations.
void read_nvprof_metrics(CsvTable& table, KernelRows& rows) {
    std::vector<std::string> order;
    std::map<std::string, RecordedCounters> kernels;
    while (table.next()) {
        const auto [kernel, is_new] = kernels.try_emplace(std::string(table.at("Kernel")));
        if (is_new) {
            order.push_back(kernel->first);
        }
        const std::string_view name = table.at("Metric Name");
        const auto known = std::ranges::find(nvprof_metrics, name, &NvprofMetric::name);
        if (auto value = nvprof_value(table.at("Avg"))) {
            const bool is_known = known != nvprof_metrics.end();
            value->value *= is_known ? known->scale : 1;
            kernel->second.emplace(is_known ? known->counter : name, *value);
        }
    }
    rows.profile().has_times = false;
    for (const std::string& name : order) {
        rows.add({.name = name, .counters = std::move(kernels[name])});
    }
    rows.profile().doubts.emplace_back(
        "the file has metrics and no times: each kernel's are the means of its invocations");
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

}  // namespace

RecordedProfile read_nvprof(ByteSource& source) {
    CsvTable table(source);
    KernelRows rows("nvprof");
    if (!table.find_header({"Name", "Kernel"})) {
        throw Error(
            fmt::format("'{}' has no header with \"Name\" or \"Kernel\"; record it with nvprof "
                        "--csv --print-gpu-trace",
                        source.name()));
    }
    if (table.has("Metric Name")) {
        read_nvprof_metrics(table, rows);
    } else if (table.has("Start")) {
        read_nvprof_trace(table, rows);
    } else {
        read_nvprof_summary(table, rows);
    }
    return rows.finish(table, source);
}

RecordedProfile read_rocprof(ByteSource& source) {
    CsvTable table(source);
    KernelRows rows("rocprof");
    if (!table.find_header({"Kernel_Name", "KernelName"})) {
        throw Error(
            fmt::format("'{}' has no header with a kernel's name; record it with rocprofv3 "
                        "--kernel-trace or rocprof --timestamp on",
                        source.name()));
    }
    const bool is_third = table.has("Kernel_Name");  // rocprofv3
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
