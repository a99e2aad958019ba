// SPDX-License-Identifier: MIT The speed of importing a Chrome trace in PyTorch's layout, in bytes
// and events per second, and the memory that it needs. Both are linear in the size of the file, as
// the rows show. The target is 1 GB in 20 s and 500 MB.
//
//   bench_import --benchmark_filter=import_trace/1000
#include "import/formats.h"
#include "import/run.h"
#include "measure/memory_use.h"
#include "tests/support/temporary_directory.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace strata {
namespace {

constexpr std::int64_t megabyte = 1'000'000;

// Iterations of 40 layers, each a range around an operator and the four inside it, until the file
// has the requested size; 240 bytes per event, as PyTorch writes them with record_shapes.
class TraceWriter {
public:
    explicit TraceWriter(const std::filesystem::path& file) : stream_(file, std::ios::binary) {
        stream_ << R"({"schemaVersion": 1, "traceEvents": [)";
    }

    std::int64_t write(std::int64_t bytes) {
        while (stream_.tellp() < bytes) {
            for (int layer = 0; layer < 40; ++layer) {
                write_layer(layer);
            }
        }
        stream_ << "\n]}";
        return events_;
    }

private:
    void write_layer(int layer) {
        add("user_annotation", fmt::format("layer{}.conv", layer), 90);
        add("cpu_op", "aten::conv2d", 80);
        for (const char* inner : {"aten::convolution", "aten::_convolution",
                                  "aten::mkldnn_convolution", "aten::empty"}) {
            add("cpu_op", inner, 10);
        }
        now_ += 100;
    }

    void add(const char* category, const std::string& name, int duration) {
        stream_ << fmt::format(
            R"({}{{"ph": "X", "cat": "{}", "name": "{}", "pid": 4711, "tid": 4711, "ts": {}.{:03},)"
            R"( "dur": {}.125, "args": {{"External id": {}, "Sequence number": {}, "Input Dims": )"
            R"([[32, 64, 56, 56], [64, 64, 3, 3], [64]], "Ev Idx": {}}}}})",
            events_ == 0 ? "\n" : ",\n", category, name, now_, events_ % 1000, duration,
            events_ + 1, events_, events_);
        ++events_;
        ++now_;
    }

    std::ofstream stream_;
    std::int64_t events_ = 0;
    std::int64_t now_ = 1'700'000'000'000'000;  // microseconds since 1970
};

void import_trace(benchmark::State& state) {
    const TemporaryDirectory folder;
    const auto file = folder.path() / "trace.json";
    const std::int64_t events = TraceWriter(file).write(state.range(0) * megabyte);
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
    reset_peak_memory();
    for (auto _ : state) {
        ByteSource source(file);
        const RecordedProfile profile = format_for(file, "").read(source);
        benchmark::DoNotOptimize(imported_run(profile, {.network = "trace"}, nullptr));
    }
    state.SetBytesProcessed(state.iterations() * bytes);
    state.SetItemsProcessed(state.iterations() * events);
    state.counters["peak"] = read_memory_use().peak.value_or(Bytes{}).value;
}
BENCHMARK(import_trace)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace strata
