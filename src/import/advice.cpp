// SPDX-License-Identifier: MIT
#include "import/advice.h"

#include <algorithm>
#include <array>
#include <string>

namespace strata {

namespace {

// A file's kind is recognised by its first bytes, the end of its name, and texts near its
// beginning; all must match.
struct ForeignKind {
    std::string_view start = {};
    std::array<std::string_view, 3> texts = {};    // empty: always matches
    std::array<std::string_view, 3> endings = {};  // likewise
    std::string_view unless = {};  // a text that a file of this kind must not contain; or nothing
    std::string_view advice = {};
};

// THE list of known kinds of files that strata does not read.
constexpr std::array foreign_kinds = {
    ForeignKind{.endings = {".nsys-rep", ".qdrep", ".qdstrm"},
                .advice = "is a report of Nsight Systems: export it with nsys export --type sqlite "
                          "and import the database"},
    ForeignKind{.endings = {".ncu-rep", ".nsight-cuprof-report"},
                .advice = "is a report of Nsight Compute: print it with ncu --import FILE --csv "
                          "--page raw and import what it prints"},
    ForeignKind{.endings = {".xplane.pb"},
                .advice = "is a profile of TensorFlow or JAX (XSpace): convert it to a trace with "
                          "the package xprof, as docs/import.md says, and import that"},
    ForeignKind{.endings = {".pftrace", ".perfetto-trace"},
                .advice = "is a trace of Perfetto (protobuf): let rocprofv3 write --output-format "
                          "csv, or export JSON from the PyTorch profiler"},
    ForeignKind{.endings = {".parquet"},
                .advice = "is a Parquet file: export the report of Nsight Systems with nsys export "
                          "--type sqlite"},
    ForeignKind{.texts = {"No kernels were profiled"},
                .advice = "is a log of nvprof that recorded no kernels: profile a "
                          "program that uses the GPU, and let it end by itself"},
    ForeignKind{.texts = {"No kernels were profiled", "==PROF=="},
                .advice = "is a log of ncu that recorded no kernels: profile a program that uses "
                          "the GPU, without a filter that excludes all kernels"},
    ForeignKind{.texts = {"\"Invocations\"", "\"Metric Name\"", "\"Kernel Name\""},
                .advice = "is a summary of ncu --print-summary over all invocations: print "
                          "it without that option"},
    ForeignKind{.texts = {"Self CPU %", "CPU total", "# of Calls"},
                .advice =
                    "is the table that PyTorch's key_averages() prints, which has only sums: write "
                    "a trace with export_chrome_trace"},
    ForeignKind{.texts = {"Self CPU time total"},
                .advice =
                    "is the table that PyTorch's key_averages() prints, which has only sums: write "
                    "a trace with export_chrome_trace"},
    ForeignKind{.texts = {"==PROF==", "Section: "},
                .advice = "is ncu's human-readable output: add --csv --page raw"},
    ForeignKind{.texts = {"Time(%)", "  Calls  ", "Avg  "},
                .advice = "is nvprof's human-readable output: add --csv, and --print-gpu-trace for "
                          "each kernel's own times"},
    ForeignKind{
        .texts = {"Total Time (", "Num Calls"},
        .unless = "Instances",
        .advice = "is a summary of the host's calls by nsys stats: print that of the kernels with "
                  "--report cuda_gpu_kern_sum, or export the report with nsys export "
                  "--type sqlite"},
    ForeignKind{.texts = {"Duration (", "CorrId", "GrdX"},
                .advice = "is a trace that nsys stats printed: export the report with nsys export "
                          "--type sqlite"},
    ForeignKind{.texts = {"Time (%)  ", "Total Time ("},
                .advice =
                    "is the human-readable output of nsys stats: add --format csv, or export the "
                    "report with nsys export --type sqlite"},
    ForeignKind{.texts = {"\"Domain\",\"Function\"", "Start_Timestamp"},
                .advice =
                    "is rocprofv3's trace of the host's calls: import kernel_trace.csv, which "
                    "--kernel-trace writes"},
    ForeignKind{.texts = {"\"Direction\"", "Source_Agent_Id", "Start_Timestamp"},
                .advice = "is rocprofv3's trace of copies: import kernel_trace.csv, which "
                          "--kernel-trace writes"},
    ForeignKind{.texts = {"\"rocprofiler-sdk-tool\""},
                .advice = "is rocprofv3's JSON: let it write --output-format csv and import "
                          "kernel_trace.csv"},
    ForeignKind{.texts = {"\"viztracer_metadata\""},
                .advice = "is a trace of VizTracer, of Python's functions: record the network with "
                          "torch.profiler"},
    ForeignKind{.texts = {"speedscope.app/file-format-schema"},
                .advice = "is a profile for speedscope, of a program's functions: record the "
                          "network with its framework's profiler"},
    ForeignKind{.texts = {"SQLite format 3", "CUPTI_ACTIVITY_KIND", "StringTable"},
                .advice = "is a database of nvprof or the Visual Profiler: print it with nvprof "
                          "--import FILE --csv --print-gpu-trace and import what it prints"},
    ForeignKind{.texts = {"SQLite format 3", "rocpd_op", "rocpd_api"},
                .advice = "is a database of rpd (rocmProfileData): convert it to a trace with "
                          "rpd2tracing.py, or record with rocprofv3 --output-format csv"},
    ForeignKind{.texts = {"SQLite format 3", "rocpd_kernel_dispatch"},
                .advice = "is a database of rocprofv3 (rocpd): convert it to tables with rocpd "
                          "convert -i FILE --output-format csv and import kernel_trace.csv"},
    ForeignKind{.texts = {"\"CudaEvent\"", "\"Type\""},
                .advice = "is the JSON of nsys export: export with --type sqlite instead"},
    ForeignKind{.texts = {"Total Time (", "StdDev ("},
                .unless = "Name",
                .advice = "is a summary of nsys stats, but not of kernels: print it with "
                          "--report cuda_gpu_kern_sum --format csv"},
    ForeignKind{.texts = {"KAvg (", "API Name"},
                .advice = "is a summary of nsys stats, but not of kernels: print it with "
                          "--report cuda_gpu_kern_sum --format csv"},
    ForeignKind{.texts = {"\"Time (%)\":", "\"Total Time ("},
                .advice = "is JSON of nsys stats: print it with --format csv"},
    ForeignKind{.texts = {"Agent_Id", "Start_Timestamp"},
                .unless = "Kernel_Name",
                .advice = "is a trace by rocprofv3, but not of kernels: import "
                          "kernel_trace.csv, which --kernel-trace writes"},
    ForeignKind{.texts = {"Node_Id", "Logical_Node_Id"},
                .advice = "is rocprofv3's table of the machine's devices: import "
                          "kernel_trace.csv, which --kernel-trace writes"},
    ForeignKind{.endings = {"hip_api_stats.csv", "hsa_api_stats.csv", "marker_api_stats.csv"},
                .advice = "is rocprofv3's summary of the host's calls: import kernel_trace.csv or "
                          "kernel_stats.csv"},
    ForeignKind{.endings = {".hip_stats.csv", ".hsa_stats.csv", "domain_stats.csv"},
                .advice = "is a summary of rocprof without the kernels: import kernel_trace.csv "
                          "or kernel_stats.csv of rocprofv3, or rocprof's own results.csv"},
    ForeignKind{.texts = {"mkldnn_verbose,"},
                .advice = "is a log of MKL-DNN, oneDNN before its version 1 (2019): record it "
                          "with a newer one and ONEDNN_VERBOSE=1"},
    ForeignKind{.texts = {"\"timeMs\"", "\"averageMs\""},
                .advice = "is trtexec's profile of TensorRT's layers, which has only sums: record "
                          "trtexec with nsys, and export with nsys export --type sqlite"},
    ForeignKind{.texts = {"[node type]", "[avg ms]"},
                .advice =
                    "is the output of TensorFlow Lite's benchmark, which has only averages: record "
                    "the network with another framework's profiler"},
    ForeignKind{.texts = {"\"schema\"", "-chakra."},
                .advice = "is PyTorch's execution trace (Chakra), which has no times: write a "
                          "trace with torch.profiler's export_chrome_trace"},
    ForeignKind{.texts = {"\"callFrame\"", "\"nodes\""},
                .advice = "is a profile of JavaScript's functions: record the network with its "
                          "framework's profiler"},
    ForeignKind{.start = "Function",
                .advice = "is a table of a program's functions, as VTune writes it: record the "
                          "network with its framework's profiler, or with ONEDNN_VERBOSE=1"},
    ForeignKind{.start = "PERFILE2",
                .endings = {"perf.data"},
                .advice = "is a recording of Linux's perf, of a program's functions: record the "
                          "network with its framework's profiler"},
    ForeignKind{.endings = {".pickle", ".pkl"},
                .advice = "is a Python pickle, such as a PyTorch memory snapshot: write a "
                          "trace with torch.profiler's export_chrome_trace"},
    ForeignKind{.endings = {".onnx"},
                .advice = "is a network, not a recording: strata show counts its work, and "
                          "strata run measures it"},
    ForeignKind{.start = std::string_view("PK\x03\x04", 4),
                .advice = "is a zip archive: unpack it, and import the recording in it"},
    ForeignKind{.start = "\x28\xB5\x2F\xFD",
                .advice = "is compressed with Zstandard: unpack it with zstd -d"},
    ForeignKind{.start = "\xFD"
                         "7zXZ",
                .advice = "is compressed with xz: unpack it with xz -d"},
    ForeignKind{.start = "BZh", .advice = "is compressed with bzip2: unpack it with bzip2 -d"},
    ForeignKind{.start = "\x1F\x8B",
                .advice = "is compressed with gzip twice: unpack it once with gunzip"},
    ForeignKind{.start = "<!DOCTYPE html",
                .advice = "is an HTML page: import the recording that it was made from"},
};

bool has_any_ending(const std::string& name, const ForeignKind& kind) {
    return std::ranges::any_of(kind.endings, [&](std::string_view ending) {
        return !ending.empty() && name.ends_with(ending);
    });
}

bool has_all_texts(std::string_view head, const ForeignKind& kind) {
    const bool is_other = !kind.unless.empty() && head.find(kind.unless) != head.npos;
    return !kind.texts.front().empty() && !is_other &&
           std::ranges::all_of(kind.texts,
                               [&](std::string_view text) { return head.find(text) != head.npos; });
}

// In UTF-16, every other byte of Latin text is 0.
bool is_wide_text(std::string_view head) {
    return head.size() >= 4 && (head[0] == 0) != (head[1] == 0) && (head[2] == 0) != (head[3] == 0);
}

}  // namespace

std::string_view advice_for(const std::filesystem::path& file, std::string_view head) {
    if (head.find_first_not_of(" \t\r\n") == head.npos) {
        return "is empty: the tool wrote nothing into it; record it again";
    }
    if (is_wide_text(head)) {
        return "is text in UTF-16 or UTF-32 without a byte order mark: save it as UTF-8";
    }
    const std::string name = file.filename().string();
    // A kind with more criteria is more specific.
    const ForeignKind* found = nullptr;
    const auto marks = [](const ForeignKind& kind) {
        return std::ranges::count_if(kind.texts,
                                     [](std::string_view text) { return !text.empty(); });
    };
    for (const ForeignKind& kind : foreign_kinds) {
        const bool starts_so = !kind.start.empty() && head.starts_with(kind.start);
        const bool is_one = starts_so || has_any_ending(name, kind) || has_all_texts(head, kind);
        if (is_one && (found == nullptr || marks(kind) > marks(*found))) {
            found = &kind;
        }
    }
    return found == nullptr ? std::string_view() : found->advice;
}

}  // namespace strata
