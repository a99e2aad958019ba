// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/epilogue.h"
#include "backend/cpu/convolution/gather.h"
#include "backend/cpu/convolution/implicit_gemm.h"
#include "backend/cpu/convolution/tile_sizes.h"
#include "backend/lower/program.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

namespace strata::cpu {

namespace {

// Points that are multiplied at a time: a panel of y's gradient of as many rows stays in the L1
// cache, and all panels in the L2 cache.
std::size_t points_at_a_time(std::size_t outputs) {
    return outputs > 256 ? std::min<std::size_t>(128, depth_block()) : depth_block();
}

// 16 channels as columns of a panel, whose rows are the points.
STRATA_EACH_ISA void transpose_channels(const float* rows, std::size_t row, std::size_t points,
                                        std::size_t panel_row, float* panel) {
    for (std::size_t point = 0; point < points; ++point, panel += panel_row) {
        for (std::size_t lane = 0; lane < 16; ++lane) {
            panel[lane] = rows[lane * row + point];
        }
    }
}

// The gradient of the weights, transposed: the matrix [C R S][points] is gathered in tiles and
// multiplied by y's gradient [points][K]. Threads share the rows, so that each sum belongs to one
// of them; where there are few rows, parts of the images are summed apart and added at the end.
class WeightGradient final : public PreparedConvolution {
public:
    WeightGradient(const ConvolutionProblem& problem, const OperandOrders& preferred)
        : problem_(problem),
          g_(geometry_of(problem)),
          orders_{preferred.x, FilterOrder::oihw, preferred.y},
          implementation_(fmt::format("strata:implicit-gemm:{}", product_isa())),
          grid_(forward_grid(g_)),
          outputs_(round_up(g_.outputs, 16)),
          points_(points_at_a_time(outputs_)) {
        const std::size_t blocks = g_.groups * quotient_up(g_.depth(), row_block);
        parts_ = blocks < 8 ? std::min<std::size_t>(g_.images, quotient_up(8, blocks)) : 1;
        const auto threads = static_cast<std::size_t>(problem.threads);
        const std::size_t row_parts = std::clamp<std::size_t>(
            quotient_up(threads, g_.groups * parts_), 1, quotient_up(g_.depth(), row_block));
        rows_ = round_up(quotient_up(g_.depth(), row_parts), 6);
        row_parts_ = quotient_up(g_.depth(), rows_);
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
        float* sums = nullptr;  // [rows][outputs_]
    };
    struct Views {
        ImageView x;
        ImageView dy;
    };

    std::size_t sum_floats() const { return g_.groups * g_.depth() * outputs_; }
    std::size_t panels_floats() const {
        return round_up(outputs_, right_panel_columns()) * points_;
    }
    std::size_t tile_row() const { return points_ + 16; }
    std::size_t thread_floats() const {
        return panels_floats() + std::max(row_block, std::size_t{16}) * tile_row();
    }
    Task task_of(std::size_t number, float* sums) const;
    void pack_gradient(const Task& task, const Views& views, PointRange points, float* panels,
                       float* rows) const;
    void gather_rows(const Task& task, const Views& views, DepthRange depth, PointRange points,
                     float* tile) const;
    void run_task(const Task& task, const Views& views, float* memory) const;
    void transpose_sums(const float* sums, float* filters) const;

    ConvolutionProblem problem_;
    Geometry g_;
    OperandOrders orders_;
    std::string implementation_;
    Grid grid_;
    std::size_t outputs_;
    std::size_t points_;
    std::size_t parts_ = 1;
    std::size_t rows_ = 0;
    std::size_t row_parts_ = 1;
};

Operations WeightGradient::operations() const {
    const auto count = [](std::size_t value) { return static_cast<double>(value); };
    Operations operations = {
        .multiply_adds = count(g_.images * g_.points()) * count(g_.groups * g_.depth() * outputs_),
        .adds = count((parts_ - 1) * g_.filter_elements())};
    operations.bias_adds =
        problem_.bias ? count(g_.images * g_.groups * g_.outputs * g_.points()) : 0;
    return operations;
}

// Calls visit(image of the task, points of it, the first one's place).
template <class Visit>
void for_pieces(PointRange points, std::size_t points_of_image, Visit&& visit) {
    for (std::size_t done = 0; done < points.count;) {
        const std::size_t at = points.first + done, first = at % points_of_image;
        const std::size_t count = std::min(points.count - done, points_of_image - first);
        visit(at / points_of_image, PointRange{first, count}, done);
        done += count;
    }
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
    task.sums = sums + part * sum_floats() + (group * g_.depth() + task.first_row) * outputs_;
    return task;
}

// Of all outputs of the group, the last panel filled up with zeros.
void WeightGradient::pack_gradient(const Task& task, const Views& views, PointRange points,
                                   float* panels, float* rows) const {
    const std::size_t width = right_panel_columns();
    for (std::size_t k = 0; k < outputs_; k += 16) {
        const std::size_t count = std::min<std::size_t>(16, g_.outputs - k);
        const ChannelRange channels = {task.group * g_.outputs + k, count};
        float* panel = panels + k / width * width * points.count + k % width;
        for_pieces(points, g_.points(), [&](std::size_t n, PointRange piece, std::size_t at) {
            copy_from_image(views.dy, task.first_image + n, channels, piece, rows + at, tile_row());
        });
        for (std::size_t lane = count; lane < 16; ++lane) {
            std::fill_n(rows + lane * tile_row(), points.count, 0.0F);
        }
        transpose_channels(rows, tile_row(), points.count, width, panel);
    }
}

void WeightGradient::gather_rows(const Task& task, const Views& views, DepthRange depth,
                                 PointRange points, float* tile) const {
    for_pieces(points, g_.points(), [&](std::size_t n, PointRange piece, std::size_t at) {
        gather({views.x, task.first_image + n, task.group * g_.inputs}, grid_, depth, piece,
               tile + at, tile_row());
    });
}

void WeightGradient::run_task(const Task& task, const Views& views, float* memory) const {
    std::fill_n(task.sums, task.rows * outputs_, 0.0F);
    float* panels = memory;
    float* tile = memory + panels_floats();
    const std::size_t all = task.images * g_.points(), width = right_panel_columns();
    for (std::size_t first = 0; first < all; first += points_) {
        const PointRange points = {first, std::min(points_, all - first)};
        pack_gradient(task, views, points, panels, tile);
        for (std::size_t row = 0; row < task.rows; row += row_block) {
            const std::size_t rows = std::min(row_block, task.rows - row);
            gather_rows(task, views, {task.first_row + row, rows}, points, tile);
            for (std::size_t k = 0; k < outputs_; k += width) {
                small_gemm({rows, std::min(width, outputs_ - k), points.count},
                           {tile, static_cast<std::ptrdiff_t>(tile_row()), 1},
                           {panels + k * points.count, static_cast<std::ptrdiff_t>(width)},
                           {task.sums + row * outputs_ + k, static_cast<std::ptrdiff_t>(outputs_)},
                           Into::add);
            }
        }
    }
}

void WeightGradient::transpose_sums(const float* sums, float* filters) const {
    const std::size_t depth = g_.depth();
#pragma omp parallel for collapse(2) schedule(static) num_threads(problem_.threads)
    for (std::size_t group = 0; group < g_.groups; ++group) {
        for (std::size_t k = 0; k < g_.outputs; ++k) {
            const float* from = sums + group * depth * outputs_ + k;
            float* to = filters + (group * g_.outputs + k) * depth;
            for (std::size_t row = 0; row < depth; ++row) {
                float sum = from[row * outputs_];
                for (std::size_t part = 1; part < parts_; ++part) {
                    sum += from[part * sum_floats() + row * outputs_];
                }
                to[row] = sum;
            }
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
    transpose_sums(sums, operands.weight);
    if (operands.bias != nullptr) {
        bias_gradient(views.dy, operands.bias);
    }
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
