// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/winograd.h"

#include <omp.h>

#include <algorithm>

// The pass backward for the weights: F(r x r, m x m), with the tiles of y's gradient as filters.
// The tiles' contributions are summed before the inverse transform, so that there is only one of
// those.
namespace strata::cpu::winograd {

namespace {

// How a run is divided. Either all threads together transform a block of tiles and then divide the
// points of the products; or the tiles are divided into parts, and one thread sums the tiles of a
// part, with everything in its cache. The number of parts depends on the problem, not on the
// threads, and so do the results.
struct Cut {
    std::size_t tiles = 0;  // of a block
    std::size_t parts = 1;
};

constexpr std::size_t max_parts = 16;
constexpr std::size_t tiles_of_shared_block = 512;

class WinogradWeights : public PreparedConvolution {
public:
    WinogradWeights(const WinogradProblem& problem, const WinogradKernels& kernels)
        : problem_(problem),
          kernels_(kernels),
          sums_{nullptr, problem.x.channels, problem.y.channels, problem.points()} {
        const auto m = distance(problem.m);
        const auto across = [&](std::ptrdiff_t extent) {
            return static_cast<std::size_t>((extent + m - 1) / m);
        };
        y_grid_ = {problem.images, across(problem.y.height), across(problem.y.width), m, m, 0, 0};
        x_grid_ = y_grid_;
        x_grid_.extent = distance(problem.size);
        x_grid_.pad_top = problem.pad_top;
        x_grid_.pad_left = problem.pad_left;
        cut_ = choose_cut();
    }

    std::string implementation() const override {
        return "strata:" + winograd_name(problem_.tile) + ":" + std::string(kernels_.isa);
    }
    OperandOrders orders() const override { return problem_.orders; }
    Bytes workspace() const override {
        const auto threads = static_cast<std::size_t>(problem_.threads);
        const std::size_t blocks = cut_.parts == 1 ? 1 : std::min(threads, cut_.parts);
        return {static_cast<double>(sizeof(float) *
                                    (cut_.parts * sums_of_part() + blocks * floats_of_block()))};
    }
    Operations operations() const override;
    void run(const ConvolutionOperands& operands, std::byte* workspace) const override;

private:
    // The transformed tiles of a block.
    struct Block {
        TransformedTiles x, y;
    };
    // The sums of a part of the tiles.
    struct Sums {
        TransformedFilters products;
        float* bias = nullptr;
    };

    Cut choose_cut() const;
    std::size_t points() const { return problem_.points(); }
    std::size_t plane_floats(const ImageLayout& image) const {
        return round_up(image.channels, panel_columns) * cut_.tiles + 16;
    }
    std::size_t floats_of_block() const {
        return points() * (plane_floats(problem_.x) + plane_floats(problem_.y));
    }
    std::size_t sums_of_part() const { return sums_.floats() + round_up(problem_.y.channels, 16); }
    Block block_at(float* memory) const {
        const auto panel = distance(panel_columns);
        const auto planes = [&](const ImageLayout& image, float* at) -> TransformedTiles {
            return {at, distance(plane_floats(image)), distance(cut_.tiles) * panel, panel};
        };
        return {planes(problem_.x, memory),
                planes(problem_.y, memory + points() * plane_floats(problem_.x))};
    }
    Sums sums_at(float* memory) const {
        Sums sums = {sums_, memory + sums_.floats()};
        sums.products.data = memory;
        return sums;
    }
    // The point of which the transform of a tile is a multiple of its elements' sum: 1, 1.
    std::size_t point_of_sum() const { return problem_.size + 1; }

    // With few tiles, the last parts have none.
    std::size_t filled_parts() const {
        const std::size_t blocks = (y_grid_.count() + cut_.tiles - 1) / cut_.tiles;
        const std::size_t blocks_of_part = (blocks + cut_.parts - 1) / cut_.parts;
        return (blocks + blocks_of_part - 1) / blocks_of_part;
    }
    std::size_t lines() const { return problem_.x.lines() + problem_.y.lines(); }
    // The groups of one line: x's lines come first.
    void transform(const ConvolutionOperands& operands, IndexRange tiles, std::size_t line,
                   const Block& block) const;
    void multiply(const Block& block, std::size_t tiles, std::size_t task, const Sums& sums,
                  bool first) const;
    void add_bias(const Block& block, std::size_t tiles, const Sums& sums, bool first) const;
    void run_shared(const ConvolutionOperands& operands, float* memory) const;
    void run_parts(const ConvolutionOperands& operands, float* memory) const;
    void finish(const ConvolutionOperands& operands, const Sums& sums) const;

    WinogradProblem problem_;
    WinogradKernels kernels_;
    TransformedFilters sums_;  // without memory
    TileGrid x_grid_, y_grid_;
    Cut cut_;
};

// Parts are suitable if the sums of one and some tiles fit into a thread's cache.
Cut WinogradWeights::choose_cut() const {
    const std::size_t count = std::max<std::size_t>(y_grid_.count(), 1);
    const auto blocks_of = [&](std::size_t tiles) { return (count + tiles - 1) / tiles; };
    const std::size_t channels =
        round_up(problem_.x.channels, panel_columns) + round_up(problem_.y.channels, panel_columns);
    const double fit =
        0.75 * kernels_.cache.value / sizeof(float) - static_cast<double>(sums_.floats());
    const double tiles = fit / static_cast<double>(points() * channels);
    constexpr double min_tiles = 24;
    if (tiles >= min_tiles && count > 2 * max_parts) {
        const std::size_t blocks = round_up(blocks_of(static_cast<std::size_t>(tiles)), max_parts);
        return {(count + blocks - 1) / blocks, max_parts};
    }
    const std::size_t blocks = blocks_of(tiles_of_shared_block);
    return {(count + blocks - 1) / blocks, 1};
}

void WinogradWeights::transform(const ConvolutionOperands& operands, IndexRange tiles,
                                std::size_t line, const Block& block) const {
    const bool is_x = line < problem_.x.lines();
    const ImageLayout& image = is_x ? problem_.x : problem_.y;
    const WinogradCodelets& codelets = codelets_for(kernels_, problem_.tile, image);
    const IndexRange groups = image.groups_in(is_x ? line : line - problem_.x.lines());
    for (std::size_t group = groups.begin; group < groups.end; ++group) {
        read_tiles(image, is_x ? operands.x : operands.y, is_x ? x_grid_ : y_grid_, tiles, group,
                   is_x ? codelets.input : codelets.output_gradient, problem_.size,
                   is_x ? block.x : block.y);
    }
}

// The sums of one point in one panel of outputs, for all inputs: sums[c][k] += x[tile][c]
// y[tile][k].
void WinogradWeights::multiply(const Block& block, std::size_t tiles, std::size_t task,
                               const Sums& sums, bool first) const {
    const TransformedFilters& products = sums.products;
    const std::size_t point = task / products.panels(), panel = task % products.panels();
    const auto row = distance(panel_columns);
    for (std::size_t tile = 0; tile < tiles; tile += block_depth) {
        const std::size_t depth = std::min(block_depth, tiles - tile);
        const RightMatrix right = {block.y.at(point, panel * panel_columns, tile), row};
        for (std::size_t c = 0; c < products.rows; c += panel_columns) {
            const std::size_t rows = std::min(panel_columns, products.rows - c);
            kernels_.product({rows, products.columns_of(panel), depth},
                             {block.x.at(point, c, tile), 1, row}, right,
                             {products.at(panel, point) + c * panel_columns, row},
                             first && tile == 0 ? Into::overwrite : Into::add);
        }
    }
}

// The gradient of the bias is the sum of y's. The transform of each tile has it as one of its
// points, apart from a factor that is applied at the end.
void WinogradWeights::add_bias(const Block& block, std::size_t tiles, const Sums& sums,
                               bool first) const {
    const std::size_t point_of_sum = problem_.size + 1;  // 1, 1
    const std::size_t channels = problem_.y.channels;
    for (std::size_t k = 0; k < channels; k += panel_columns) {
        const std::size_t columns = std::min(panel_columns, channels - k);
        std::size_t tile = 0;
        if (first) {
            std::copy_n(block.y.at(point_of_sum, k, tile++), columns, sums.bias + k);
        }
        for (; tile < tiles; ++tile) {
            kernels_.add(block.y.at(point_of_sum, k, tile), columns, sums.bias + k);
        }
    }
}

void WinogradWeights::run_shared(const ConvolutionOperands& operands, float* memory) const {
    constexpr std::size_t tiles_of_task = 48;
    const Sums sums = sums_at(memory);
    const Block block = block_at(memory + sums_of_part());
    const std::size_t products = points() * sums_.panels(), count = y_grid_.count();
#pragma omp parallel num_threads(problem_.threads)
    for (std::size_t begin = 0; begin < count; begin += cut_.tiles) {
        const std::size_t tiles = std::min(cut_.tiles, count - begin);
        const std::size_t parts = (tiles + tiles_of_task - 1) / tiles_of_task;
#pragma omp for schedule(dynamic)
        for (std::size_t task = 0; task < parts * lines(); ++task) {
            const std::size_t first = task / lines() * tiles_of_task;
            const IndexRange part = {begin + first, begin + std::min(tiles, first + tiles_of_task)};
            transform(operands, part, task % lines(),
                      {from_tile(block.x, first), from_tile(block.y, first)});
        }
#pragma omp for schedule(dynamic)
        for (std::size_t task = 0; task < products + 1; ++task) {
            if (task < products) {
                multiply(block, tiles, task, sums, begin == 0);
            } else if (problem_.bias) {
                add_bias(block, tiles, sums, begin == 0);
            }
        }
    }
}

void WinogradWeights::run_parts(const ConvolutionOperands& operands, float* memory) const {
    const std::size_t blocks = (y_grid_.count() + cut_.tiles - 1) / cut_.tiles;
    const std::size_t blocks_of_part = (blocks + cut_.parts - 1) / cut_.parts;
    float* block_memory = memory + cut_.parts * sums_of_part();
    const auto threads =
        std::min<std::size_t>(static_cast<std::size_t>(problem_.threads), cut_.parts);
#pragma omp parallel num_threads(threads)
    {
        const auto self = static_cast<std::size_t>(omp_get_thread_num());
        const Block block = block_at(block_memory + self * floats_of_block());
#pragma omp for schedule(dynamic)
        for (std::size_t part = 0; part < cut_.parts; ++part) {
            const Sums sums = sums_at(memory + part * sums_of_part());
            std::size_t begin = part * blocks_of_part * cut_.tiles;
            const std::size_t end = std::min(y_grid_.count(), begin + blocks_of_part * cut_.tiles);
            if (begin >= end) {
                std::fill_n(sums.products.data, sums_of_part(), 0.0F);
            }
            for (bool first = true; begin < end; begin += cut_.tiles, first = false) {
                const IndexRange range = {begin, std::min(end, begin + cut_.tiles)};
                for (std::size_t line = 0; line < lines(); ++line) {
                    transform(operands, range, line, block);
                }
                for (std::size_t task = 0; task < points() * sums_.panels(); ++task) {
                    multiply(block, range.size(), task, sums, first);
                }
                if (problem_.bias) {
                    add_bias(block, range.size(), sums, first);
                }
            }
        }
    }
    constexpr std::size_t floats_of_task = 4096;
    const std::size_t all = sums_of_part();
#pragma omp parallel for num_threads(problem_.threads) schedule(static)
    for (std::size_t first = 0; first < all; first += floats_of_task) {
        for (std::size_t part = 1; part < cut_.parts; ++part) {
            kernels_.add(memory + part * all + first, std::min(floats_of_task, all - first),
                         memory + first);
        }
    }
}

void WinogradWeights::finish(const ConvolutionOperands& operands, const Sums& sums) const {
    const Codelet codelet =
        (*kernels_.wide)[static_cast<std::size_t>(problem_.tile)].filter_gradient;
    const std::size_t filters = filter_tasks(sums.products);
#pragma omp parallel for num_threads(problem_.threads) schedule(dynamic, 4)
    for (std::size_t task = 0; task < filters; ++task) {
        transform_to_filters(sums.products, codelet, task, problem_.filters, operands.weight);
    }
    if (problem_.bias) {
        const auto factor = static_cast<float>(tile_sum_factor(problem_.tile));
        for (std::size_t k = 0; k < problem_.y.channels; ++k) {
            operands.bias[k] = factor * sums.bias[k];
        }
    }
}

void WinogradWeights::run(const ConvolutionOperands& operands, std::byte* workspace) const {
    float* memory = reinterpret_cast<float*>(workspace);
    if (cut_.parts == 1) {
        run_shared(operands, memory);
    } else {
        run_parts(operands, memory);
    }
    finish(operands, sums_at(memory));
}

Operations WinogradWeights::operations() const {
    const WinogradCosts costs = winograd_costs(problem_.tile);
    const auto number = [](std::size_t value) { return static_cast<double>(value); };
    const double tiles = number(y_grid_.count());
    const double rows = number(sums_.rows), columns = number(round_up(sums_.columns, 16));
    Operations operations = operations_of(costs.input, tiles * number(problem_.x.lanes()));
    operations += operations_of(costs.output_gradient, tiles * number(problem_.y.lanes()));
    operations += operations_of(costs.filter_gradient, rows * columns);
    operations.multiply_adds += number(points()) * tiles * rows * columns;
    operations.adds += number(cut_.parts - 1) * number(sums_of_part());
    if (problem_.bias) {
        const double channels = number(problem_.y.channels);
        operations.adds += (tiles - number(filled_parts())) * channels;
        operations.multiplies += channels;
    }
    return operations;
}

}  // namespace

std::unique_ptr<PreparedConvolution> prepare_winograd_weights(const WinogradProblem& problem,
                                                              const WinogradKernels& kernels) {
    return std::make_unique<WinogradWeights>(problem, kernels);
}

}  // namespace strata::cpu::winograd
