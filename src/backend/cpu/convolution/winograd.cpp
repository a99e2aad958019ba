// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/winograd.h"

#include "backend/cpu/convolution/image.h"
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
    const std::int64_t channels = std::min(problem.weight[0] / problem.groups, problem.weight[1]);
    if (problem.groups > 1 && channels < min_channels) {
        throw Refusal{fmt::format("groups of {} channels: Winograd needs {} in each", channels,
                                  min_channels)};
    }
    if (problem.pass == Pass::update) {
        throw Refusal{"a convolution's algorithm does not do updates"};
    }
}

// The channels of one group. Requires: groups fill the blocks of channels.
ImageLayout group_of(ImageLayout image, std::int64_t groups) {
    image.channels /= static_cast<std::size_t>(groups);
    return image;
}

// The problem of one group.
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
    result.x = group_of(layout_of(problem.x, orders.x), problem.groups);
    result.y = group_of(layout_of(problem.y, orders.y), problem.groups);
    result.filters = {size(problem.weight[0] / problem.groups), size(problem.weight[1]), result.r,
                      orders.weight};
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

// Orders in which each group's channels form separate images and filters.
OperandOrders orders_of_groups(const ConvolutionProblem& problem, OperandOrders orders) {
    const std::int64_t inputs = problem.weight[1], outputs = problem.weight[0] / problem.groups;
    const auto suited = [&](ImageOrder order, std::int64_t channels) {
        const bool is_split = (order == ImageOrder::nchw8c && channels % 8 != 0) ||
                              (order == ImageOrder::nchw16c && channels % 16 != 0);
        return is_split ? ImageOrder::nchw : order;
    };
    if (problem.groups > 1) {
        orders.x = suited(orders.x, inputs);
        orders.y = suited(orders.y, outputs);
        const std::int64_t block = orders.weight == FilterOrder::oihw8i8o ? 8 : 16;
        const bool fills = inputs % block == 0 && outputs % block == 0;
        orders.weight = fills ? orders.weight : FilterOrder::oihw;
    }
    return orders;
}

// Convolves the groups one after the other, each with all threads.
class GroupedWinograd final : public PreparedConvolution {
public:
    GroupedWinograd(const ConvolutionProblem& problem, std::unique_ptr<PreparedConvolution> each)
        : problem_(problem),
          each_(std::move(each)),
          kept_floats_(
              static_cast<std::ptrdiff_t>(each_->kept_weights().bytes.value / sizeof(float))) {}

    std::string implementation() const override { return each_->implementation(); }
    OperandOrders orders() const override { return each_->orders(); }
    Bytes workspace() const override { return each_->workspace(); }
    Operations operations() const override {
        Operations operations = each_->operations();
        operations *= static_cast<double>(problem_.groups);
        return operations;
    }
    KeptWeights kept_weights() const override {
        if (kept_floats_ == 0) {
            return {};
        }
        const KeptWeights of_group = each_->kept_weights();
        return {.bytes = of_group.bytes * static_cast<double>(problem_.groups),
                .make = [this, of_group](const float* weight, float* kept, std::byte* workspace) {
                    for (std::ptrdiff_t group = 0; group < problem_.groups; ++group) {
                        of_group.make(weight + group * filter_floats(), kept + group * kept_floats_,
                                      workspace);
                    }
                }};
    }

    void run(const ConvolutionOperands& all, std::byte* workspace) const override {
        const std::ptrdiff_t weight_step = kept_floats_ > 0 ? kept_floats_ : filter_floats();
        const std::int64_t inputs = problem_.weight[1];
        const std::int64_t outputs = problem_.weight[0] / problem_.groups;
        for (std::ptrdiff_t group = 0; group < problem_.groups; ++group) {
            const auto x = static_cast<std::size_t>(group * inputs);
            const auto y = static_cast<std::size_t>(group * outputs);
            ConvolutionOperands operands = all;
            operands.x = image_view(all.x, problem_.x, orders().x).plane(0, x);
            operands.y = image_view(all.y, problem_.y, orders().y).plane(0, y);
            operands.weight += group * weight_step;
            operands.bias += all.bias != nullptr ? y : 0;
            if (all.addend != nullptr) {
                operands.addend = image_view(all.addend, problem_.y, orders().y).plane(0, y);
            }
            each_->run(operands, workspace);
        }
    }

private:
    std::ptrdiff_t filter_floats() const {
        const Dims& weight = problem_.weight;
        return weight[0] / problem_.groups * weight[1] * weight[2] * weight[3];
    }

    ConvolutionProblem problem_;
    std::unique_ptr<PreparedConvolution> each_;
    std::ptrdiff_t kept_floats_;  // of a group; 0: none are kept
};

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
    const WinogradProblem suited = described(tile, problem, orders_of_groups(problem, preferred));
    std::unique_ptr<PreparedConvolution> each = suited.pass == Pass::backward_weights
                                                    ? prepare_winograd_weights(suited, kernels)
                                                    : prepare_winograd_images(suited, kernels);
    return problem.groups == 1 ? std::move(each)
                               : std::make_unique<GroupedWinograd>(problem, std::move(each));
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
