// SPDX-License-Identifier: MIT
#include "import/formats.h"

#include "import/advice.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

bool has(std::string_view head, std::string_view part) {
    return head.find(part) != head.npos;
}

bool is_json(std::string_view head) {
    const auto first = head.find_first_not_of(" \t\r\n");
    return first != head.npos && (head[first] == '{' || head[first] == '[');
}

// The categories of the events near the file's beginning.
std::vector<std::string_view> categories_in(std::string_view head) {
    constexpr std::string_view key = "\"cat\"";
    std::vector<std::string_view> categories;
    for (auto at = head.find(key); at != head.npos; at = head.find(key, at + 1)) {
        const auto begin = head.find_first_not_of(" \t\r\n:", at + key.size());
        if (begin != head.npos && head[begin] == '"') {
            const std::string_view rest = head.substr(begin + 1);
            categories.push_back(rest.substr(0, rest.find('"')));
        }
    }
    return categories;
}

bool has_category(std::string_view head, std::initializer_list<std::string_view> wanted) {
    return std::ranges::any_of(categories_in(head), [&](std::string_view category) {
        return std::ranges::find(wanted, category) != wanted.end();
    });
}

bool is_onnxruntime(std::string_view head) {
    return is_json(head) && (has(head, "\"session_initialization\"") ||
                             has(head, "\"model_loading") || has(head, "_kernel_time\""));
}

// Kineto's files name its schema, or have its categories within the first events: old ones begin
// with kernels. The previous profiler had no categories, and processes of these names.
bool is_kineto(std::string_view head) {
    return is_json(head) && !is_onnxruntime(head) &&
           (has(head, "\"schemaVersion\"") ||
            has_category(
                head, {"cpu_op", "Operator", "user_annotation", "python_function", "kernel",
                       "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset", "cuda_runtime",
                       "cuda_driver", "hip_runtime", "xpu_runtime", "Runtime", "ac2g", "fwdbwd"}) ||
            has(head, "\"CPU functions\"") || has(head, "\"CUDA functions\""));
}

bool is_tensorflow(std::string_view head) {
    return is_json(head) && has(head, "\"traceEvents\"") &&
           (has(head, "/host:CPU") || has(head, "/device:GPU") || has(head, "/device:TPU"));
}

bool is_onednn(std::string_view head) {
    return has(head, "onednn_verbose,") || has(head, "dnnl_verbose,");
}

bool is_nvprof(std::string_view head) {
    const bool is_trace = has(head, "Start") && has(head, "Duration") && has(head, "Grid X");
    const bool is_summary = has(head, "Time(%)") && has(head, "Calls") && has(head, "Avg");
    const bool is_metrics = has(head, "\"Kernel\"") && has(head, "\"Invocations\"");
    return is_trace || is_summary || is_metrics;
}

bool is_dnnmark_log(std::string_view head) {
    return has(head, "DNNMark suites") || has(head, "DNNMark: ");
}

bool is_sqlite(std::string_view head) {
    return head.starts_with(std::string_view("SQLite format 3\0", 16));
}

bool is_nsight_compute(std::string_view head) {
    return has(head, "\"Kernel Name\"") && has(head, "\"ID\"");
}

bool is_nsys_stats(std::string_view head) {
    return has(head, "Total Time") && has(head, "Instances") && has(head, "Name");
}

bool is_rocprof(std::string_view head) {
    const bool is_third =
        has(head, "Kernel_Name") && (has(head, "Start_Timestamp") || has(head, "Counter_Name"));
    const bool is_first = has(head, "KernelName") && (has(head, "BeginNs") || has(head, "gpu-id"));
    return is_third || is_first || (has(head, "TotalDurationNs") && has(head, "Calls"));
}

constexpr std::array all_formats = {
    ImportFormat{"pytorch", "PyTorch profiler (Kineto): Chrome trace, .json or .json.gz", is_kineto,
                 read_kineto},
    ImportFormat{"onnxruntime", "ONNX Runtime: profile of a session, .json", is_onnxruntime,
                 read_onnxruntime},
    ImportFormat{"tensorflow", "TensorFlow profiler: trace viewer's file, .trace.json.gz",
                 is_tensorflow, read_tensorflow},
    ImportFormat{"onednn", "oneDNN: log of ONEDNN_VERBOSE=1, versions 1 to 3", is_onednn,
                 read_onednn_verbose},
    ImportFormat{"dnnmark", "DNNMark: log of a benchmark", is_dnnmark_log, read_dnnmark_log},
    ImportFormat{"nsight-systems", "Nsight Systems: nsys export --type sqlite", is_sqlite,
                 read_nsight_systems},
    ImportFormat{"nsight-compute", "Nsight Compute: ncu --csv, long or --page raw",
                 is_nsight_compute, read_nsight_compute},
    ImportFormat{"nvprof", "nvprof --csv: --print-gpu-trace, --metrics, or the summary", is_nvprof,
                 read_nvprof},
    ImportFormat{"rocprof",
                 "rocprof's results.csv, rocprofv3's kernel_trace.csv or counter_collection.csv, "
                 "kernel_stats.csv of both",
                 is_rocprof, read_rocprof},
    ImportFormat{"nsys-stats", "nsys stats --report cuda_gpu_kern_sum --format csv", is_nsys_stats,
                 read_nsys_stats},
};

// The first category of an unknown JSON file, so that its owner recognises it.
std::string what_json_holds(std::string_view head) {
    const auto categories = categories_in(head);
    if (!is_json(head)) {
        return "";
    }
    return categories.empty()
               ? fmt::format(": it is JSON {}", has(head, "\"traceEvents\"")
                                                    ? "with trace events of an unknown tool"
                                                    : "and not a trace")
               : fmt::format(": it is a trace of an unknown tool, with events of category '{}'",
                             printable(categories.front()));
}

std::string listed_formats() {
    std::vector<std::string> names;
    for (const ImportFormat& one : all_formats) {
        names.emplace_back(one.name);
    }
    return join(names, ", ");
}

}  // namespace

std::span<const ImportFormat> import_formats() {
    return all_formats;
}

const ImportFormat& format_for(const std::filesystem::path& file, std::string_view name) {
    if (!name.empty()) {
        const auto found = std::ranges::find(all_formats, name, &ImportFormat::name);
        if (found == all_formats.end()) {
            throw Error(fmt::format("there is no format '{}': --format takes {}", printable(name),
                                    listed_formats()),
                        ExitCode::usage);
        }
        return *found;
    }
    const std::string head = head_of(file);
    if (const std::string_view advice = advice_for(file, head); !advice.empty()) {
        throw Error(fmt::format("'{}' {}", printable(file.string(), 1000), advice),
                    ExitCode::usage);
    }
    const auto found = std::ranges::find_if(
        all_formats, [&](const ImportFormat& one) { return one.recognises(head); });
    if (found == all_formats.end()) {
        throw Error(
            fmt::format("'{}' does not begin like any file that can be imported ({}, "
                        "kernel databases of DNNMark){}; name its format with --format",
                        printable(file.string(), 1000), listed_formats(), what_json_holds(head)),
            ExitCode::usage);
    }
    return *found;
}

}  // namespace strata
