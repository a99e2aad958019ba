// SPDX-License-Identifier: MIT
#include "backend/reference/matrix.h"
#include "backend/reference/operators.h"
#include "backend/reference/window.h"

#include <algorithm>
#include <vector>

// A convolution is, for every tap of the kernel, a matrix product over the channels:
//   y[output, k] += x[input(output, tap), c] * weight[tap, c, k]
// With channels innermost, the outputs of one row that see a tap are the rows of one such product.

namespace strata {

namespace {

using Index = std::int64_t;

struct Shape {
    SpatialWindow window;
    Index images = 0;
    Index groups = 0;
    Index in = 0;   // input channels of a group
    Index out = 0;  // output channels of a group

    Index in_channels() const { return groups * in; }
    Index out_channels() const { return groups * out; }
};

Shape shape_of(const Convolution& op, const ReferenceOperands& operands) {
    const Dims& x = operands.input_dims(0);
    const Dims& y = operands.output_dims(0);
    const Window window = window_of(op, operands.signature.inputs[0].tensor);
    return {spatial_window(window, x, y), x[0], op.groups, x[1] / op.groups, y[1] / op.groups};
}

// The outputs [first, last) of one row for which a tap lies inside the input, and the input
// position that the first of them reads.
struct TapRun {
    Index tap = 0;
    Index first = 0;
    Index last = 0;
    Index input = 0;

    Index length() const { return last - first; }
};

template <class Use>
void for_each_tap(const SpatialWindow& window, Index row, Use&& use) {
    const auto& [depth, height, width] = window.axes;
    for (Index tap = 0; tap < window.taps(); ++tap) {
        const Index kw = tap % width.kernel;
        const Index ih = height.position(row % height.output, tap / width.kernel % height.kernel);
        const Index id = depth.position(row / height.output, tap / width.kernel / height.kernel);
        const auto [first, last] = width.outputs_inside(kw);
        if (depth.inside(id) && height.inside(ih) && first < last) {
            const Index line = (id * height.input + ih) * width.input;
            use(TapRun{tap, first, last, line + width.position(first, kw)});
        }
    }
}

Index rows_of(const SpatialWindow& window) {
    return window.axes[0].output * window.axes[1].output;
}

// [images][channels][positions] as [images][positions][channels].
std::vector<float> channels_last(std::span<const float> values, Index images, Index channels) {
    const std::size_t image = values.size() / static_cast<std::size_t>(images);
    const auto count = static_cast<std::size_t>(channels);
    std::vector<float> result;
    result.reserve(values.size());
    for (std::size_t start = 0; start < values.size(); start += image) {
        const auto one = transposed(values.subspan(start, image), count, image / count);
        result.insert(result.end(), one.begin(), one.end());
    }
    return result;
}

// weight[groups * out][in][taps] as [groups][taps][out][in].
std::vector<float> weights_by_tap(const Shape& shape, std::span<const float> weight) {
    std::vector<float> result(weight.size());
    const Index taps = shape.window.taps();
    for (Index k = 0; k < shape.out_channels(); ++k) {
        for (Index c = 0; c < shape.in; ++c) {
            for (Index tap = 0; tap < taps; ++tap) {
                const Index to =
                    ((k / shape.out * taps + tap) * shape.out + k % shape.out) * shape.in + c;
                result[static_cast<std::size_t>(to)] =
                    weight[static_cast<std::size_t>((k * shape.in + c) * taps + tap)];
            }
        }
    }
    return result;
}

// The same as [groups][taps][in][out].
std::vector<float> weights_by_tap_outputs_last(const Shape& shape, std::span<const float> weight) {
    const auto by_tap = weights_by_tap(shape, weight);
    return channels_last(by_tap, shape.groups * shape.window.taps(), shape.out);
}

// One row of outputs of one image and group, [width][out].
std::vector<double> output_row(const Shape& shape, const float* x, const float* weight, Index row) {
    const WindowAxis& width = shape.window.axes[2];
    std::vector<double> sums(static_cast<std::size_t>(width.output * shape.out));
    for_each_tap(shape.window, row, [&](const TapRun& run) {
        multiply_accumulate(
            {run.length(), shape.out, shape.in},
            {x + run.input * shape.in_channels(), width.stride * shape.in_channels()},
            {weight + run.tap * shape.in * shape.out, shape.out},
            &sums[static_cast<std::size_t>(run.first * shape.out)], shape.out);
    });
    return sums;
}

void write_row(const Shape& shape, std::span<const double> sums, std::span<const float> bias,
               float* y) {
    const Index width = shape.window.axes[2].output;
    for (Index k = 0; k < shape.out; ++k) {
        const double start = bias.empty() ? 0.0 : bias[static_cast<std::size_t>(k)];
        for (Index o = 0; o < width; ++o) {
            y[k * shape.window.output_positions() + o] =
                static_cast<float>(start + sums[static_cast<std::size_t>(o * shape.out + k)]);
        }
    }
}

// The gradient of one image's input channels of one group, [positions][in].
std::vector<double> input_gradient(const Shape& shape, const float* dy, const float* weight) {
    const WindowAxis& width = shape.window.axes[2];
    std::vector<double> sums(static_cast<std::size_t>(shape.window.input_positions() * shape.in));
    for (Index row = 0; row < rows_of(shape.window); ++row) {
        for_each_tap(shape.window, row, [&](const TapRun& run) {
            const float* from = dy + (row * width.output + run.first) * shape.out_channels();
            multiply_accumulate({run.length(), shape.in, shape.out}, {from, shape.out_channels()},
                                {weight + run.tap * shape.out * shape.in, shape.in},
                                &sums[static_cast<std::size_t>(run.input * shape.in)],
                                width.stride * shape.in);
        });
    }
    return sums;
}

void write_input_gradient(const Shape& shape, std::span<const double> sums, float* dx) {
    const Index positions = shape.window.input_positions();
    for (Index c = 0; c < shape.in; ++c) {
        for (Index at = 0; at < positions; ++at) {
            dx[c * positions + at] =
                static_cast<float>(sums[static_cast<std::size_t>(at * shape.in + c)]);
        }
    }
}

void data_gradient(const Shape& shape, const ReferenceOperands& operands) {
    const auto dy = channels_last(operands.output_gradients[0], shape.images, shape.out_channels());
    const auto weight = weights_by_tap(shape, operands.inputs[1]);
    const Index y_image = shape.window.output_positions() * shape.out_channels();
    const Index x_group = shape.window.input_positions() * shape.in;
    const Index weight_group = shape.window.taps() * shape.in * shape.out;
#pragma omp parallel for collapse(2)
    for (Index n = 0; n < shape.images; ++n) {
        for (Index g = 0; g < shape.groups; ++g) {
            const auto sums = input_gradient(shape, &dy[0] + n * y_image + g * shape.out,
                                             &weight[0] + g * weight_group);
            write_input_gradient(
                shape, sums, operands.input_gradients[0].data() + (n * shape.groups + g) * x_group);
        }
    }
}

// Some consecutive input channels, the unit of parallel work of the weights' gradient.
struct ChannelBlock {
    Index group = 0;
    Index first = 0;
    Index count = 0;
};

std::vector<ChannelBlock> channel_blocks(const Shape& shape) {
    constexpr Index largest = 16;
    std::vector<ChannelBlock> blocks;
    for (Index g = 0; g < shape.groups; ++g) {
        for (Index c = 0; c < shape.in; c += largest) {
            blocks.push_back({g, c, std::min(largest, shape.in - c)});
        }
    }
    return blocks;
}

// The gradient of the weights that read some input channels, [taps][block.count][out].
std::vector<double> weight_gradient(const Shape& shape, const ChannelBlock& block, const float* x,
                                    const float* dy) {
    const WindowAxis& width = shape.window.axes[2];
    std::vector<double> sums(
        static_cast<std::size_t>(shape.window.taps() * block.count * shape.out));
    for (Index n = 0; n < shape.images; ++n) {
        for (Index row = 0; row < rows_of(shape.window); ++row) {
            for_each_tap(shape.window, row, [&](const TapRun& run) {
                const Index input = n * shape.window.input_positions() + run.input;
                const Index output =
                    n * shape.window.output_positions() + row * width.output + run.first;
                const StridedMatrix pixels = {x + input * shape.in_channels(),
                                              width.stride * shape.in_channels()};
                multiply_accumulate(
                    {block.count, shape.out, run.length()}, pixels.transposed(),
                    {dy + output * shape.out_channels(), shape.out_channels()},
                    &sums[static_cast<std::size_t>(run.tap * block.count * shape.out)], shape.out);
            });
        }
    }
    return sums;
}

void write_weight_gradient(const Shape& shape, const ChannelBlock& block,
                           std::span<const double> sums, std::span<float> dw) {
    const Index taps = shape.window.taps();
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto at = static_cast<Index>(i);
        const Index k = block.group * shape.out + at % shape.out;
        const Index c = block.first + at / shape.out % block.count;
        const Index tap = at / shape.out / block.count;
        dw[static_cast<std::size_t>((k * shape.in + c) * taps + tap)] = static_cast<float>(sums[i]);
    }
}

void weights_gradient(const Shape& shape, const ReferenceOperands& operands) {
    const auto x = channels_last(operands.inputs[0], shape.images, shape.in_channels());
    const auto dy = channels_last(operands.output_gradients[0], shape.images, shape.out_channels());
    const auto blocks = channel_blocks(shape);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto sums =
            weight_gradient(shape, blocks[i], &x[0] + blocks[i].group * shape.in + blocks[i].first,
                            &dy[0] + blocks[i].group * shape.out);
        write_weight_gradient(shape, blocks[i], sums, operands.input_gradients[1]);
    }
}

void bias_gradient(const Shape& shape, std::span<const float> dy, std::span<float> db) {
    const auto positions = static_cast<std::size_t>(shape.window.output_positions());
    std::vector<double> sums(db.size());
    for (std::size_t i = 0; i < dy.size(); ++i) {
        sums[i / positions % sums.size()] += dy[i];
    }
    std::ranges::transform(sums, db.begin(), [](double sum) { return static_cast<float>(sum); });
}

}  // namespace

void reference_forward(const Convolution& op, const ReferenceOperands& operands) {
    const Shape shape = shape_of(op, operands);
    const auto x = channels_last(operands.inputs[0], shape.images, shape.in_channels());
    const auto weight = weights_by_tap_outputs_last(shape, operands.inputs[1]);
    const Index rows = rows_of(shape.window), width = shape.window.axes[2].output;
    const Index x_image = shape.window.input_positions() * shape.in_channels();
    const Index weight_group = shape.window.taps() * shape.in * shape.out;
    const std::span bias = op.bias ? operands.inputs[2] : std::span<const float>();
#pragma omp parallel for collapse(3)
    for (Index n = 0; n < shape.images; ++n) {
        for (Index g = 0; g < shape.groups; ++g) {
            for (Index row = 0; row < rows; ++row) {
                const auto sums = output_row(shape, &x[0] + n * x_image + g * shape.in,
                                             &weight[0] + g * weight_group, row);
                const Index plane = (n * shape.groups + g) * shape.out;
                write_row(
                    shape, sums,
                    bias.empty() ? bias : bias.subspan(static_cast<std::size_t>(g * shape.out)),
                    operands.outputs[0].data() + plane * shape.window.output_positions() +
                        row * width);
            }
        }
    }
}

void reference_backward(const Convolution& op, const ReferenceOperands& operands) {
    const Shape shape = shape_of(op, operands);
    if (operands.wants_gradient(0)) {
        data_gradient(shape, operands);
    }
    if (operands.wants_gradient(1)) {
        weights_gradient(shape, operands);
    }
    if (op.bias && operands.wants_gradient(2)) {
        bias_gradient(shape, operands.output_gradients[0], operands.input_gradients[2]);
    }
}

}  // namespace strata
