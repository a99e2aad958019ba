// SPDX-License-Identifier: MIT
#pragma once

#include "import/recording.h"
#include "import/source.h"

#include <filesystem>
#include <span>
#include <string_view>

namespace strata {

// A file format of a profiler.
struct ImportFormat {
    std::string_view name;   // "pytorch"
    std::string_view title;  // "PyTorch profiler (Kineto), Chrome trace, .json or .json.gz"
    // Whether a file with this beginning has the format.
    bool (*recognises)(std::string_view head);
    // Throws Error, one sentence with file and place. A truncated file is read to its end, and a
    // doubt of the recording says so.
    RecordedProfile (*read)(ByteSource& source);
};

// THE list of formats, in the order in which a file is tried.
std::span<const ImportFormat> import_formats();

// The format of that name or, without a name, that of the file. Throws Error with exit code usage
// that lists the formats.
const ImportFormat& format_for(const std::filesystem::path& file, std::string_view name);

// Whether an SQLite file has tables of Nsight Systems. Throws Error if it is damaged.
bool is_nsight_systems_file(const std::filesystem::path& file);

// ---- The readers

// Operators with the record_function ranges and modules around them; a backward function belongs to
// the operator with its sequence number, a kernel to the operator that launched it.
RecordedProfile read_kineto(ByteSource& source);
// Nodes of the session's graph; `model_run` is an iteration.
RecordedProfile read_onnxruntime(ByteSource& source);
// Operations of the graph on the device if there are any, else on the host; a step is an
// iteration.
RecordedProfile read_tensorflow(ByteSource& source);
// Primitives executed by oneDNN, versions 1 to 3; a gradient belongs to the last primitive of its
// problem that has none yet.
RecordedProfile read_onednn_verbose(ByteSource& source);
// Kernels, copies and fills of Nsight Systems' SQLite export, within the NVTX ranges around the
// calls that launched them. The file is only read, and nothing in it is executed
// (Database::open_foreign). A file without ranges or calls gives only kernels.
RecordedProfile read_nsight_systems(ByteSource& source);
// Calls of DNNMark's layers, with the times logged by its benchmarks.
RecordedProfile read_dnnmark_log(ByteSource& source);
// Kernels of nvprof --csv: a GPU trace, the summary without any option, or --metrics.
RecordedProfile read_nvprof(ByteSource& source);
// Kernels of ncu --csv, in long form or as --page raw, with their counters, and their NVTX ranges
// if --nvtx was given.
RecordedProfile read_nsight_compute(ByteSource& source);
// Sums of kernels of nsys stats --report cuda_gpu_kern_sum --format csv.
RecordedProfile read_nsys_stats(ByteSource& source);
// Kernels of rocprof's results.csv, with its counters, and of rocprofv3's kernel_trace.csv and
// counter_collection.csv; and the sums of --stats of both.
RecordedProfile read_rocprof(ByteSource& source);

}  // namespace strata
