// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/depthwise.h"

#include "backend/cpu/convolution/geometry.h"
#include "backend/cpu/kernels/isa.h"
#include "backend/lower/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace strata::cpu {

namespace {

using Index = std::ptrdiff_t;

Index index_of(std::size_t size) {
    return static_cast<Index>(size);
}

// Adjacent taps of a window's row that are summed together: the sums stay in registers.
constexpr Index max_taps = 5;

// A row of an image, with the row of gradients that see it through a row of the window.
struct RowPair {
    const float* x = nullptr;
    const float* dy = nullptr;
    Index width = 0;      // of x
    Index out_width = 0;  // of dy
    Index step = 0;       // elements from column to column
    Index stride = 1;
    Index dilation = 1;
    Index first = 0;  // the column of x that the first tap of the first gradient sees

    Index column(Index out, Index tap) const { return first + out * stride + tap * dilation; }
    bool sees(Index out, Index tap) const {
        return column(out, tap) >= 0 && column(out, tap) < width;
    }
};

// Two sums for each tap, so that an addition need not wait for the previous one.
template <class Vector, std::size_t taps>
using TapSums = std::array<std::array<Vector, taps>, 2>;

template <class Vector>
[[gnu::always_inline]] inline void load(const float* from, Vector& value) {
    std::memcpy(&value, from, sizeof(Vector));
}

template <class Vector, std::size_t taps>
[[gnu::always_inline]] inline void add_column(const RowPair& row, Index out,
                                              std::array<Vector, taps>& sums) {
    Vector dy, x;
    load(row.dy + out * row.step, dy);
    const float* from = row.x + row.column(out, 0) * row.step;
#pragma GCC unroll 5
    for (std::size_t tap = 0; tap < sums.size(); ++tap, from += row.dilation * row.step) {
        load(from, x);
        sums[tap] += dy * x;
    }
}

// A column whose window extends beyond the image.
template <class Vector, std::size_t taps>
[[gnu::always_inline]] inline void add_edge(const RowPair& row, Index out,
                                            std::array<Vector, taps>& sums) {
    Vector dy, x;
    load(row.dy + out * row.step, dy);
#pragma GCC unroll 5
    for (std::size_t tap = 0; tap < sums.size(); ++tap) {
        if (row.sees(out, static_cast<Index>(tap))) {
            load(row.x + row.column(out, static_cast<Index>(tap)) * row.step, x);
            sums[tap] += dy * x;
        }
    }
}

template <class Vector, std::size_t taps>
[[gnu::always_inline]] inline void add_row(const RowPair& row, TapSums<Vector, taps>& sums) {
    Index out = 0;
    for (; out < row.out_width && row.column(out, 0) < 0; ++out) {
        add_edge<Vector, taps>(row, out, sums[0]);
    }
    for (; out + 1 < row.out_width && row.sees(out + 1, static_cast<Index>(taps) - 1); out += 2) {
        add_column<Vector, taps>(row, out, sums[0]);
        add_column<Vector, taps>(row, out + 1, sums[1]);
    }
    for (; out < row.out_width; ++out) {
        add_edge<Vector, taps>(row, out, sums[0]);
    }
}

// All rows of one image that see a row of the window.
struct Rows {
    RowPair row;
    Index count = 0;
    Index x_step = 0;   // elements from one row of x to the next one seen
    Index dy_step = 0;  // and of dy
};

// sums[tap][lane] += the products of these rows.
template <class Vector, std::size_t taps>
[[gnu::always_inline]] inline void add_rows(Rows rows, float* sums) {
    TapSums<Vector, taps> found{};
    for (Index i = 0; i < rows.count; ++i) {
        add_row<Vector, taps>(rows.row, found);
        rows.row.x += rows.x_step;
        rows.row.dy += rows.dy_step;
    }
    for (std::size_t tap = 0; tap < found[0].size();
         ++tap, sums += sizeof(Vector) / sizeof(float)) {
        Vector sum;
        load(sums, sum);
        sum += found[0][tap] + found[1][tap];
        std::memcpy(sums, &sum, sizeof(Vector));
    }
}

template <class Vector>
[[gnu::always_inline]] inline void add_taps_of(const Rows& rows, Index taps, float* sums) {
    switch (taps) {
        case 1:
            return add_rows<Vector, 1>(rows, sums);
        case 2:
            return add_rows<Vector, 2>(rows, sums);
        case 3:
            return add_rows<Vector, 3>(rows, sums);
        case 4:
            return add_rows<Vector, 4>(rows, sums);
        default:
            return add_rows<Vector, max_taps>(rows, sums);
    }
}

STRATA_EACH_ISA void add_taps_by_8(const Rows& rows, Index taps, float* sums) {
    using Vector = float __attribute__((vector_size(32)));
    add_taps_of<Vector>(rows, taps, sums);
}

STRATA_EACH_ISA void add_taps_by_16(const Rows& rows, Index taps, float* sums) {
    using Vector = float __attribute__((vector_size(64)));
    add_taps_of<Vector>(rows, taps, sums);
}

class DepthwiseWeights final : public PreparedConvolution {
public:
    DepthwiseWeights(const ConvolutionProblem& problem, ImageOrder order, Index lanes)
        : problem_(problem), g_(geometry_of(problem)), order_(order), lanes_(lanes) {}

    std::string implementation() const override {
        return fmt::format("strata:depthwise:{}-channels", lanes_);
    }
    OperandOrders orders() const override { return {order_, FilterOrder::oihw, order_}; }
    Bytes workspace() const override { return {}; }
    Operations operations() const override {
        return {.multiply_adds = g_.multiply_adds(),
                .bias_adds =
                    problem_.bias ? static_cast<double>(g_.images * g_.groups * g_.points()) : 0};
    }

    void run(const ConvolutionOperands& operands, std::byte*) const override {
        const Index blocks = (index_of(g_.groups) + lanes_ - 1) / lanes_;
        const Index rows = index_of(g_.kernel_height);
#pragma omp parallel for collapse(2) schedule(static) num_threads(problem_.threads)
        for (Index block = 0; block < blocks; ++block) {
            for (Index row = 0; row < rows; ++row) {
                run_row(operands, block, row);
            }
        }
    }

private:
    static constexpr Index max_lanes = 16;

    // Elements of a block of channels, and from column to column.
    Index step() const {
        return order_ == ImageOrder::nhwc ? index_of(g_.groups) : lanes_;
    }
    // Where a block of channels of an image begins.
    Index place(Index image, Index block, std::size_t plane) const {
        const Index blocks = (index_of(g_.groups) + lanes_ - 1) / lanes_;
        return order_ == ImageOrder::nhwc ? image * index_of(plane) * step() + block * lanes_
                                          : (image * blocks + block) * index_of(plane) * lanes_;
    }

    void run_row(const ConvolutionOperands& operands, Index block, Index window_row) const {
        const Index taps = index_of(g_.kernel_width);
        const Index channels = std::min(lanes_, index_of(g_.groups) - block * lanes_);
        for (Index first = 0; first < taps; first += max_taps) {
            const Index count = std::min(max_taps, taps - first);
            alignas(64) std::array<float, max_taps * max_lanes> sums{};
            for (Index image = 0; image < index_of(g_.images); ++image) {
                const Rows rows = rows_of(operands, image, block, window_row, first);
                (lanes_ == 16 ? add_taps_by_16 : add_taps_by_8)(rows, count, sums.data());
            }
            for (Index c = 0; c < channels; ++c) {
                const Index filter = (block * lanes_ + c) * index_of(g_.taps());
                for (Index tap = 0; tap < count; ++tap) {
                    operands.weight[filter + window_row * taps + first + tap] =
                        sums[static_cast<std::size_t>(tap * lanes_ + c)];
                }
            }
        }
        if (problem_.bias && window_row == 0) {
            add_up_bias(operands, block, channels);
        }
    }

    Rows rows_of(const ConvolutionOperands& operands, Index image, Index block, Index window_row,
                 Index first_tap) const {
        // The row of x that gradient row `out` sees is out * stride + offset.
        const Index offset = window_row * g_.dilation_height - g_.pad_top;
        const Index stride = g_.stride_height;
        const Index begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
        const Index last = index_of(g_.height) - 1 - offset;
        const Index end = last < 0 ? 0 : std::min(index_of(g_.out_height), last / stride + 1);
        const Index x_row = index_of(g_.width) * step();
        const Index dy_row = index_of(g_.out_width) * step();
        return {.row = {.x = operands.x + place(image, block, g_.plane()) +
                             (begin * stride + offset) * x_row,
                        .dy = operands.y + place(image, block, g_.points()) + begin * dy_row,
                        .width = index_of(g_.width),
                        .out_width = index_of(g_.out_width),
                        .step = step(),
                        .stride = g_.stride_width,
                        .dilation = g_.dilation_width,
                        .first = first_tap * g_.dilation_width - g_.pad_left},
                .count = std::max<Index>(end - begin, 0),
                .x_step = stride * x_row,
                .dy_step = dy_row};
    }

    void add_up_bias(const ConvolutionOperands& operands, Index block, Index channels) const {
        std::array<double, max_lanes> sums{};
        for (Index image = 0; image < index_of(g_.images); ++image) {
            const float* dy = operands.y + place(image, block, g_.points());
            for (std::size_t point = 0; point < g_.points(); ++point, dy += step()) {
                for (Index c = 0; c < channels; ++c) {
                    sums[static_cast<std::size_t>(c)] += static_cast<double>(dy[c]);
                }
            }
        }
        for (Index c = 0; c < channels; ++c) {
            operands.bias[block * lanes_ + c] =
                static_cast<float>(sums[static_cast<std::size_t>(c)]);
        }
    }

    ConvolutionProblem problem_;
    Geometry g_;
    ImageOrder order_;
    Index lanes_;
};

}  // namespace

std::unique_ptr<PreparedConvolution> prepare_depthwise_weights(const ConvolutionProblem& problem,
                                                               const OperandOrders& preferred) {
    const Geometry geometry = geometry_of(problem);
    if (problem.pass != Pass::backward_weights || geometry.inputs != 1 || geometry.outputs != 1) {
        throw Refusal{
            "strata's own depthwise convolution only computes the weights' gradient of groups of "
            "one channel"};
    }
    switch (preferred.x) {
        case ImageOrder::nchw16c:
            return std::make_unique<DepthwiseWeights>(problem, ImageOrder::nchw16c, 16);
        case ImageOrder::nchw8c:
            return std::make_unique<DepthwiseWeights>(problem, ImageOrder::nchw8c, 8);
        case ImageOrder::nhwc:
            if (geometry.groups % 16 == 0) {
                return std::make_unique<DepthwiseWeights>(problem, ImageOrder::nhwc, 16);
            }
            if (geometry.groups % 8 == 0) {
                return std::make_unique<DepthwiseWeights>(problem, ImageOrder::nhwc, 8);
            }
            break;
        case ImageOrder::nchw:
        case ImageOrder::chwn:
            break;
    }
    return widest_isa() == Isa::avx512
               ? std::make_unique<DepthwiseWeights>(problem, ImageOrder::nchw16c, 16)
               : std::make_unique<DepthwiseWeights>(problem, ImageOrder::nchw8c, 8);
}

}  // namespace strata::cpu
