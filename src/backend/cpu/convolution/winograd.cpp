// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/winograd.h"

#include "backend/cpu/kernels/isa.h"
#include "backend/lower/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace strata::cpu::winograd {

namespace {

struct TileOfMethod {
    std::string_view name;
    std::size_t m = 0;
    std::size_t r = 0;
    WinogradCosts costs;
    double sum_factor = 0;
};

template <std::size_t m, std::size_t r>
constexpr TileOfMethod tile_of_method(std::string_view name) {
    const double one = filter_matrix<m + r - 1, m>()[1][0];
    return {name, m, r, WinogradTransforms<m, r>::costs(), 1 / (one * one)};
}

constexpr std::array<TileOfMethod, winograd_tiles> methods = {
    tile_of_method<2, 3>("winograd-2x2-3x3"), tile_of_method<4, 3>("winograd-4x4-3x3"),
    tile_of_method<6, 3>("winograd-6x6-3x3"), tile_of_method<2, 5>("winograd-2x2-5x5"),
    tile_of_method<4, 5>("winograd-4x4-5x5")};

const TileOfMethod& method_of(WinogradTile tile) {
    return methods[static_cast<std::size_t>(tile)];
}

void refuse_all_but(std::string_view what, const Dims& values, std::int64_t needed) {
    for (const std::int64_t value : values) {
        if (value != needed) {
            throw Refusal{fmt::format("{} {}: Winograd needs {} {}", what, value, what, needed)};
        }
    }
}

void refuse_unsuitable(const ConvolutionProblem& problem, std::size_t r) {
    if (problem.x.size() != 4) {
        throw Refusal{fmt::format("{} spatial axes: Winograd is for images, which have 2",
                                  static_cast<std::ptrdiff_t>(problem.x.size()) - 2)};
    }
    const Dims& kernel = problem.window.kernel;
    const auto side = static_cast<std::int64_t>(r);
    if (kernel[0] != side || kernel[1] != side) {
        throw Refusal{fmt::format("kernel {}x{}: this Winograd is for {}x{}", kernel[0], kernel[1],
                                  side, side)};
    }
    refuse_all_but("stride", problem.window.stride, 1);
    refuse_all_but("dilation", problem.window.dilation, 1);
    if (problem.groups != 1) {
        throw Refusal{fmt::format("{} groups: Winograd needs all channels in one", problem.groups)};
    }
    if (problem.pass == Pass::update) {
        throw Refusal{"no update: a convolution's algorithm does not do it"};
    }
}

WinogradProblem described(WinogradTile tile, const ConvolutionProblem& problem,
                          const OperandOrders& orders) {
    WinogradProblem result;
    const auto size = [](std::int64_t extent) { return static_cast<std::size_t>(extent); };
    result.tile = tile;
    result.pass = problem.pass;
    result.m = method_of(tile).m;
    result.r = method_of(tile).r;
    result.size = result.m + result.r - 1;
    result.orders = orders;
    result.x = layout_of(problem.x, orders.x);
    result.y = layout_of(problem.y, orders.y);
    result.filters = {size(problem.weight[0]), size(problem.weight[1]), result.r, orders.weight};
    result.pad_top = problem.window.pad_begin[0];
    result.pad_left = problem.window.pad_begin[1];
    result.images = size(problem.x[0]);
    result.bias = problem.bias;
    result.sum = problem.sum && problem.pass == Pass::forward;
    result.relu = problem.relu && problem.pass == Pass::forward;
    result.keeps_filters = problem.constant_weights && problem.pass == Pass::forward;
    result.threads = std::max(problem.threads, 1);
    return result;
}

STRATA_EACH_ISA void add(const float* values, std::size_t count, float* sums) {
    for (std::size_t i = 0; i < count; ++i) {
        sums[i] += values[i];
    }
}

Bytes private_cache() {
    constexpr double usual = 512 * 1024;
    const long found = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    return {found > 0 ? static_cast<double>(found) : usual};
}

}  // namespace

WinogradKernels winograd_kernels() {
    WinogradKernels kernels = {.isa = "portable",
                               .wide = &winograd_portable(),
                               .narrow = &winograd_portable(),
                               .product = small_gemm,
                               .panel_product = gemm_by_panel,
                               .add = add,
                               .cache = private_cache()};
    const Isa isa = widest_isa();
    if (isa >= Isa::avx2) {
        kernels.isa = isa == Isa::avx512 ? "avx512" : "avx2";
        kernels.wide = isa == Isa::avx512 ? &winograd_avx512() : &winograd_avx2();
        kernels.narrow = &winograd_avx2();
    }
    return kernels;
}

std::unique_ptr<PreparedConvolution> prepare_winograd(WinogradTile tile,
                                                      const ConvolutionProblem& problem,
                                                      const OperandOrders& preferred,
                                                      const WinogradKernels& kernels) {
    refuse_unsuitable(problem, method_of(tile).r);
    const WinogradProblem suited = described(tile, problem, preferred);
    return suited.pass == Pass::backward_weights ? prepare_winograd_weights(suited, kernels)
                                                 : prepare_winograd_images(suited, kernels);
}

std::string winograd_name(WinogradTile tile) {
    return std::string(method_of(tile).name);
}

WinogradCosts winograd_costs(WinogradTile tile) {
    return method_of(tile).costs;
}

double tile_sum_factor(WinogradTile tile) {
    return method_of(tile).sum_factor;
}

Operations operations_of(const TransformCost& cost, double times) {
    Operations operations;
    operations.multiply_adds = static_cast<double>(cost.multiply_adds);
    operations.adds = static_cast<double>(cost.adds);
    operations.multiplies = static_cast<double>(cost.multiplies);
    operations *= times;
    return operations;
}

const WinogradCodelets& codelets_for(const WinogradKernels& kernels, WinogradTile tile,
                                     const ImageLayout& layout) {
    const WinogradTable& table = layout.group == 8 ? *kernels.narrow : *kernels.wide;
    return table[static_cast<std::size_t>(tile)];
}

}  // namespace strata::cpu::winograd
