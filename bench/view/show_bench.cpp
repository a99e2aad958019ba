// SPDX-License-Identifier: MIT The speed of `strata show FILE.onnx`, for a graph of many nodes, and
// for a file with large weights, which stay in the file. Both are linear in the size of the file,
// as the BigO rows show.
#include "graph/builder.h"
#include "measure/memory_use.h"
#include "networks/onnx/export.h"
#include "networks/onnx/import.h"
#include "op/convention.h"
#include "report/terminal.h"
#include "tests/support/temporary_directory.h"
#include "view/show.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>

namespace strata {
namespace {

// Blocks of convolution, normalisation, rectifier and sum: the nodes of a residual network.
Graph residual(std::int64_t nodes) {
    GraphBuilder builder("residual");
    TensorId x = builder.input("x", {{1, 8, 8, 8}});
    for (std::int64_t i = 0; i < nodes / 4; ++i) {
        const std::string name = "block" + std::to_string(i);
        const Convolution same{
            .out_channels = 8, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
        TensorId y = builder.add(name + ".convolution", same, {x});
        y = builder.add(name + ".normalisation", BatchNormalization{}, {y});
        y = builder.add(name + ".rectifier", Activation{}, {y});
        x = builder.add(name + ".sum", Elementwise{ElementwiseKind::add}, {x, y});
    }
    return builder.finish();
}

// A chain of rectifiers that share one buffer.
Graph chain(std::int64_t nodes) {
    GraphBuilder builder("chain");
    TensorId x = builder.input("x", {{1, 8}});
    for (std::int64_t i = 0; i < nodes; ++i) {
        x = builder.add("rectifier" + std::to_string(i), Activation{}, {x});
    }
    return builder.finish();
}

// Layers of 64 MiB.
Graph heavy(std::int64_t mebibytes) {
    GraphBuilder builder("heavy");
    TensorId x = builder.input("x", {{1, 4096}});
    for (std::int64_t i = 0; i < mebibytes / 64; ++i) {
        x = builder.add("layer" + std::to_string(i),
                        FullyConnected{.out_features = 4096, .bias = false}, {x});
    }
    return builder.finish();
}

std::filesystem::path exported(const TemporaryDirectory& folder, const Graph& graph) {
    const auto file = folder.path() / "model.onnx";
    export_onnx(graph, file,
                [](TensorId, std::span<float> values) { std::ranges::fill(values, 0.5F); });
    return file;
}

void import_nodes(benchmark::State& state) {
    const TemporaryDirectory folder;
    const auto file = exported(folder, residual(state.range(0)));
    for (auto _ : state) {
        benchmark::DoNotOptimize(import_onnx(file));
    }
    state.SetComplexityN(state.range(0));
}
BENCHMARK(import_nodes)
    ->RangeMultiplier(10)
    ->Range(1000, 100000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

void show_nodes(benchmark::State& state, Graph (*network)(std::int64_t)) {
    const TemporaryDirectory folder;
    const auto file = exported(folder, network(state.range(0)));
    for (auto _ : state) {
        const Document document = show_document(import_onnx(file), conventions().front(), {});
        benchmark::DoNotOptimize(render_terminal(document, {}));
    }
    state.SetComplexityN(state.range(0));
}
BENCHMARK_CAPTURE(show_nodes, residual, residual)
    ->RangeMultiplier(10)
    ->Range(1000, 100000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();
BENCHMARK_CAPTURE(show_nodes, chain, chain)
    ->RangeMultiplier(10)
    ->Range(1000, 100000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

// Resident memory that an import adds, mapped pages included, relative to the file's size.
void import_weights(benchmark::State& state) {
    const TemporaryDirectory folder;
    const auto file = exported(folder, heavy(state.range(0)));
    double gained = 0;
    for (auto _ : state) {
        const double before = read_memory_use().resident.value_or(Bytes{}).value;
        const Graph graph = import_onnx(file);
        const double after = read_memory_use().resident.value_or(Bytes{}).value;
        gained = std::max(gained, after - before);
    }
    state.counters["memory / file"] =
        gained / static_cast<double>(std::filesystem::file_size(file));
}
BENCHMARK(import_weights)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace strata
