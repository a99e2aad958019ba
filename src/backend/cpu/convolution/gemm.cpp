// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/gemm.h"

#include "backend/cpu/convolution/epilogue.h"
#include "backend/cpu/convolution/gather.h"
#include "backend/cpu/convolution/library_product.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

namespace strata::cpu {

namespace {

// A product of fewer points is slower than first copying several images side by side.
constexpr std::size_t enough_points = 512;
constexpr std::size_t line_floats = 16;

// The memory that a thread, or all of them together, needs for the current images.
struct SlotFloats {
    std::size_t columns = 0;  // im2col's matrix
    std::size_t outputs = 0;  // y's matrix
    std::size_t gradient = 0;

    std::size_t sum() const { return columns + outputs + gradient; }
};

class ExplicitGemm final : public PreparedConvolution {
public:
    ExplicitGemm(const ConvolutionProblem& problem, const OperandOrders& preferred)
        : problem_(problem),
          g_(geometry_of(problem)),
          orders_{preferred.x, FilterOrder::oihw, preferred.y},
          grid_(forward_grid(g_)),
          batch_(std::clamp<std::size_t>(enough_points / g_.points(), 1, g_.images)),
          units_(g_.groups * ((g_.images + batch_ - 1) / batch_)) {
        const auto threads = static_cast<std::size_t>(problem.threads);
        slots_ = units_ >= 2 * threads ? threads : 1;
        floats_ = slot_floats();
    }

    std::string implementation() const override {
        return fmt::format("strata:gemm:{}-images{}{}", batch_, slots_ > 1 ? "-per-thread" : "",
                           reads_x_in_place() ? ":no-copy" : "");
    }
    OperandOrders orders() const override { return orders_; }
    Bytes workspace() const override {
        return {static_cast<double>(slots_ * floats_.sum() * sizeof(float))};
    }
    Operations operations() const override;
    void run(const ConvolutionOperands& operands, std::byte* workspace) const override;

private:
    // The images of one group that are processed at a time, with their memory.
    struct Unit {
        std::size_t group = 0;
        std::size_t first = 0;
        std::size_t images = 0;
        float* columns = nullptr;
        float* outputs = nullptr;
        float* filters = nullptr;  // the group's, or their gradient
    };
    struct Views {
        ImageView x;
        ImageView y;
    };

    SlotFloats slot_floats() const;
    bool is_pointwise() const {
        return g_.taps() == 1 && g_.stride_height == 1 && g_.stride_width == 1 && g_.pad_top == 0 &&
               g_.pad_left == 0 && g_.points() == g_.plane();
    }
    // One image's planes already form a matrix.
    bool reads_x_in_place() const {
        return batch_ == 1 && is_pointwise() && orders_.x == ImageOrder::nchw;
    }
    bool has_y_in_place() const { return batch_ == 1 && orders_.y == ImageOrder::nchw; }
    bool has_own_gradients() const { return problem_.pass == Pass::backward_weights && slots_ > 1; }

    Factor columns_of(const Unit& unit, const Views& views) const;
    Factor outputs_of(const Unit& unit, const Views& views) const;
    void forward(const Unit& unit, const Views& views, Finish finish) const;
    void backward_data(const Unit& unit, const Views& views) const;
    void backward_weights(const Unit& unit, const Views& views) const;
    void run_slot(std::size_t slot, const Views& views, const ConvolutionOperands& operands,
                  float* workspace) const;

    ConvolutionProblem problem_;
    Geometry g_;
    OperandOrders orders_;
    Grid grid_;
    std::size_t batch_;
    std::size_t units_;
    std::size_t slots_ = 1;
    SlotFloats floats_;
};

SlotFloats ExplicitGemm::slot_floats() const {
    const std::size_t points = batch_ * g_.points();
    return {reads_x_in_place() ? 0 : round_up(g_.depth() * points, line_floats),
            has_y_in_place() ? 0 : round_up(g_.outputs * points, line_floats),
            has_own_gradients() ? round_up(g_.filter_elements(), line_floats) : 0};
}

Operations ExplicitGemm::operations() const {
    Operations operations = {.multiply_adds = g_.multiply_adds()};
    const auto outputs = static_cast<double>(g_.images * g_.groups * g_.outputs * g_.points());
    if (problem_.pass == Pass::backward_data && !reads_x_in_place()) {
        // The additions of col2im: for each tap, the points that it sees inside the plane.
        double inside = 0;
        for (const Tap& tap : grid_.taps) {
            inside += static_cast<double>(points_inside(grid_, tap, g_.height, g_.width));
        }
        operations.adds = inside * static_cast<double>(g_.images * g_.groups * g_.inputs);
    }
    if (has_own_gradients()) {
        operations.adds = static_cast<double>((slots_ - 1) * g_.filter_elements());
    }
    operations.adds += problem_.sum ? outputs : 0;
    operations.bias_adds = problem_.bias && problem_.pass != Pass::backward_data ? outputs : 0;
    operations.compares = problem_.relu && problem_.pass == Pass::forward ? outputs : 0;
    return operations;
}

Factor ExplicitGemm::columns_of(const Unit& unit, const Views& views) const {
    const std::size_t first_channel = unit.group * g_.inputs;
    if (reads_x_in_place()) {
        return {views.x.plane(unit.first, first_channel), g_.points()};
    }
    // A thread with its own images is alone here.
    const std::size_t row = unit.images * g_.points(), taps = g_.taps();
    const std::size_t step = views.x.neighbours();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::size_t n = 0; n < unit.images; ++n) {
        for (std::size_t c = 0; c < g_.inputs; c += step) {
            const std::size_t count = std::min(step, g_.inputs - c);
            gather({views.x, unit.first + n, first_channel}, grid_, {c * taps, count * taps},
                   {0, g_.points()}, unit.columns + c * taps * row + n * g_.points(), row);
        }
    }
    return {unit.columns, row};
}

Factor ExplicitGemm::outputs_of(const Unit& unit, const Views& views) const {
    const ChannelRange channels = {unit.group * g_.outputs, g_.outputs};
    if (has_y_in_place()) {
        return {views.y.plane(unit.first, channels.first), g_.points()};
    }
    const std::size_t row = unit.images * g_.points();
    for (std::size_t n = 0; n < unit.images; ++n) {
        copy_from_image(views.y, unit.first + n, channels, {0, g_.points()},
                        unit.outputs + n * g_.points(), row);
    }
    return {unit.outputs, row};
}

// A product in y's memory adds to an addend already there.
void ExplicitGemm::forward(const Unit& unit, const Views& views, Finish finish) const {
    const Factor columns = columns_of(unit, views);
    const std::size_t first = unit.group * g_.outputs, points = unit.images * g_.points();
    const bool adds = has_y_in_place() && finish.addend == views.y.data;
    finish.addend = adds ? nullptr : finish.addend;
    float* y = has_y_in_place() ? views.y.plane(unit.first, first) : unit.outputs;
    library_product({g_.outputs, points, g_.depth()}, {unit.filters, g_.depth()}, columns,
                    {y, static_cast<std::ptrdiff_t>(points)}, adds ? Into::add : Into::overwrite);
    const std::size_t step = views.y.neighbours();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::size_t n = 0; n < unit.images; ++n) {
        for (std::size_t c = 0; c < g_.outputs; c += step) {
            copy_to_image(views.y, unit.first + n, {first + c, std::min(step, g_.outputs - c)},
                          {0, g_.points()}, y + c * points + n * g_.points(), points, finish);
        }
    }
}

void ExplicitGemm::backward_data(const Unit& unit, const Views& views) const {
    const Factor dy = outputs_of(unit, views);
    const std::size_t points = unit.images * g_.points(), first = unit.group * g_.inputs;
    float* columns = reads_x_in_place() ? views.x.plane(unit.first, first) : unit.columns;
    library_product({g_.depth(), points, g_.outputs},
                    {unit.filters, g_.depth(), Factor::Order::transposed}, dy,
                    {columns, static_cast<std::ptrdiff_t>(points)}, Into::overwrite);
    if (reads_x_in_place()) {
        return;
    }
    const std::size_t step = views.x.neighbours();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::size_t n = 0; n < unit.images; ++n) {
        for (std::size_t c = 0; c < g_.inputs; c += step) {
            const ChannelRange channels = {first + c, std::min(step, g_.inputs - c)};
            clear_channels(views.x, unit.first + n, channels);
            scatter_add(views.x, unit.first + n, channels, grid_,
                        columns + c * g_.taps() * points + n * g_.points(), points);
        }
    }
}

void ExplicitGemm::backward_weights(const Unit& unit, const Views& views) const {
    const Factor dy = outputs_of(unit, views);
    Factor columns = columns_of(unit, views);
    columns.order = Factor::Order::transposed;
    library_product({g_.outputs, g_.depth(), unit.images * g_.points()}, dy, columns,
                    {unit.filters, static_cast<std::ptrdiff_t>(g_.depth())}, Into::add);
}

void ExplicitGemm::run_slot(std::size_t slot, const Views& views,
                            const ConvolutionOperands& operands, float* workspace) const {
    float* memory = workspace + slot * floats_.sum();
    float* gradients = memory + floats_.columns + floats_.outputs;
    float* filters = has_own_gradients() ? gradients : operands.weight;
    if (problem_.pass == Pass::backward_weights) {
        std::fill_n(filters, g_.filter_elements(), 0.0F);
    }
    const std::size_t group_filters = g_.outputs * g_.depth();
    for (std::size_t u = slot; u < units_; u += slots_) {
        const std::size_t group = u % g_.groups, first = u / g_.groups * batch_;
        const Unit unit = {group,
                           first,
                           std::min(batch_, g_.images - first),
                           memory,
                           memory + floats_.columns,
                           filters + group * group_filters};
        if (problem_.pass == Pass::forward) {
            forward(unit, views, {operands.bias, operands.addend, problem_.relu});
        } else if (problem_.pass == Pass::backward_data) {
            backward_data(unit, views);
        } else {
            backward_weights(unit, views);
        }
    }
}

void ExplicitGemm::run(const ConvolutionOperands& operands, std::byte* workspace) const {
    const Views views = {image_view(operands.x, problem_.x, orders_.x),
                         image_view(operands.y, problem_.y, orders_.y)};
    auto* memory = reinterpret_cast<float*>(workspace);
    if (slots_ == 1) {
        run_slot(0, views, operands, memory);
    } else {
#pragma omp parallel for schedule(static) num_threads(problem_.threads)
        for (std::size_t slot = 0; slot < slots_; ++slot) {
            run_slot(slot, views, operands, memory);
        }
    }
    if (problem_.pass == Pass::forward) {
        clear_filling(views.y);
    } else if (problem_.pass == Pass::backward_data) {
        clear_filling(views.x);
    } else {
        if (has_own_gradients()) {
            sum_parts(memory + floats_.columns + floats_.outputs, slots_, floats_.sum(),
                      g_.filter_elements(), operands.weight);
        }
        if (operands.bias != nullptr) {
            bias_gradient(views.y, operands.bias);
        }
    }
}

}  // namespace

std::unique_ptr<PreparedConvolution> prepare_gemm(const ConvolutionProblem& problem,
                                                  const OperandOrders& preferred) {
    return std::make_unique<ExplicitGemm>(problem, preferred);
}

}  // namespace strata::cpu
