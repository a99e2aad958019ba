// SPDX-License-Identifier: MIT
#include "predict/gemm.h"

#include "base/error.h"
#include "base/text.h"
#include "predict/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace strata {

namespace {

constexpr double steps_together = 8;   // along k, in every fp32 kernel of cuBLAS
constexpr double resident_warps = 16;  // of fp32 products, limited by their registers
constexpr double warp = 32;
constexpr double flops_per_multiply_add = 2;
constexpr int usual_load = 16;  // bytes, the widest

double ceil_divide(double value, double part) {
    return std::ceil(value / part);
}

// The distribution of a product over the device.
struct Placement {
    double tiles_along_n, tiles_along_m;
    double blocks;
    double depth;     // of a block along k, in whole steps
    double resident;  // blocks at a time on a processor
    double full;      // waves with all resident blocks
    double left;      // blocks in the last wave
    double rounds() const { return full + (left > 0 ? 1 : 0); }
};

Placement placement_of(const GemmProblem& problem, const GemmKernel& kernel, double processors) {
    Placement p{};
    p.tiles_along_n = ceil_divide(static_cast<double>(problem.n), kernel.tile_n);
    p.tiles_along_m = ceil_divide(static_cast<double>(problem.m), kernel.tile_m);
    p.blocks =
        p.tiles_along_n * p.tiles_along_m * static_cast<double>(problem.batch) * kernel.splits;
    p.depth = steps_together *
              ceil_divide(static_cast<double>(problem.k) / kernel.splits, steps_together);
    p.resident = std::max(1.0, std::floor(resident_warps / kernel.warps));
    const double most = ceil_divide(p.blocks, processors);
    p.full = std::floor(most / p.resident);
    p.left = most - p.full * p.resident;
    return p;
}

// The share of its efficiency that a processor reaches with this many warps.
double saturation(double warps, double half) {
    const double x = std::min(warps, resident_warps);
    return (1 + half / resident_warps) * x / (x + half);
}

// The part of A and B together that a wave of blocks reads.
Bytes span_of(const GemmProblem& problem, const GemmKernel& kernel, const Placement& p,
              double processors) {
    const double wave = processors * p.resident;
    const double along_n = std::min(p.tiles_along_n, wave);
    const double along_m = std::min(p.tiles_along_m, ceil_divide(wave, p.tiles_along_n));
    return Bytes{(along_n * kernel.tile_n + along_m * kernel.tile_m) *
                 static_cast<double>(problem.k) * problem.element_bytes};
}

// The least that a wave's blocks can read: libraries walk tiles in squares, so blocks that run
// together share operands along both sides.
Bytes least_span_of(const GemmProblem& problem, const GemmKernel& kernel, const Placement& p,
                    double processors) {
    const double wave = processors * p.resident;
    const double side = std::sqrt(wave * kernel.tile_m / kernel.tile_n);
    const double along_n = std::min(p.tiles_along_n, std::max(side, wave / p.tiles_along_m));
    const double along_m = std::min(p.tiles_along_m, wave / along_n);
    return Bytes{(along_n * kernel.tile_n + along_m * kernel.tile_m) *
                 static_cast<double>(problem.k) * problem.element_bytes};
}

// Operands that fit in the L2 cache are read once, others once by every wave. Results are written
// once.
Bytes dram_traffic(const GemmProblem& problem, const Placement& p, Bytes span, double processors,
                   const DeviceDescription& device, const GemmRates& rates) {
    const double m = static_cast<double>(problem.m), n = static_cast<double>(problem.n),
                 k = static_cast<double>(problem.k), size = problem.element_bytes;
    // Pieces of rows that are far apart each open a memory page.
    const double scattered =
        1 + rates.scatter / (1 + std::pow(rates.scatter_pitch.value / (k * size), 3));
    const double a = m * k * size * scattered;
    const double b = n * k * size * (problem.b_is_transposed ? scattered : 1);
    const double waves = ceil_divide(p.tiles_along_n * p.tiles_along_m, processors * p.resident);
    const double by_wave = std::max(a + b, span.value * scattered * waves);
    double outside = 1;  // the share that the cache misses; a soft edge
    if (device.l2) {
        const double room = device.l2->value.value * rates.cache_share;
        outside = 1 - 1 / (1 + std::pow((a + b) / room, 4));
    }
    return Bytes{static_cast<double>(problem.batch) *
                 ((1 - outside) * (a + b) + outside * by_wave + m * n * size)};
}

struct Tile {
    int n, m, threads;
};

// The tiles that cuBLAS has, with the threads of their blocks: in fp32, and for tensor cores.
constexpr std::array tiles_of_lanes = {Tile{128, 128, 256}, Tile{128, 64, 128}, Tile{64, 64, 64},
                                       Tile{128, 32, 256},  Tile{32, 128, 256}, Tile{64, 32, 256},
                                       Tile{32, 32, 128}};
constexpr std::array tiles_of_matrix_units = {
    Tile{256, 128, 256}, Tile{128, 256, 256}, Tile{128, 128, 256}, Tile{256, 64, 128},
    Tile{64, 256, 128},  Tile{128, 64, 128},  Tile{64, 128, 128},  Tile{64, 64, 128}};

std::span<const Tile> tiles_of(MultiplyUnits units) {
    return units == MultiplyUnits::lanes ? std::span<const Tile>(tiles_of_lanes)
                                         : std::span<const Tile>(tiles_of_matrix_units);
}

bool is_sliced(std::string_view kernel) {
    return kernel.find("sliced") != std::string_view::npos;
}

// The rates of a kernel with the same tile, even from another library, because they differ little;
// of several kernels, the one fitted to most rows. `usual` if there is none. (The nearest tile was
// tried instead; it predicts batched products of unfitted devices worse.)
const KernelRates& of_same_tile(const std::map<std::string, KernelRates, std::less<>>& kernels,
                                std::string_view name, const KernelRates& usual) {
    const auto wanted = kernel_named(name, 1);
    const KernelRates* best = nullptr;
    for (const auto& [other, reached] : kernels) {
        const auto tile = wanted ? kernel_named(other, 1) : std::nullopt;
        const bool is_alike = tile && tile->tile_n == wanted->tile_n &&
                              tile->tile_m == wanted->tile_m && is_sliced(other) == is_sliced(name);
        if (is_alike && (best == nullptr || reached.rows > best->rows)) {
            best = &reached;
        }
    }
    return best == nullptr ? usual : *best;
}

constexpr std::array<std::array<std::string_view, 7>, 2> groups = {
    {{"rows to 16", "rows to 32", "rows to 64", "rows to 128", "wide", "columns to 64", "deep"},
     {"rows to 16, transposed", "rows to 32, transposed", "rows to 64, transposed",
      "rows to 128, transposed", "wide, transposed", "columns to 64, transposed", "deep"}}};

double clock_of(const DeviceDescription& device) {
    return (device.boost_clock ? device.boost_clock : device.base_clock)->value.value;
}

}  // namespace

int load_bytes_of(const GemmProblem& problem) {
    const auto [m, n, k] = std::tuple(problem.m, problem.n, problem.k);
    const auto narrowest = [&](int bytes, std::int64_t row, std::int64_t rows) {
        const auto in_bytes =
            static_cast<std::int64_t>(static_cast<double>(row) * problem.element_bytes);
        while (row > 1 && rows > 1 && bytes > 1 && in_bytes % bytes != 0) {
            bytes /= 2;
        }
        return bytes;
    };
    int bytes = narrowest(usual_load, n, m);
    bytes = problem.a_is_transposed ? narrowest(bytes, m, k) : narrowest(bytes, k, m);
    return problem.b_is_transposed ? narrowest(bytes, k, n) : narrowest(bytes, n, k);
}

GemmProblem with_loads(GemmProblem problem) {
    problem.load_bytes = load_bytes_of(problem);
    return problem;
}

std::optional<GemmKernel> kernel_named(std::string_view name, int threads) {
    // "..._128x64_...": the first two numbers around an x that follow an underscore; Hopper's
    // libraries write "tilesize128x64x8".
    constexpr std::string_view mark = "tilesize";
    for (std::string_view part : split(name, '_')) {
        if (part.starts_with(mark)) {
            part.remove_prefix(mark.size());
        }
        const auto extents = split(part, 'x');
        if (extents.size() < 2) {
            continue;
        }
        const auto n = parse_integer(extents[0]), m = parse_integer(extents[1]);
        if (n && m && *n > 0 && *m > 0 && *n <= 1024 && *m <= 1024) {
            return GemmKernel{.name = std::string(name),
                              .tile_n = static_cast<int>(*n),
                              .tile_m = static_cast<int>(*m),
                              .warps = std::max(1, threads / static_cast<int>(warp)),
                              .splits = 1};
        }
    }
    return {};
}

const KernelRates& GemmRates::of(std::string_view kernel) const {
    const auto found = kernels.find(kernel);
    return found == kernels.end() ? of_same_tile(kernels, kernel, usual) : found->second;
}

Bandwidth assumed_l2_bandwidth(const DeviceDescription& device) {
    // Fitted to products on an A100, per processor, clock and, up to Pascal, lane.
    constexpr double reached = 3e12, processor_clocks = 152.3e9, narrow = 64;
    // Caches of two partitions: the share of gpu-benches' bandwidth that products reach.
    constexpr double of_partitions = 0.55;
    const double generation = generation_of(device);
    if (device.l2_bandwidth) {
        return device.l2_bandwidth->value * (generation >= 3 ? of_partitions : 1);
    }
    return Bandwidth{reached * device.processors->value.value * clock_of(device) /
                     processor_clocks * (generation < 2 ? device.lanes->value.value / narrow : 1)};
}

GemmRates prior_gemm_rates(const DeviceDescription& device) {
    check(device.processors && device.lanes, "a device for products has processors and lanes");
    GemmRates rates;
    rates.l2 = assumed_l2_bandwidth(device);
    rates.usual.step = Seconds{0.3e-6 * 1.41e9 / clock_of(device)};
    return rates;
}

GemmRates prior_matrix_rates(const DeviceDescription& device) {
    constexpr Seconds usual_launch{2e-6}, usual_epilogue{1.5e-6}, usual_store{1e-6},
        until_full_speed{1.5e-6};
    constexpr double usual_resident = 0.4, usual_cached = 2.5;
    GemmRates rates = prior_gemm_rates(device);
    rates.launch = usual_launch;
    rates.split = usual_launch;
    rates.store = usual_store;
    rates.ramp = device.dram_bandwidth->value * until_full_speed;
    rates.resident = usual_resident;
    rates.cached = usual_cached;
    rates.usual.step = Seconds{0.05e-6 * 1.41e9 / clock_of(device)};
    rates.usual.epilogue = usual_epilogue;
    return rates;
}

BlockTimes times_of_blocks(const GemmProblem& problem, const GemmKernel& kernel,
                           const DeviceDescription& device, const KernelRates& reached,
                           Bandwidth l2) {
    const Placement p = placement_of(problem, kernel, device.processors->value.value);
    const FlopRate peak =
        peak_of(device, problem.arithmetic) * (reached.efficiency / device.processors->value.value);
    const Seconds block =
        Flops{flops_per_multiply_add * kernel.tile_n * kernel.tile_m * p.depth} / peak;
    const auto round = [&](double blocks) {
        return block * (blocks / saturation(blocks * kernel.warps, reached.half_saturation));
    };
    return {
        .arithmetic = p.full * round(p.resident) + (p.left > 0 ? round(p.left) : Seconds{}),
        .latency = p.rounds() * (p.depth / steps_together * reached.step + reached.epilogue),
        .l2 = Bytes{p.blocks * (kernel.tile_n + kernel.tile_m) * p.depth * problem.element_bytes} /
              l2,
        .blocks = p.blocks,
        .rounds = p.rounds()};
}

namespace {

constexpr Seconds no_limit_of_time{std::numeric_limits<double>::infinity()};

// The time of the processor with the most blocks, which run in sequence.
Seconds store_of(const GemmKernel& kernel, double blocks, double processors, Seconds store) {
    constexpr double usual_area = 128 * 128;
    const double area = static_cast<double>(kernel.tile_n) * kernel.tile_m;
    return store * (ceil_divide(blocks, processors) * area / usual_area);
}

// The traffic that the memory would move at full speed in that time.
Bytes moved_by_memory(Bytes traffic, const DeviceDescription& device, const GemmRates& rates) {
    Bytes moved = traffic;
    if (rates.resident > 0 && device.l2) {
        const Bytes room = device.l2->value * rates.resident;
        const double outside = 1 - 1 / (1 + std::pow(traffic / room, 4));  // a soft edge
        moved = traffic * (outside + (1 - outside) / std::max(rates.cached, 1.0));
    }
    if (rates.ramp > Bytes{}) {
        moved += rates.ramp * (1 - std::exp(-(moved / rates.ramp)));
    }
    return moved;
}

// The time of loads that are too narrow for the usual ones; none if rows are aligned. (Of Volta and
// Turing nothing is known: DeepBench padded the rows of its V100.)
Seconds time_of_narrow_loads(const GemmProblem& problem, const GemmKernel& kernel, double blocks,
                             const DeviceDescription& device, const GemmRates& rates) {
    const int bytes = problem.load_bytes;
    constexpr double ampere = 3;
    if (bytes >= usual_load || generation_of(device) < ampere ||
        !has_matrix_units(device, problem.arithmetic)) {
        return {};
    }
    const auto side = [](std::int64_t all, int of_tile) {
        return static_cast<double>(std::min<std::int64_t>(all, of_tile));
    };
    const double elements = blocks *
                            (side(problem.m, kernel.tile_m) + side(problem.n, kernel.tile_n)) *
                            static_cast<double>(problem.k) / kernel.splits;
    const double in_a_second =
        rates.narrow_loads * device.processors->value.value * clock_of(device);
    return Seconds{elements * problem.element_bytes / bytes / in_a_second};
}

// Nothing if the processors alone take longer than `limit`.
std::optional<GemmPrediction> prediction_below(Seconds limit, const GemmProblem& problem,
                                               const GemmKernel& kernel,
                                               const DeviceDescription& device,
                                               const GemmRates& rates, KernelRates reached) {
    const double processors = device.processors->value.value;
    const Placement p = placement_of(problem, kernel, processors);
    const Bytes span = span_of(problem, kernel, p, processors);
    if (problem.b_is_transposed &&
        (device.architecture == "pascal" || device.architecture == "maxwell")) {
        reached.efficiency /= 1 + std::pow(span / rates.span, rates.span_power);
    }
    double memory_share = rates.dram_efficiency;
    if (has_matrix_units(device, problem.arithmetic)) {
        // If another term binds, a fit does not keep them below the peak.
        reached.efficiency = std::min(reached.efficiency, 1.0);
        memory_share = std::min(memory_share, 1.0);
    }
    const BlockTimes blocks = times_of_blocks(problem, kernel, device, reached, rates.l2);
    const Seconds store = store_of(kernel, blocks.blocks, processors, rates.store);
    const Seconds alone = std::max(blocks.arithmetic, blocks.latency) + store;
    if (rates.launch + alone > limit) {
        return {};
    }
    GemmPrediction found;
    found.launch = rates.launch;
    found.arithmetic = blocks.arithmetic;
    found.latency = blocks.latency;
    found.store = store;
    const Seconds loads = time_of_narrow_loads(problem, kernel, blocks.blocks, device, rates);
    found.l2 = std::max(blocks.l2, loads);
    found.narrow_loads = loads > blocks.l2 ? loads : Seconds{};
    const Bytes of_wave =
        shares_both_operands(device) ? least_span_of(problem, kernel, p, processors) : span;
    found.dram_traffic = dram_traffic(problem, p, of_wave, processors, device, rates);
    const Bandwidth memory = device.dram_bandwidth->value;
    found.dram = moved_by_memory(found.dram_traffic, device, rates) / (memory * memory_share);
    if (kernel.splits > 1) {
        constexpr double written_and_read = 2;
        found.split = rates.split + Bytes{written_and_read * kernel.splits *
                                          static_cast<double>(problem.batch * problem.m) *
                                          static_cast<double>(problem.n) * 4} /
                                        memory;
    }
    found.blocks = blocks.blocks;
    found.rounds = blocks.rounds;
    const std::array bounds = {alone, found.l2, found.dram};
    const Seconds largest = std::ranges::max(bounds);
    double sum = 0;
    for (const Seconds bound : bounds) {
        sum += std::pow(bound / largest, rates.overlap);
    }
    found.time = found.launch + largest * std::pow(sum, 1 / rates.overlap) + found.split;
    return found;
}

}  // namespace

bool shares_both_operands(const DeviceDescription& device) {
    constexpr double wide = 128;
    return generation_of(device) >= 3 && device.lanes && device.lanes->value.value >= wide;
}

GemmPrediction predict_gemm(const GemmProblem& problem, const GemmKernel& kernel,
                            const DeviceDescription& device, const GemmRates& rates) {
    check(device.processors && device.lanes, "a device for products has processors and lanes");
    return *prediction_below(no_limit_of_time, problem, kernel, device, rates,
                             rates.of(kernel.name));
}

std::string_view group_of(const GemmProblem& problem) {
    const auto& names = groups[problem.b_is_transposed ? 1 : 0];
    if (problem.k > deep_beside_sides * std::max(problem.m, problem.n)) {
        return names[6];
    }
    if (problem.n <= most_columns_of_narrow && problem.n < problem.m) {
        return names[5];
    }
    const std::int64_t m = problem.m;
    return names[m <= 16 ? 0U : m <= 32 ? 1U : m <= 64 ? 2U : m <= 128 ? 3U : 4U];
}

MultiplyUnits units_of(const GemmProblem& problem, const DeviceDescription& device) {
    return has_matrix_units(device, problem.arithmetic) ? MultiplyUnits::matrix_units
                                                        : MultiplyUnits::lanes;
}

std::vector<GemmKernel> candidate_kernels(const GemmRates& rates, MultiplyUnits units) {
    constexpr int enough_rows = 20;
    std::vector<GemmKernel> candidates;
    for (const Tile& tile : tiles_of(units)) {
        for (const auto& [name, reached] : rates.kernels) {
            const auto kernel = kernel_named(name, tile.threads);
            if (reached.rows >= enough_rows && kernel && kernel->tile_n == tile.n &&
                kernel->tile_m == tile.m) {
                candidates.push_back(*kernel);
            }
        }
    }
    if (candidates.empty()) {
        for (const Tile& tile : tiles_of(units)) {
            candidates.push_back({.name = fmt::format("{}x{}", tile.n, tile.m),
                                  .tile_n = tile.n,
                                  .tile_m = tile.m,
                                  .warps = tile.threads / static_cast<int>(warp),
                                  .splits = 1});
        }
    }
    return candidates;
}

GemmKernel planned_kernel(const GemmProblem& problem, std::span<const GemmKernel> candidates,
                          const DeviceDescription& device, const GemmRates& rates) {
    const auto found = planned_kernel_below(no_limit_of_time, problem, candidates, device, rates);
    return found ? *found : candidates.front();
}

std::optional<GemmKernel> planned_kernel_below(Seconds limit, const GemmProblem& problem,
                                               std::span<const GemmKernel> candidates,
                                               const DeviceDescription& device,
                                               const GemmRates& rates) {
    check(!candidates.empty(), "a plan has a kernel to choose");
    check(device.processors && device.lanes, "a device for products has processors and lanes");
    const auto group = rates.kernels.find(group_of(problem));
    const GemmKernel* best = nullptr;
    int best_splits = 1;
    bool is_of_group = false;
    Seconds shortest = limit;
    GemmKernel tried;
    for (const GemmKernel& candidate : candidates) {
        const bool takes_group =
            group != rates.kernels.end() && !rates.kernels.contains(candidate.name);
        const KernelRates& reached = takes_group ? group->second : rates.of(candidate.name);
        std::tie(tried.tile_n, tried.tile_m, tried.warps) =
            std::tie(candidate.tile_n, candidate.tile_m, candidate.warps);
        for (int splits = 1; splits <= most_splits; splits *= 2) {
            if (splits > 1 && problem.k / splits < shallowest_split) {
                break;
            }
            tried.splits = splits;
            const auto found = prediction_below(shortest, problem, tried, device, rates, reached);
            if (found && found->time < shortest) {
                shortest = found->time;
                best = &candidate;
                best_splits = splits;
                is_of_group = takes_group;
            }
        }
    }
    if (best == nullptr) {
        return {};
    }
    GemmKernel planned = *best;
    planned.splits = best_splits;
    planned.name = is_of_group ? group->first : best->name;
    return planned;
}

}  // namespace strata
