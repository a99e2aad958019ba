// SPDX-License-Identifier: MIT The number of accesses per second that both engines simulate, for
// the second-level cache of a GPU that runs a product of 4096 x 4096 x 4096 with tiles of 128 x 128
// x 8. items_per_second are lines.
//
//     bench_simulate --benchmark_repetitions=5
#include "simulate/cache.h"
#include "simulate/distance_cache.h"
#include "simulate/product_accesses.h"

#include <benchmark/benchmark.h>

namespace {

using namespace strata;

constexpr std::uint64_t blocks_in_flight = 264;

const ProductAccesses& product() {
    static const ProductAccesses accesses = [] {
        constexpr std::int64_t extent = 4096;
        const auto matrix = [](std::uint64_t number) {
            return MatrixView{.base = number * extent * extent * 4, .pitch = extent * 4};
        };
        return ProductAccesses({.m = extent,
                                .n = extent,
                                .k = extent,
                                .a = {matrix(0)},
                                .b = OperandView{matrix(1), true},
                                .c = OperandView{matrix(2)}});
    }();
    return accesses;
}

// Calls touch(access) for each access of the blocks that run at once, step by step.
template <class Touch>
void visit(Touch&& touch) {
    std::vector<TileAccess> accesses;
    for (std::uint64_t wave = 0; wave < product().blocks(); wave += blocks_in_flight) {
        const std::uint64_t end = std::min(product().blocks(), wave + blocks_in_flight);
        for (std::uint64_t step = 0; step < product().steps(); ++step) {
            for (std::uint64_t block = wave; block < end; ++block) {
                accesses.clear();
                product().append(block, step, accesses);
                std::for_each(accesses.begin(), accesses.end(), touch);
            }
        }
    }
}

void append(const TileAccess& access, std::vector<LineNumber>& lines) {
    append_lines(access.tile, lines, [](LineNumber line) { return line; });
}

// The first accesses of the product, made before the time starts.
const std::vector<LineNumber>& some_lines() {
    static const std::vector<LineNumber> lines = [] {
        std::vector<LineNumber> found;
        visit([&](const TileAccess& access) {
            if (found.size() < 16'000'000) {
                append(access, found);
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
        visit([&](const TileAccess& access) { sum += access.tile.lines(); });
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
        visit([&](const TileAccess& access) {
            append(access, lines);
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
        DistanceCache cache({4096 * 8, 16});
        visit([&](TileAccess access) {
            if (access.is_whole) {
                return cache.touch(access, access.tile.lines());
            }
            std::vector<LineNumber> lines;
            append(access, lines);
            for (const LineNumber line : lines) {
                access.tile = {line, 1, 1, 0};
                cache.touch(access, 1);
            }
        });
        benchmark::DoNotOptimize(cache.counts().hits());
        count += cache.distances().accesses();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(count));
}
BENCHMARK(stack_distances)->Unit(benchmark::kMillisecond);

}  // namespace
