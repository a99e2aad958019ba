// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/gather.h"
#include "backend/cpu/convolution/implicit_gemm.h"
#include "backend/cpu/convolution/tile_sizes.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <vector>

namespace strata::cpu {

namespace {

using Signed = std::ptrdiff_t;

constexpr std::size_t block_points = 64;
// Not a power of two, so that the rows of a panel do not fall into the same cache sets.
constexpr std::size_t panel_row = 80;

// Results whose taps coincide (all of them without a stride): points over the source's planes, and
// their positions in the result's: (first_row + i * row_step, first_column + j * column_step).
struct Phase {
    Grid grid;
    std::vector<std::size_t> filter_taps;  // of each tap
    std::size_t first_row = 0;
    std::size_t first_column = 0;
    std::size_t row_step = 1;
    std::size_t column_step = 1;
    std::size_t filters = 0;  // start of its packed filters, in elements of a channel pair
};

Phase forward_phase(const Geometry& g) {
    Phase phase = {.grid = forward_grid(g), .filter_taps = {}};
    for (std::size_t tap = 0; tap < g.taps(); ++tap) {
        phase.filter_taps.push_back(tap);
    }
    return phase;
}

// The taps of an axis that reach x's elements first, first + stride, ..., and their sources.
struct AxisTap {
    std::size_t tap = 0;
    Signed shift = 0;
};
std::vector<AxisTap> taps_that_reach(std::size_t first, std::size_t kernel, Signed stride,
                                     Signed dilation, Signed pad) {
    std::vector<AxisTap> taps;
    for (std::size_t tap = 0; tap < kernel; ++tap) {
        const Signed distance =
            static_cast<Signed>(first) + pad - static_cast<Signed>(tap) * dilation;
        if (distance % stride == 0) {
            taps.push_back({tap, distance / stride});
        }
    }
    return taps;
}

Phase data_phase(const Geometry& g, std::size_t row, std::size_t column) {
    const auto rows = static_cast<std::size_t>(g.stride_height);
    const auto columns = static_cast<std::size_t>(g.stride_width);
    Phase phase = {.grid = {quotient_up(g.height - row, rows),
                            quotient_up(g.width - column, columns),
                            1,
                            1,
                            {}},
                   .filter_taps = {},
                   .first_row = row,
                   .first_column = column,
                   .row_step = rows,
                   .column_step = columns};
    for (const AxisTap& r :
         taps_that_reach(row, g.kernel_height, g.stride_height, g.dilation_height, g.pad_top)) {
        for (const AxisTap& s : taps_that_reach(column, g.kernel_width, g.stride_width,
                                                g.dilation_width, g.pad_left)) {
            phase.grid.taps.push_back({r.shift, s.shift});
            phase.filter_taps.push_back(r.tap * g.kernel_width + s.tap);
        }
    }
    return phase;
}

std::vector<Phase> phases_of(const Geometry& g, Pass pass) {
    if (pass == Pass::forward) {
        return {forward_phase(g)};
    }
    std::vector<Phase> phases;
    std::size_t filters = 0;
    const auto rows = std::min(static_cast<std::size_t>(g.stride_height), g.height);
    const auto columns = std::min(static_cast<std::size_t>(g.stride_width), g.width);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            phases.push_back(data_phase(g, row, column));
            phases.back().filters = filters;
            filters += phases.back().filter_taps.size();
        }
    }
    return phases;
}

// Writes a matrix of points [first, first + count) of one image to their places in the phase.
void store_points(const ImageView& view, std::size_t n, ChannelRange channels, const Phase& phase,
                  PointRange points, const float* matrix, std::size_t row) {
    for (std::size_t done = 0; done < points.count;) {
        const std::size_t at = points.first + done, j = at % phase.grid.columns;
        const std::size_t count = std::min(points.count - done, phase.grid.columns - j);
        const std::size_t h = phase.first_row + at / phase.grid.columns * phase.row_step;
        const std::size_t w = phase.first_column + j * phase.column_step;
        const Signed place =
            static_cast<Signed>(h) * view.row + static_cast<Signed>(w) * view.column;
        const Signed step = static_cast<Signed>(phase.column_step) * view.column;
        for (std::size_t c = 0; c < channels.count; ++c) {
            float* out = view.plane(n, channels.first + c) + place;
            for (std::size_t k = 0; k < count; ++k) {
                out[static_cast<Signed>(k) * step] = matrix[c * row + done + k];
            }
        }
        done += count;
    }
}

// Computes y or the gradient of x.
class GatheredProduct final : public PreparedConvolution {
public:
    GatheredProduct(const ConvolutionProblem& problem, const OperandOrders& preferred)
        : problem_(problem),
          g_(geometry_of(problem)),
          orders_{preferred.x, FilterOrder::oihw, preferred.y},
          implementation_(fmt::format("strata:implicit-gemm:{}", product_isa())),
          phases_(phases_of(g_, problem.pass)),
          is_forward_(problem.pass == Pass::forward),
          sources_(is_forward_ ? g_.inputs : g_.outputs),
          results_(is_forward_ ? g_.outputs : g_.inputs) {
        for (const Phase& phase : phases_) {
            first_block_.push_back(blocks_);
            blocks_ += quotient_up(g_.images * phase.grid.points(), block_points);
            packed_taps_ += is_forward_ ? 0 : phase.filter_taps.size();
        }
    }

    std::string implementation() const override { return implementation_; }
    OperandOrders orders() const override { return orders_; }
    Bytes workspace() const override {
        return {
            static_cast<double>((packed_floats() + threads() * thread_floats()) * sizeof(float))};
    }
    Operations operations() const override;
    void run(const ConvolutionOperands& operands, std::byte* workspace) const override;

private:
    struct Views {
        ImageView source;
        ImageView result;
    };
    // Consecutive points of a phase over all images.
    struct Block {
        std::size_t group = 0;
        const Phase& phase;
        PointRange points;
    };

    std::size_t threads() const { return static_cast<std::size_t>(problem_.threads); }
    std::size_t packed_floats() const {
        return round_up(g_.groups * sources_ * results_ * packed_taps_, 16);
    }
    std::size_t thread_floats() const {
        return depth_block() * panel_row + results_ * block_points;
    }
    void pack_filters(const float* filters, float* packed) const;
    const float* filters_of(const Block& block, const ConvolutionOperands& operands,
                            const float* packed) const;
    void run_block(const Block& block, const Views& views, const float* filters,
                   const Finish& finish, float* memory) const;

    ConvolutionProblem problem_;
    Geometry g_;
    OperandOrders orders_;
    std::string implementation_;
    std::vector<Phase> phases_;
    bool is_forward_;
    std::size_t sources_;
    std::size_t results_;
    std::vector<std::size_t> first_block_;  // of each phase
    std::size_t blocks_ = 0;                // of a group
    std::size_t packed_taps_ = 0;
};

// Counts points padded to whole registers.
Operations GatheredProduct::operations() const {
    Operations operations;
    for (const Phase& phase : phases_) {
        const std::size_t points = g_.images * phase.grid.points();
        operations.multiply_adds +=
            static_cast<double>(round_up(points, 16)) * static_cast<double>(phase.grid.taps.size());
    }
    operations.multiply_adds *= static_cast<double>(g_.groups * sources_ * results_);
    const auto outputs = static_cast<double>(g_.images * g_.groups * g_.outputs * g_.points());
    operations.adds = problem_.sum && is_forward_ ? outputs : 0;
    operations.bias_adds = problem_.bias && is_forward_ ? outputs : 0;
    operations.compares = problem_.relu && is_forward_ ? outputs : 0;
    return operations;
}

// [inputs][outputs x taps] for each phase, the transposed filters.
void GatheredProduct::pack_filters(const float* filters, float* packed) const {
#pragma omp parallel for collapse(2) schedule(static) num_threads(problem_.threads)
    for (std::size_t group = 0; group < g_.groups; ++group) {
        for (std::size_t c = 0; c < g_.inputs; ++c) {
            for (const Phase& phase : phases_) {
                const std::size_t taps = phase.filter_taps.size();
                float* to = packed + (group * packed_taps_ + phase.filters) * sources_ * results_ +
                            c * g_.outputs * taps;
                for (std::size_t k = 0; k < g_.outputs; ++k) {
                    const float* from =
                        filters + ((group * g_.outputs + k) * g_.inputs + c) * g_.taps();
                    for (std::size_t t = 0; t < taps; ++t) {
                        *to++ = from[phase.filter_taps[t]];
                    }
                }
            }
        }
    }
}

const float* GatheredProduct::filters_of(const Block& block, const ConvolutionOperands& operands,
                                         const float* packed) const {
    const std::size_t pairs = sources_ * results_;
    return is_forward_ ? operands.weight + block.group * pairs * g_.taps()
                       : packed + (block.group * packed_taps_ + block.phase.filters) * pairs;
}

// Calls visit(image, points of it, the first one's place in the block).
template <class Visit>
void for_images(PointRange points, std::size_t points_of_image, Visit&& visit) {
    for (std::size_t done = 0; done < points.count;) {
        const std::size_t at = points.first + done, first = at % points_of_image;
        const std::size_t count = std::min(points.count - done, points_of_image - first);
        visit(at / points_of_image, PointRange{first, count}, done);
        done += count;
    }
}

void GatheredProduct::run_block(const Block& block, const Views& views, const float* filters,
                                const Finish& finish, float* memory) const {
    const Grid& grid = block.phase.grid;
    const std::size_t depth = sources_ * grid.taps.size();
    const std::size_t columns = round_up(block.points.count, 16);
    float* panel = memory;
    float* result = memory + depth_block() * panel_row;
    if (depth == 0) {
        std::fill_n(result, results_ * block_points, 0.0F);
    }
    for (std::size_t k = 0; k < depth; k += depth_block()) {
        const std::size_t rows = std::min(depth_block(), depth - k);
        for_images(block.points, grid.points(),
                   [&](std::size_t n, PointRange points, std::size_t at) {
                       gather({views.source, n, block.group * sources_}, grid, {k, rows}, points,
                              panel + at, panel_row);
                   });
        for (std::size_t i = 0; columns > block.points.count && i < rows; ++i) {
            std::fill(panel + i * panel_row + block.points.count, panel + i * panel_row + columns,
                      0.0F);
        }
        for (std::size_t m = 0; m < results_; m += row_block) {
            small_gemm({std::min(row_block, results_ - m), columns, rows},
                       {filters + m * depth + k, static_cast<Signed>(depth), 1}, {panel, panel_row},
                       {result + m * block_points, block_points},
                       k > 0 ? Into::add : Into::overwrite);
        }
    }
    const ChannelRange channels = {block.group * results_, results_};
    for_images(block.points, grid.points(), [&](std::size_t n, PointRange points, std::size_t at) {
        if (block.phase.row_step == 1 && block.phase.column_step == 1) {
            copy_to_image(views.result, n, channels, points, result + at, block_points, finish);
        } else {
            store_points(views.result, n, channels, block.phase, points, result + at, block_points);
        }
    });
}

void GatheredProduct::run(const ConvolutionOperands& operands, std::byte* workspace) const {
    const ImageView x = image_view(operands.x, problem_.x, orders_.x);
    const ImageView y = image_view(operands.y, problem_.y, orders_.y);
    const Views views = is_forward_ ? Views{x, y} : Views{y, x};
    const Finish finish =
        is_forward_ ? Finish{operands.bias, operands.addend, problem_.relu} : Finish{};
    auto* packed = reinterpret_cast<float*>(workspace);
    if (!is_forward_) {
        pack_filters(operands.weight, packed);
    }
#pragma omp parallel for schedule(dynamic, 4) num_threads(problem_.threads)
    for (std::size_t i = 0; i < g_.groups * blocks_; ++i) {
        const std::size_t group = i / blocks_, number = i % blocks_;
        const auto after = std::upper_bound(first_block_.begin(), first_block_.end(), number);
        const auto place = static_cast<std::size_t>(after - first_block_.begin() - 1);
        const Phase& phase = phases_[place];
        const std::size_t first = (number - first_block_[place]) * block_points;
        const std::size_t all = g_.images * phase.grid.points();
        const Block block = {group, phase, {first, std::min(block_points, all - first)}};
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        run_block(block, views, filters_of(block, operands, packed), finish,
                  packed + packed_floats() + thread * thread_floats());
    }
    clear_filling(views.result);
}

}  // namespace

std::unique_ptr<PreparedConvolution> prepare_gathered_product(const ConvolutionProblem& problem,
                                                              const OperandOrders& preferred) {
    return std::make_unique<GatheredProduct>(problem, preferred);
}

}  // namespace strata::cpu
