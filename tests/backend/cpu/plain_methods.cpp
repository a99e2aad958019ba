// SPDX-License-Identifier: MIT
#include "tests/backend/cpu/plain_methods.h"

#include "backend/lower/program.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace strata::testing {

namespace {

using cpu::ConvolutionOperands;
using cpu::ConvolutionProblem;
using cpu::FilterOrder;
using cpu::ImageOrder;
using cpu::OperandOrders;

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

std::int64_t block_of(ImageOrder order) {
    return order == ImageOrder::nchw16c ? 16 : order == ImageOrder::nchw8c ? 8 : 1;
}

std::int64_t block_of(FilterOrder order) {
    return order == FilterOrder::oihw16i16o ? 16 : order == FilterOrder::oihw8i8o ? 8 : 1;
}

// The position of an element of an image [N, C, H, W].
std::size_t offset(ImageOrder order, const Dims& dims, std::int64_t n, std::int64_t c,
                   std::int64_t h, std::int64_t w) {
    if (order == ImageOrder::nhwc) {
        return static_cast<std::size_t>(((n * dims[2] + h) * dims[3] + w) * dims[1] + c);
    }
    const std::int64_t block = block_of(order);
    const std::int64_t blocks = rounded_up(dims[1], block) / block;
    return static_cast<std::size_t>(
        (((n * blocks + c / block) * dims[2] + h) * dims[3] + w) * block + c % block);
}

// The position of an element of filters [K, C, R, S]. Blocks are of inputs by outputs.
std::size_t offset(FilterOrder order, const Dims& dims, std::int64_t k, std::int64_t c,
                   std::int64_t r, std::int64_t s) {
    const std::int64_t block = block_of(order);
    const std::int64_t blocks = rounded_up(dims[1], block) / block;
    return static_cast<std::size_t>(
        ((((k / block * blocks + c / block) * dims[2] + r) * dims[3] + s) * block + c % block) *
            block +
        k % block);
}

std::size_t stored(ImageOrder order, const Dims& dims) {
    return static_cast<std::size_t>(dims[0] * rounded_up(dims[1], block_of(order)) * dims[2] *
                                    dims[3]);
}

std::size_t stored(FilterOrder order, const Dims& dims) {
    const std::int64_t block = block_of(order);
    return static_cast<std::size_t>(rounded_up(dims[0], block) * rounded_up(dims[1], block) *
                                    dims[2] * dims[3]);
}

class PlainConvolution : public cpu::PreparedConvolution {
public:
    PlainConvolution(ConvolutionProblem problem, OperandOrders orders, Bytes workspace)
        : problem_(std::move(problem)), orders_(orders), workspace_(workspace) {}

    std::string implementation() const override { return "test:loops"; }
    OperandOrders orders() const override { return orders_; }
    Bytes workspace() const override { return workspace_; }
    Operations operations() const override { return {.multiply_adds = 1}; }

    void run(const ConvolutionOperands& at, std::byte* workspace) const override {
        if (reinterpret_cast<std::uintptr_t>(workspace) % 4096 != 0) {
            throw std::logic_error("the workspace begins at a page");
        }
        std::memset(workspace, 0x7f, static_cast<std::size_t>(workspace_.value));
        clear_results(at);
        for_each_product([&](std::size_t x, std::size_t weight, std::size_t y) {
            switch (problem_.pass) {
                case Pass::forward:
                    at.y[y] += at.x[x] * at.weight[weight];
                    break;
                case Pass::backward_data:
                    at.x[x] += at.y[y] * at.weight[weight];
                    break;
                default:
                    at.weight[weight] += at.x[x] * at.y[y];
                    break;
            }
        });
        add_bias(at);
    }

private:
    void clear_results(const ConvolutionOperands& at) const {
        switch (problem_.pass) {
            case Pass::forward:
                std::fill_n(at.y, stored(orders_.y, problem_.y), 0.0F);
                break;
            case Pass::backward_data:
                std::fill_n(at.x, stored(orders_.x, problem_.x), 0.0F);
                break;
            default:
                std::fill_n(at.weight, stored(orders_.weight, problem_.weight), 0.0F);
                break;
        }
    }

    template <class Each>
    void for_each_position(const Each& each) const {
        const Dims& y = problem_.y;
        for (std::int64_t n = 0; n < y[0]; ++n) {
            for (std::int64_t k = 0; k < y[1]; ++k) {
                for (std::int64_t p = 0; p < y[2]; ++p) {
                    for (std::int64_t q = 0; q < y[3]; ++q) {
                        each(n, k, p, q);
                    }
                }
            }
        }
    }

    template <class Each>
    void for_each_product(const Each& each) const {
        const Dims& weight = problem_.weight;
        const std::int64_t of_group = problem_.y[1] / problem_.groups;
        for_each_position([&](auto n, auto k, auto p, auto q) {
            for (std::int64_t c = 0; c < weight[1]; ++c) {
                for (std::int64_t r = 0; r < weight[2]; ++r) {
                    for (std::int64_t s = 0; s < weight[3]; ++s) {
                        const std::int64_t h = along(0, p, r), w = along(1, q, s);
                        if (h >= 0 && h < problem_.x[2] && w >= 0 && w < problem_.x[3]) {
                            each(offset(orders_.x, problem_.x, n, k / of_group * weight[1] + c, h,
                                        w),
                                 offset(orders_.weight, weight, k, c, r, s),
                                 offset(orders_.y, problem_.y, n, k, p, q));
                        }
                    }
                }
            }
        });
    }

    // The input's position under an output's at this place of the window.
    std::int64_t along(std::size_t axis, std::int64_t position, std::int64_t place) const {
        const Window& window = problem_.window;
        return position * window.stride[axis] + place * window.dilation[axis] -
               window.pad_begin[axis];
    }

    void add_bias(const ConvolutionOperands& at) const {
        if (!problem_.bias) {
            return;
        }
        const bool is_forward = problem_.pass == Pass::forward;
        if (!is_forward) {
            std::fill_n(at.bias, problem_.y[1], 0.0F);
        }
        for_each_position([&](auto n, auto k, auto p, auto q) {
            float& y = at.y[offset(orders_.y, problem_.y, n, k, p, q)];
            (is_forward ? y : at.bias[k]) += is_forward ? at.bias[k] : y;
        });
    }

    ConvolutionProblem problem_;
    OperandOrders orders_;
    Bytes workspace_;
};

using Prepared = std::unique_ptr<cpu::PreparedConvolution>;

Prepared in_any_order(const ConvolutionProblem& problem, const OperandOrders& preferred) {
    return std::make_unique<PlainConvolution>(problem, preferred, Bytes{});
}

Prepared in_plain_orders(const ConvolutionProblem& problem, const OperandOrders&) {
    return std::make_unique<PlainConvolution>(problem, OperandOrders{}, Bytes{});
}

Prepared with_workspace(const ConvolutionProblem& problem, const OperandOrders& preferred) {
    return std::make_unique<PlainConvolution>(problem, preferred, Bytes{1024.0 * 1024.0});
}

void require_small_window(const ConvolutionProblem& problem) {
    if (problem.window.stride != Dims{1, 1}) {
        throw Refusal{fmt::format("stride {}: it needs stride 1", problem.window.stride[0])};
    }
    if (problem.window.kernel != Dims{3, 3}) {
        throw Refusal{fmt::format("window {0}x{0}: it needs 3x3", problem.window.kernel[0])};
    }
}

Prepared small_window(const ConvolutionProblem& problem, const OperandOrders& preferred) {
    require_small_window(problem);
    return in_any_order(problem, preferred);
}

Prepared small_window_in_nhwc(const ConvolutionProblem& problem, const OperandOrders&) {
    require_small_window(problem);
    return std::make_unique<PlainConvolution>(
        problem, OperandOrders{ImageOrder::nhwc, FilterOrder::oihw, ImageOrder::nhwc}, Bytes{});
}

constexpr std::array<cpu::ConvolutionMethod, 5> methods = {
    {{"gemm", in_any_order},
     {"implicit-gemm", in_plain_orders},
     {"fft", with_workspace},
     {"winograd-2x2-3x3", small_window},
     {"winograd-4x4-3x3", small_window_in_nhwc}}};

}  // namespace

std::span<const cpu::ConvolutionMethod> plain_methods() {
    return methods;
}

}  // namespace strata::testing
