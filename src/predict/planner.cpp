// SPDX-License-Identifier: MIT
#include "predict/planner.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

constexpr std::int64_t step_depth = 8;  // along the sum, in every fp32 kernel of cuBLAS
constexpr int warp_threads = 32;
constexpr double most_threads = 2048;  // per processor
constexpr int stream_warps = 8;        // per block

}  // namespace

GemmKernel kernel_by_priors(const GemmProblem& problem, const DeviceDescription& device) {
    const GemmRates rates = prior_gemm_rates(device);
    return planned_kernel(problem, candidate_kernels(rates, units_of(problem, device)), device,
                          rates);
}

void Planner::add_product(std::string_view name, TiledProduct product, const GemmKernel& kernel,
                          bool is_gathered, double runs) {
    product.tile_m = kernel.tile_m;
    product.tile_n = kernel.tile_n;
    product.tile_k = step_depth;
    product.splits = kernel.splits;
    if (kernel.splits > 1) {
        product.partial_sums =
            addresses.place_elements(product.batch * product.m * product.n * kernel.splits);
    }
    const BlockTile tile{.m = kernel.tile_m,
                         .n = kernel.tile_n,
                         .k = static_cast<int>(step_depth),
                         .warps = kernel.warps,
                         .is_gathered = is_gathered};
    KernelPlan plan;
    plan.name = fmt::format("{} {}x{}", name, kernel.tile_n, kernel.tile_m);
    auto accesses = std::make_unique<ProductAccesses>(product);
    plan.steps = static_cast<double>(accesses->steps() - 1);
    const double blocks = static_cast<double>(accesses->blocks());
    plan.accesses = std::move(accesses);
    plan.runs = runs;
    plan.warps = kernel.warps;
    plan.resident_blocks = static_cast<std::uint32_t>(std::max(1, 16 / kernel.warps));
    constexpr double buffers = 2;  // per step: one is read while the other is filled
    plan.shared_memory = Bytes{buffers * static_cast<double>(tile.m + tile.n) * tile.k *
                               static_cast<double>(planned_element_bytes)};
    plan.has_loop = true;
    plan.instructions = instructions_of_step(tile);
    plan.instructions *= plan.steps;
    plan.instructions += instructions_of_epilogue(tile);
    plan.instructions *= blocks;
    plan.time = time_of_product() / runs;
    kernels.push_back(std::move(plan));
    if (product.splits > 1) {
        const std::uint64_t result = bytes_of(product.batch * product.m * product.n);
        std::vector<StreamRange> streams;
        for (std::int64_t split = 0; split < product.splits; ++split) {
            streams.push_back(
                {product.partial_sums + static_cast<std::uint64_t>(split) * result, result});
        }
        streams.push_back({addresses.place(result), result, AccessKind::write});
        add_stream("sum of splits", std::move(streams), predicted.terms[Term::split]);
    }
}

void Planner::add_stream(std::string_view name, std::vector<StreamRange> streams, Seconds time,
                         std::uint64_t block_bytes) {
    std::erase_if(streams, [](const StreamRange& stream) { return stream.bytes == 0; });
    if (streams.empty()) {
        return;
    }
    double read = 0, written = 0;
    for (const StreamRange& stream : streams) {
        (stream.kind == AccessKind::read ? read : written) += static_cast<double>(stream.bytes);
    }
    KernelPlan plan;
    plan.name = name;
    plan.accesses = std::make_unique<StreamAccesses>(std::move(streams), block_bytes);
    plan.resident_blocks = static_cast<std::uint32_t>(most_threads / (stream_warps * warp_threads));
    plan.instructions =
        instructions_of_stream(read / static_cast<double>(planned_element_bytes),
                               written / static_cast<double>(planned_element_bytes));
    plan.time = time;
    kernels.push_back(std::move(plan));
}

void Planner::add_window(std::string_view name, TiledProduct window, Seconds time) {
    window.tile_m = stream_warps * warp_threads;  // one result per thread
    window.tile_k = 1;
    window.tile_n = window.n;
    const double windows = static_cast<double>(window.m);
    const double results = windows * static_cast<double>(window.n);
    KernelPlan plan;
    plan.name = name;
    plan.accesses = std::make_unique<ProductAccesses>(window);
    plan.steps = static_cast<double>(window.k);
    plan.resident_blocks = static_cast<std::uint32_t>(most_threads / (stream_warps * warp_threads));
    plan.instructions = instructions_of_stream(windows * static_cast<double>(window.k), results);
    plan.time = time;
    kernels.push_back(std::move(plan));
}

WindowView pixels(std::uint64_t base, std::int64_t all_channels, std::int64_t group_channels,
                  std::int64_t height, std::int64_t width) {
    return {.base = base,
            .batch_pitch = bytes_of(group_channels * height * width),
            .channels_of_image = all_channels,
            .height = height,
            .width = width,
            .positions_h = height,
            .positions_w = width};
}

}  // namespace strata
