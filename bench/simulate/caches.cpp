// SPDX-License-Identifier: MIT The number of accesses per second that both engines simulate, for
// the second-level cache of a GPU that runs a product of 4096 x 4096 x 4096 with tiles of 128 x 128
// x 8. items_per_second are lines.
//
//     bench_simulate --benchmark_repetitions=5
#include "simulate/cache.h"
#include "simulate/gemm_accesses.h"
#include "simulate/stack_distance.h"

#include <benchmark/benchmark.h>

namespace {

using namespace strata;

const GemmAccesses& product() {
    static const GemmAccesses accesses({.m = 4096, .n = 4096, .k = 4096, .blocks_in_flight = 264});
    return accesses;
}

void append(const LineTile& tile, std::vector<LineNumber>& lines) {
    append_lines(tile, lines, [](LineNumber line) { return line; });
}

// The first accesses of the product, made before the time starts.
const std::vector<LineNumber>& some_lines() {
    static const std::vector<LineNumber> lines = [] {
        std::vector<LineNumber> found;
        product().visit([&](std::uint32_t number, AccessKind) {
            if (found.size() < 16'000'000) {
                append(product().tile(number), found);
            }
        });
        return found;
    }();
    return lines;
}

std::size_t lines_of(benchmark::State& state) {
    return static_cast<std::size_t>(state.range(0)) * 1024 / 128;
}

// Arguments: KiB of the cache, widest vectors, and N to simulate one set of N (but at least 256).
// The error is half of the 95 % confidence interval, in percentage points of the hit rate.
void exact(benchmark::State& state) {
    const auto width = static_cast<VectorWidth>(state.range(1));
    if (width > widest_vectors()) {
        state.SkipWithError("this processor lacks these instructions");
        return;
    }
    for (auto _ : state) {
        SetAssociativeCache cache({lines_of(state), 16}, width,
                                  static_cast<std::uint32_t>(state.range(2)));
        cache.read(some_lines());
        state.counters["hit_percent"] = 100 * cache.estimate().rate;
        state.counters["error_percent"] = 100 * cache.estimate().error;
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(some_lines().size()));
}
BENCHMARK(exact)
    ->ArgsProduct({{256, 4096, 51200}, {0, 1, 2}, {1, 32}})
    ->ArgNames({"KiB", "vectors", "one_in"})
    ->Unit(benchmark::kMillisecond);

std::uint64_t lines_of_product() {
    static const std::uint64_t lines = [] {
        std::uint64_t sum = 0;
        product().visit(
            [&](std::uint32_t number, AccessKind) { sum += product().tile(number).lines(); });
        return sum;
    }();
    return lines;
}

void exact_with_generation(benchmark::State& state) {
    std::uint64_t count = 0;
    for (auto _ : state) {
        SetAssociativeCache cache({lines_of(state), 16}, widest_vectors(),
                                  static_cast<std::uint32_t>(state.range(1)));
        std::vector<LineNumber> lines;
        lines.reserve(8192);
        product().visit([&](std::uint32_t number, AccessKind) {
            append(product().tile(number), lines);
            if (lines.size() > 4096) {
                cache.read(lines);
                lines.clear();
            }
        });
        cache.read(lines);
        benchmark::DoNotOptimize(cache.counts().read_hits);
        count += lines_of_product();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(count));
}
BENCHMARK(exact_with_generation)
    ->ArgsProduct({{4096, 51200}, {1, 32}})
    ->ArgNames({"KiB", "one_in"})
    ->Unit(benchmark::kMillisecond);

void sectors(benchmark::State& state) {
    std::vector<SectorAccess> accesses;
    for (const LineNumber line : some_lines()) {
        accesses.push_back({line, static_cast<std::uint8_t>(1 + line % 15),
                            line % 8 == 0 ? AccessKind::write : AccessKind::read});
    }
    for (auto _ : state) {
        SetAssociativeCache cache({lines_of(state), 16}, widest_vectors(),
                                  static_cast<std::uint32_t>(state.range(1)));
        cache.access(accesses);
        benchmark::DoNotOptimize(cache.counts().read_hits);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(accesses.size()));
}
BENCHMARK(sectors)
    ->ArgsProduct({{4096, 51200}, {1, 32}})
    ->ArgNames({"KiB", "one_in"})
    ->Unit(benchmark::kMillisecond);

// One pass for every capacity, including generation.
void stack_distances(benchmark::State& state) {
    std::uint64_t count = 0;
    for (auto _ : state) {
        TileStackDistances distances(product().tiles());
        product().visit([&](std::uint32_t number, AccessKind) {
            distances.touch(number, product().tile(number).lines());
        });
        benchmark::DoNotOptimize(distances.hit_rate(4096 * 8, 16));
        count += distances.accesses();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(count));
}
BENCHMARK(stack_distances)->Unit(benchmark::kMillisecond);

}  // namespace
