// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/winograd.h"

#include <omp.h>

#include <algorithm>

// The passes that compute an image from an image: forward, and backward for the data.
namespace strata::cpu::winograd {

namespace {

// How a run is divided. Either each thread takes a block of tiles through all three stages, with
// the intermediate results in its cache; or all threads together do one stage after the other. The
// former reads all filters once for each block, the latter writes and reads all transformed images.
struct Blocking {
    bool fused = false;
    std::size_t tiles = 0;  // of a block

    std::size_t blocks(std::size_t count) const { return (count + tiles - 1) / tiles; }
};

class WinogradImages : public PreparedConvolution {
public:
    WinogradImages(const WinogradProblem& problem, const WinogradKernels& kernels)
        : problem_(problem),
          kernels_(kernels),
          forward_(problem.pass == Pass::forward),
          from_(forward_ ? problem.x : problem.y),
          to_(forward_ ? problem.y : problem.x),
          depth_(from_.channels),
          filters_{nullptr, depth_, to_.channels, problem.points()} {
        make_grids();
        blocking_ = choose_blocking();
    }

    std::string implementation() const override {
        return "strata:" + winograd_name(problem_.tile) + ":" + std::string(kernels_.isa);
    }
    OperandOrders orders() const override { return problem_.orders; }

    Bytes workspace() const override {
        const std::size_t copies = blocking_.fused ? static_cast<std::size_t>(problem_.threads) : 1;
        return {static_cast<double>(
            sizeof(float) * (bias_floats() + transformed_floats() + copies * block_floats()))};
    }

    Operations operations() const override;
    KeptWeights kept_weights() const override;
    void run(const ConvolutionOperands& operands, std::byte* workspace) const override;

private:
    // The transformed tiles of one block, before and after the products.
    struct Block {
        TransformedTiles inputs;
        TransformedTiles outputs;
    };
    // One run's operands for this pass.
    struct Run {
        const float* from = nullptr;
        float* to = nullptr;
        TransformedFilters filters;
        Epilogue epilogue;
    };

    void make_grids();
    Blocking choose_blocking() const;
    std::size_t bias_floats() const { return problem_.bias && forward_ ? padded_columns() : 0; }
    // The size of the filters that a run transforms.
    std::size_t transformed_floats() const {
        return problem_.keeps_filters ? 0 : filters_.floats();
    }
    std::size_t padded_columns() const { return round_up(to_.channels, 16); }
    std::size_t padded_depth() const { return round_up(depth_, 16); }
    // Panels of outputs that are kept at once.
    std::size_t kept_panels() const { return blocking_.fused ? 1 : filters_.panels(); }
    std::size_t input_plane() const { return blocking_.tiles * padded_depth() + 16; }
    std::size_t output_plane() const {
        return blocking_.tiles * panel_columns * kept_panels() + 16;
    }
    std::size_t block_floats() const {
        return problem_.points() * (input_plane() + output_plane());
    }
    Block block_at(float* memory) const;
    IndexRange tiles_of(std::size_t block) const {
        const std::size_t begin = block * blocking_.tiles;
        return {begin, std::min(begin + blocking_.tiles, in_grid_.count())};
    }

    Run begin(const ConvolutionOperands& operands, float* memory) const;
    void transform_all_filters(const float* weight, const TransformedFilters& filters) const;
    void run_fused(const Run& run, float* memory) const;
    void run_staged(const Run& run, float* memory) const;
    void read(const Run& run, IndexRange tiles, std::size_t group, const Block& block) const;
    void multiply(const Run& run, const Block& block, std::size_t point, std::size_t panel,
                  std::size_t kept_panel, std::size_t tiles) const;
    void write(const Run& run, IndexRange tiles, std::size_t group, std::size_t first_channel,
               const Block& block) const;

    WinogradProblem problem_;
    WinogradKernels kernels_;
    bool forward_;
    ImageLayout from_, to_;
    std::size_t depth_;
    TransformedFilters filters_;  // without memory
    TileGrid in_grid_, out_grid_;
    Blocking blocking_;
};

void WinogradImages::make_grids() {
    const auto m = distance(problem_.m), r = distance(problem_.r);
    const auto across = [&](std::ptrdiff_t extent) {
        return static_cast<std::size_t>((extent + m - 1) / m);
    };
    const auto pad = [&](std::int64_t given) { return forward_ ? given : r - 1 - given; };
    out_grid_ = {problem_.images, across(to_.height), across(to_.width), m, m, 0, 0};
    in_grid_ = out_grid_;
    in_grid_.extent = distance(problem_.size);
    in_grid_.pad_top = pad(problem_.pad_top);
    in_grid_.pad_left = pad(problem_.pad_left);
}

Blocking WinogradImages::choose_blocking() const {
    const std::size_t count = std::max<std::size_t>(in_grid_.count(), 1);
    const double plane_row = static_cast<double>(problem_.points() * sizeof(float));
    const auto cut = [&](double max_rows) {
        const std::size_t rows =
            std::max<std::size_t>(static_cast<std::size_t>(max_rows) / 6 * 6, 6);
        const std::size_t blocks = (count + rows - 1) / rows;
        return round_up((count + blocks - 1) / blocks, 6);
    };
    const double fused = 0.6 * kernels_.cache.value /
                         (plane_row * static_cast<double>(padded_depth() + panel_columns));
    const double staged = 0.4 * kernels_.cache.value / (4.0 * static_cast<double>(padded_depth()));
    const double depth = static_cast<double>(depth_);
    const double columns = static_cast<double>(to_.channels);
    // Floats read or written for each product: the filters for each block, or transformed images
    // twice.
    const bool is_fused = 1 / fused < 2 / columns + 2 / depth;
    return {is_fused, cut(is_fused ? fused : staged)};
}

WinogradImages::Block WinogradImages::block_at(float* memory) const {
    const auto panel = distance(panel_columns);
    Block block;
    block.inputs = {memory, distance(input_plane()), panel, distance(padded_depth())};
    block.outputs = {memory + problem_.points() * input_plane(), distance(output_plane()),
                     distance(blocking_.tiles) * panel, panel};
    return block;
}

WinogradImages::Run WinogradImages::begin(const ConvolutionOperands& operands,
                                          float* memory) const {
    Run run;
    run.from = forward_ ? operands.x : operands.y;
    run.to = forward_ ? operands.y : operands.x;
    run.filters = filters_;
    run.filters.data = problem_.keeps_filters ? operands.weight : memory + bias_floats();
    run.epilogue.addend = operands.addend;
    run.epilogue.relu = problem_.relu;
    if (bias_floats() > 0) {
        std::copy_n(operands.bias, to_.channels, memory);
        std::fill(memory + to_.channels, memory + bias_floats(), 0.0F);
        run.epilogue.bias = memory;
    }
    return run;
}

void WinogradImages::transform_all_filters(const float* weight,
                                           const TransformedFilters& filters) const {
    const Codelet codelet = (*kernels_.wide)[static_cast<std::size_t>(problem_.tile)].filter;
    const std::size_t tasks = filter_tasks(filters);
#pragma omp parallel for num_threads(problem_.threads) schedule(dynamic, 4)
    for (std::size_t task = 0; task < tasks; ++task) {
        transform_filters(problem_.filters, weight, !forward_, codelet, task, filters);
    }
}

void WinogradImages::read(const Run& run, IndexRange tiles, std::size_t group,
                          const Block& block) const {
    read_tiles(from_, run.from, in_grid_, tiles, group,
               codelets_for(kernels_, problem_.tile, from_).input, problem_.size, block.inputs);
}

void WinogradImages::write(const Run& run, IndexRange tiles, std::size_t group,
                           std::size_t first_channel, const Block& block) const {
    write_tiles(block.outputs, problem_.size, codelets_for(kernels_, problem_.tile, to_).output,
                out_grid_, tiles, group, first_channel, run.epilogue, to_, run.to);
}

void WinogradImages::multiply(const Run& run, const Block& block, std::size_t point,
                              std::size_t panel, std::size_t kept_panel, std::size_t tiles) const {
    const std::size_t columns = run.filters.columns_of(panel);
    const float* filters = run.filters.at(panel, point);
    const ResultMatrix result = {block.outputs.at(point, kept_panel * panel_columns, 0),
                                 block.outputs.tile_step};
    for (std::size_t k = 0; k < depth_; k += block_depth) {
        const std::size_t depth = std::min(block_depth, depth_ - k);
        const LeftMatrix left = {block.inputs.at(point, 0, 0) + k, block.inputs.tile_step, 1};
        const Into into = k > 0 ? Into::add : Into::overwrite;
        if (columns == panel_columns) {
            kernels_.panel_product(tiles, depth, left, filters + k * panel_columns, result, into);
        } else {
            kernels_.product({tiles, columns, depth}, left,
                             {filters + k * panel_columns, distance(panel_columns)}, result, into);
        }
    }
}

void WinogradImages::run_fused(const Run& run, float* memory) const {
    const std::size_t blocks = blocking_.blocks(in_grid_.count());
    const std::size_t groups_of_panel = panel_columns / to_.group;
#pragma omp parallel for num_threads(problem_.threads) schedule(dynamic)
    for (std::size_t i = 0; i < blocks; ++i) {
        const auto self = static_cast<std::size_t>(omp_get_thread_num());
        const Block block = block_at(memory + self * block_floats());
        const IndexRange tiles = tiles_of(i);
        for (std::size_t group = 0; group < from_.groups(); ++group) {
            read(run, tiles, group, block);
        }
        for (std::size_t panel = 0; panel < run.filters.panels(); ++panel) {
            for (std::size_t point = 0; point < problem_.points(); ++point) {
                multiply(run, block, point, panel, 0, tiles.size());
            }
            const std::size_t first = panel * groups_of_panel;
            const std::size_t end = std::min(first + groups_of_panel, to_.groups());
            for (std::size_t group = first; group < end; ++group) {
                write(run, tiles, group, panel * panel_columns, block);
            }
        }
    }
}

// A part of a block's tiles, so that every thread has some.
IndexRange part_of(IndexRange tiles, std::size_t part, std::size_t parts) {
    const std::size_t each = (tiles.size() + parts - 1) / parts;
    const std::size_t begin = std::min(tiles.end, tiles.begin + part * each);
    return {begin, std::min(tiles.end, begin + each)};
}

void WinogradImages::run_staged(const Run& run, float* memory) const {
    constexpr std::size_t tiles_of_task = 48;
    const Block whole = block_at(memory);
    const std::size_t blocks = blocking_.blocks(in_grid_.count());
#pragma omp parallel num_threads(problem_.threads)
    for (std::size_t i = 0; i < blocks; ++i) {
        const IndexRange tiles = tiles_of(i);
        const std::size_t parts = (tiles.size() + tiles_of_task - 1) / tiles_of_task;
        const std::size_t reads = parts * from_.lines(), writes = parts * to_.groups();
        const std::size_t products = problem_.points() * run.filters.panels();
#pragma omp for schedule(dynamic)
        for (std::size_t task = 0; task < reads; ++task) {
            const IndexRange part = part_of(tiles, task / from_.lines(), parts);
            const Block block = {from_tile(whole.inputs, part.begin - tiles.begin), {}};
            const IndexRange groups = from_.groups_in(task % from_.lines());
            for (std::size_t group = groups.begin; group < groups.end; ++group) {
                read(run, part, group, block);
            }
        }
#pragma omp for schedule(dynamic, 4)
        for (std::size_t task = 0; task < products; ++task) {
            const std::size_t panel = task % run.filters.panels();
            multiply(run, whole, task / run.filters.panels(), panel, panel, tiles.size());
        }
#pragma omp for schedule(dynamic)
        for (std::size_t task = 0; task < writes; ++task) {
            const IndexRange part = part_of(tiles, task / to_.groups(), parts);
            const Block block = {{}, from_tile(whole.outputs, part.begin - tiles.begin)};
            write(run, part, task % to_.groups(), 0, block);
        }
    }
}

void WinogradImages::run(const ConvolutionOperands& operands, std::byte* workspace) const {
    float* memory = reinterpret_cast<float*>(workspace);
    const Run run = begin(operands, memory);
    if (!problem_.keeps_filters) {
        transform_all_filters(operands.weight, run.filters);
    }
    float* blocks = memory + bias_floats() + transformed_floats();
    if (blocking_.fused) {
        run_fused(run, blocks);
    } else {
        run_staged(run, blocks);
    }
}

KeptWeights WinogradImages::kept_weights() const {
    if (!problem_.keeps_filters) {
        return {};
    }
    return {{static_cast<double>(sizeof(float) * filters_.floats())},
            [this](const float* weight, float* kept, std::byte*) {
                TransformedFilters filters = filters_;
                filters.data = kept;
                transform_all_filters(weight, filters);
            }};
}

Operations WinogradImages::operations() const {
    const WinogradCosts costs = winograd_costs(problem_.tile);
    const auto number = [](std::size_t value) { return static_cast<double>(value); };
    const double tiles = number(in_grid_.count());
    const double filters = number(depth_) * number(padded_columns());
    const double pixels =
        number(problem_.images) * static_cast<double>(to_.height * to_.width) * number(to_.lanes());
    // The codelets do a sum only if vectors are written in place.
    const double added = to_.filled ? pixels : pixels / number(to_.lanes()) * number(to_.channels);
    Operations operations = operations_of(costs.filter, problem_.keeps_filters ? 0 : filters);
    operations += operations_of(costs.input, tiles * number(from_.lanes()));
    operations += operations_of(costs.output, tiles * number(to_.lanes()));
    operations.multiply_adds += number(problem_.points()) * tiles * filters;
    operations.adds += problem_.sum ? added : 0;
    operations.bias_adds += bias_floats() > 0 ? pixels : 0;
    operations.compares += !problem_.relu ? 0 : problem_.sum ? added : pixels;
    return operations;
}

}  // namespace

std::unique_ptr<PreparedConvolution> prepare_winograd_images(const WinogradProblem& problem,
                                                             const WinogradKernels& kernels) {
    return std::make_unique<WinogradImages>(problem, kernels);
}

}  // namespace strata::cpu::winograd
