// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/gather.h"
#include "backend/cpu/convolution/implicit_gemm.h"
#include "backend/cpu/convolution/tile_sizes.h"
#include "backend/cpu/convolution/weight_tile.h"
#include "backend/lower/program.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <vector>

namespace strata::cpu {

namespace {

using Signed = std::ptrdiff_t;

// Rows of the sums whose part of x fits in the L1 cache beside a panel of y.
constexpr std::size_t weight_rows = 96;
// Outputs that are transposed together.
constexpr std::size_t transposed_lanes = 16;

// The x that points see, padded: with a stride, columns that far apart are stored side by side, so
// that a row of points sees consecutive elements under each tap. The layout is [channels]
// [phases][rows][columns], in which each tap of a channel begins at an offset.
struct PaddedPlanes {
    Grid grid;             // its taps are the phases
    std::size_t rows = 0;  // needed by a row of points, and by each further row
    std::size_t row_step = 1;
    std::size_t columns = 0;  // more than the points have
    std::vector<std::size_t> phase_of_tap = {}, row_of_tap = {}, column_of_tap = {};
};

PaddedPlanes padded_planes(const Geometry& g) {
    const auto unsigned_of = [](Signed value) { return static_cast<std::size_t>(value); };
    const std::size_t step = unsigned_of(g.stride_width);
    PaddedPlanes planes = {.grid = {(g.out_height - 1) * unsigned_of(g.stride_height) +
                                        (g.kernel_height - 1) * unsigned_of(g.dilation_height) + 1,
                                    0,
                                    1,
                                    g.stride_width,
                                    {}},
                           .rows = (g.kernel_height - 1) * unsigned_of(g.dilation_height) + 1,
                           .row_step = unsigned_of(g.stride_height),
                           .columns = (g.kernel_width - 1) * unsigned_of(g.dilation_width) / step};
    planes.grid.columns = g.out_width + planes.columns;
    std::vector<std::size_t> phases;
    for (std::size_t r = 0; r < g.kernel_height; ++r) {
        for (std::size_t s = 0; s < g.kernel_width; ++s) {
            const std::size_t column = s * unsigned_of(g.dilation_width);
            const auto found = std::find(phases.begin(), phases.end(), column % step);
            planes.phase_of_tap.push_back(unsigned_of(found - phases.begin()));
            planes.row_of_tap.push_back(r * unsigned_of(g.dilation_height));
            planes.column_of_tap.push_back(column / step);
            if (found == phases.end()) {
                phases.push_back(column % step);
                planes.grid.taps.push_back(
                    {-g.pad_top, static_cast<Signed>(column % step) - g.pad_left});
            }
        }
    }
    return planes;
}

// The points multiplied at a time, so that a panel of y's gradient stays in the L1 cache: columns
// of a row, rows of an image, or images.
PointBlock block_of(const Geometry& g) {
    const std::size_t points = depth_block();
    if (g.points() <= points / 2) {
        return {std::min(points / g.points(), g.images), g.out_height, g.out_width};
    }
    if (g.out_width <= 2 * points) {
        return {1, std::clamp<std::size_t>(points / g.out_width, 1, g.out_height), g.out_width};
    }
    return {1, 1, points};
}

// Writes channels as columns of a panel, whose rows are the points.
STRATA_EACH_ISA void transpose_channels(const float* rows, std::size_t row, std::size_t points,
                                        std::size_t panel_row, float* panel) {
    for (std::size_t point = 0; point < points; ++point, panel += panel_row) {
        for (std::size_t lane = 0; lane < transposed_lanes; ++lane) {
            panel[lane] = rows[lane * row + point];
        }
    }
}

// The transposed gradient of the weights: the product of the matrix [C R S][points], whose rows are
// read in place from padded planes, with y's gradient [points][K]. Threads divide the rows, so that
// each sum belongs to one of them; if there are few rows, parts of the images are summed separately
// and added at the end.
class WeightGradient final : public PreparedConvolution {
public:
    WeightGradient(const ConvolutionProblem& problem, const OperandOrders& preferred)
        : problem_(problem),
          g_(geometry_of(problem)),
          orders_{preferred.x, FilterOrder::oihw, preferred.y},
          implementation_(fmt::format("strata:implicit-gemm:{}", product_isa())),
          planes_(padded_planes(g_)),
          outputs_(round_up(g_.outputs, transposed_lanes)),
          width_(tile_vectors() * vector_floats()),
          block_(block_of(g_)) {
        const std::size_t blocks = g_.groups * quotient_up(g_.depth(), row_block);
        parts_ = blocks < 8 ? std::min<std::size_t>(g_.images, quotient_up(8, blocks)) : 1;
        const auto threads = static_cast<std::size_t>(problem.threads);
        const std::size_t row_parts = std::clamp<std::size_t>(
            quotient_up(threads, g_.groups * parts_), 1, quotient_up(g_.depth(), row_block));
        rows_ = round_up(quotient_up(g_.depth(), row_parts), 6);
        row_parts_ = quotient_up(g_.depth(), rows_);
        reads_y_ = orders_.y == (vector_floats() == 8 ? ImageOrder::nchw8c : ImageOrder::nchw16c) &&
                   vector_floats() >= 8 && (g_.groups == 1 || g_.outputs % vector_floats() == 0);
    }

    std::string implementation() const override { return implementation_; }
    OperandOrders orders() const override { return orders_; }
    Bytes workspace() const override {
        const std::size_t floats =
            parts_ * sum_floats() + static_cast<std::size_t>(problem_.threads) * thread_floats();
        return {static_cast<double>(floats * sizeof(float))};
    }
    Operations operations() const override;
    void run(const ConvolutionOperands& operands, std::byte* workspace) const override;

private:
    // A thread's task: some rows of a group's sums over a part of the images.
    struct Task {
        std::size_t group = 0;
        std::size_t first_row = 0;
        std::size_t rows = 0;
        std::size_t first_image = 0;
        std::size_t images = 0;
        bool bias = false;      // one more row, of a plane of ones: the gradient of the bias
        float* sums = nullptr;  // [sum_rows()][outputs_]

        std::size_t sum_rows() const { return rows + (bias ? 1 : 0); }
    };
    struct Views {
        ImageView x;
        ImageView dy;
    };
    // The first point and the number of points of a block.
    struct Place {
        std::size_t image = 0;
        std::size_t row = 0;
        std::size_t column = 0;
        PointBlock points;
    };
    // A thread's memory.
    struct Memory {
        float* panels;                        // y's gradient [outputs / width_][points][width_]
        float* rows;                          // [transposed_lanes][points]
        float* planes;                        // x [images][channels][phases][rows][columns]
        std::vector<std::ptrdiff_t> offsets;  // of a task's rows in the planes
    };

    // The rows of a group's sums, including that of the bias.
    std::size_t rows_of_sums() const { return g_.depth() + (problem_.bias ? 1 : 0); }
    std::size_t sum_floats() const { return g_.groups * rows_of_sums() * outputs_; }
    std::size_t block_points() const { return block_.images * block_.rows * block_.columns; }
    std::size_t panels_floats() const {
        return reads_y_ ? 0 : round_up(outputs_, width_) * block_points();
    }
    // Not a power of two, so that the rows do not fall into the same cache sets.
    std::size_t tile_row() const { return round_up(block_points(), 16) + 16; }
    std::size_t plane_columns(std::size_t points) const { return points + planes_.columns; }
    std::size_t plane_floats(const PointBlock& points) const {
        return ((points.rows - 1) * planes_.row_step + planes_.rows) *
               plane_columns(points.columns);
    }
    ChannelRange channels_of(const Task& task) const {
        const std::size_t first = task.first_row / g_.taps();
        return {first, quotient_up(task.first_row + task.rows, g_.taps()) - first};
    }
    std::size_t image_floats(std::size_t channels, const PointBlock& points) const {
        return (channels * planes_.grid.taps.size() + (problem_.bias ? 1 : 0)) *
               plane_floats(points);
    }
    std::size_t thread_floats() const {
        const std::size_t channels = std::min(g_.inputs, quotient_up(rows_, g_.taps()) + 1);
        return panels_floats() + transposed_lanes * tile_row() +
               round_up(block_.images * image_floats(channels, block_), 16);
    }
    Task task_of(std::size_t number, float* sums) const;
    void pack_gradient(const Task& task, const Views& views, const Place& place,
                       const Memory& memory) const;
    void copy_planes(const Task& task, const Views& views, const Place& place,
                     Memory& memory) const;
    void multiply(const Task& task, const Views& views, const Place& place,
                  const Memory& memory) const;
    void run_task(const Task& task, const Views& views, float* memory) const;
    float add_parts(const float* sum) const {
        float all = *sum;
        for (std::size_t part = 1; part < parts_; ++part) {
            all += sum[part * sum_floats()];
        }
        return all;
    }
    void transpose_block(const float* from, std::size_t rows, std::size_t lanes, float* to) const;
    void transpose_sums(const float* sums, const ConvolutionOperands& operands) const;

    ConvolutionProblem problem_;
    Geometry g_;
    OperandOrders orders_;
    std::string implementation_;
    PaddedPlanes planes_;
    std::size_t outputs_;
    std::size_t width_;
    PointBlock block_;
    bool reads_y_ = false;  // y's gradient is in blocks as wide as a register
    std::size_t parts_ = 1;
    std::size_t rows_ = 0;
    std::size_t row_parts_ = 1;
};

Operations WeightGradient::operations() const {
    const auto count = [](std::size_t value) { return static_cast<double>(value); };
    // The bias's gradient is a sum of products with ones.
    return {.multiply_adds =
                count(g_.images * g_.points()) * count(g_.groups * rows_of_sums() * outputs_),
            .adds = count((parts_ - 1) * g_.groups * rows_of_sums() * g_.outputs)};
}

WeightGradient::Task WeightGradient::task_of(std::size_t number, float* sums) const {
    const std::size_t row_part = number % row_parts_;
    const std::size_t part = number / row_parts_ % parts_;
    const std::size_t group = number / row_parts_ / parts_;
    const std::size_t each = quotient_up(g_.images, parts_);
    Task task = {.group = group,
                 .first_row = row_part * rows_,
                 .first_image = std::min(part * each, g_.images)};
    task.rows = std::min(rows_, g_.depth() - task.first_row);
    task.images = std::min(each, g_.images - task.first_image);
    task.bias = problem_.bias && row_part + 1 == row_parts_;
    task.sums = sums + part * sum_floats() + (group * rows_of_sums() + task.first_row) * outputs_;
    return task;
}

// Packs all outputs of the group, padding the last panel with zeros.
void WeightGradient::pack_gradient(const Task& task, const Views& views, const Place& place,
                                   const Memory& memory) const {
    const PointBlock& block = place.points;
    const std::size_t points = block.images * block.rows * block.columns;
    // Rows of points that fill the image's rows are contiguous.
    const bool whole = block.columns == g_.out_width;
    const std::size_t pieces = whole ? 1 : block.rows, length = block.rows * block.columns / pieces;
    for (std::size_t k = 0; k < outputs_; k += transposed_lanes) {
        const std::size_t count = std::min(transposed_lanes, g_.outputs - k);
        const ChannelRange channels = {task.group * g_.outputs + k, count};
        for (std::size_t n = 0; n < block.images; ++n) {
            for (std::size_t p = 0; p < pieces; ++p) {
                const std::size_t first = (place.row + p) * g_.out_width + place.column;
                copy_from_image(views.dy, task.first_image + place.image + n, channels,
                                {first, length}, memory.rows + (n * pieces + p) * length,
                                tile_row());
            }
        }
        for (std::size_t lane = count; lane < transposed_lanes; ++lane) {
            std::fill_n(memory.rows + lane * tile_row(), points, 0.0F);
        }
        transpose_channels(memory.rows, tile_row(), points, width_,
                           memory.panels + k / width_ * width_ * points + k % width_);
    }
}

void WeightGradient::copy_planes(const Task& task, const Views& views, const Place& place,
                                 Memory& memory) const {
    const PointBlock& block = place.points;
    const ChannelRange channels = channels_of(task);
    const std::size_t columns = plane_columns(block.columns), plane = plane_floats(block);
    const std::size_t phases = planes_.grid.taps.size();
    Grid grid = planes_.grid;
    grid.columns = columns;
    for (Tap& tap : grid.taps) {
        tap.column += static_cast<Signed>(place.column) * g_.stride_width;
    }
    const PointRange points = {place.row * planes_.row_step * columns, plane};
    const std::size_t ones = channels.count * phases * plane;
    for (std::size_t n = 0; n < block.images; ++n) {
        float* planes = memory.planes + n * image_floats(channels.count, block);
        gather(
            {views.x, task.first_image + place.image + n, task.group * g_.inputs + channels.first},
            grid, {0, channels.count * phases}, points, planes, plane);
        std::fill_n(planes + ones, task.bias ? plane : 0, 1.0F);
    }
    for (std::size_t row = 0; row < task.rows; ++row) {
        const std::size_t tap = (task.first_row + row) % g_.taps();
        const std::size_t channel = (task.first_row + row) / g_.taps() - channels.first;
        memory.offsets[row] =
            static_cast<Signed>((channel * phases + planes_.phase_of_tap[tap]) * plane +
                                planes_.row_of_tap[tap] * columns + planes_.column_of_tap[tap]);
    }
    if (task.bias) {
        memory.offsets[task.rows] = static_cast<Signed>(ones);
    }
}

void WeightGradient::multiply(const Task& task, const Views& views, const Place& place,
                              const Memory& memory) const {
    const PointBlock& block = place.points;
    const std::size_t points = block.rows * block.columns, lanes = vector_floats();
    const std::size_t columns = plane_columns(block.columns);
    SeenElements seen = {memory.planes, nullptr,
                         static_cast<Signed>(image_floats(channels_of(task).count, block)),
                         static_cast<Signed>(planes_.row_step * columns)};
    OutputVectors outputs = {nullptr, static_cast<Signed>(points * width_),
                             static_cast<Signed>(width_), static_cast<Signed>(lanes)};
    if (reads_y_) {
        const Signed ahead = block.images > 1 ? static_cast<Signed>(block.images) * views.dy.image
                                              : static_cast<Signed>(points) * views.dy.column;
        outputs = {nullptr, views.dy.image, views.dy.column, views.dy.block_step, ahead};
    }
    const std::size_t used = round_up(g_.outputs, lanes);
    for (std::size_t row = 0; row < task.sum_rows(); row += weight_rows) {
        const std::size_t rows = std::min(weight_rows, task.sum_rows() - row);
        seen.offsets = memory.offsets.data() + row;
        for (std::size_t k = 0; k < used; k += width_) {
            const std::size_t first = place.row * g_.out_width + place.column;
            outputs.data = reads_y_ ? views.dy.plane(task.first_image + place.image,
                                                     task.group * g_.outputs + k) +
                                          static_cast<Signed>(first) * views.dy.column
                                    : memory.panels + k * block.images * points;
            add_weight_sums(block, rows, std::min(width_, used - k) / lanes, seen, outputs,
                            task.sums + row * outputs_ + k, outputs_);
        }
        outputs.ahead = 0;
    }
}

void WeightGradient::run_task(const Task& task, const Views& views, float* memory) const {
    std::fill_n(task.sums, task.sum_rows() * outputs_, 0.0F);
    float* rows = memory + panels_floats();
    Memory parts = {memory, rows, rows + transposed_lanes * tile_row(),
                    std::vector<Signed>(task.sum_rows())};
    for (std::size_t n = 0; n < task.images; n += block_.images) {
        for (std::size_t p = 0; p < g_.out_height; p += block_.rows) {
            for (std::size_t q = 0; q < g_.out_width; q += block_.columns) {
                const Place place = {n,
                                     p,
                                     q,
                                     {std::min(block_.images, task.images - n),
                                      std::min(block_.rows, g_.out_height - p),
                                      std::min(block_.columns, g_.out_width - q)}};
                if (!reads_y_) {
                    pack_gradient(task, views, place, parts);
                }
                copy_planes(task, views, place, parts);
                multiply(task, views, place, parts);
            }
        }
    }
}

// Adds up the parts' sums and writes them as filters, by blocks of which both stay in the L1 cache,
// and as the bias's gradient.
void WeightGradient::transpose_sums(const float* sums, const ConvolutionOperands& operands) const {
    const std::size_t blocks = quotient_up(g_.outputs, transposed_lanes);
#pragma omp parallel for collapse(2) schedule(static) num_threads(problem_.threads)
    for (std::size_t group = 0; group < g_.groups; ++group) {
        for (std::size_t block = 0; block < blocks; ++block) {
            const std::size_t k = block * transposed_lanes;
            const float* from = sums + group * rows_of_sums() * outputs_ + k;
            const std::size_t count = std::min(transposed_lanes, g_.outputs - k);
            const std::size_t filter = group * g_.outputs + k;
            float* to = operands.weight + filter * g_.depth();
            for (std::size_t row = 0; row < g_.depth(); row += transposed_lanes) {
                transpose_block(from + row * outputs_, std::min(transposed_lanes, g_.depth() - row),
                                count, to + row);
            }
            for (std::size_t lane = 0; problem_.bias && lane < count; ++lane) {
                operands.bias[filter + lane] = add_parts(from + g_.depth() * outputs_ + lane);
            }
        }
    }
}

void WeightGradient::transpose_block(const float* from, std::size_t rows, std::size_t lanes,
                                     float* to) const {
    for (std::size_t lane = 0; lane < lanes; ++lane, to += g_.depth()) {
        for (std::size_t row = 0; row < rows; ++row) {
            to[row] = add_parts(from + row * outputs_ + lane);
        }
    }
}

void WeightGradient::run(const ConvolutionOperands& operands, std::byte* workspace) const {
    const Views views = {image_view(operands.x, problem_.x, orders_.x),
                         image_view(operands.y, problem_.y, orders_.y)};
    auto* sums = reinterpret_cast<float*>(workspace);
    float* memory = sums + parts_ * sum_floats();
    const std::size_t tasks = g_.groups * parts_ * row_parts_;
#pragma omp parallel for schedule(dynamic) num_threads(problem_.threads)
    for (std::size_t number = 0; number < tasks; ++number) {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        run_task(task_of(number, sums), views, memory + thread * thread_floats());
    }
    transpose_sums(sums, operands);
}

}  // namespace

std::unique_ptr<PreparedConvolution> prepare_weight_gradient(const ConvolutionProblem& problem,
                                                             const OperandOrders& preferred) {
    return std::make_unique<WeightGradient>(problem, preferred);
}

std::unique_ptr<PreparedConvolution> prepare_implicit_gemm(const ConvolutionProblem& problem,
                                                           const OperandOrders& preferred) {
    return problem.pass == Pass::backward_weights ? prepare_weight_gradient(problem, preferred)
                                                  : prepare_gathered_product(problem, preferred);
}

}  // namespace strata::cpu
