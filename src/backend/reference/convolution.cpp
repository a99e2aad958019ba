// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/matrix.h"
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>
#include <vector>

namespace strata {

namespace {

// A convolution is, for every tap of the kernel, a matrix product over the channels:
//   y[output, k] += x[input(output, tap), c] * weight[tap, c, k]
// With channels innermost, the outputs of one row that see a tap are the rows of one such product.

// A layer's extents.
struct ConvolutionShape {
    SpatialWindow window;
    std::int64_t images = 0;
    std::int64_t groups = 0;
    std::int64_t in = 0;   // input channels of a group
    std::int64_t out = 0;  // output channels of a group

    std::int64_t in_channels() const { return groups * in; }
    std::int64_t out_channels() const { return groups * out; }

    // Rows of outputs: every depth and height.
    std::int64_t rows() const { return window.axes[0].output * window.axes[1].output; }

    // Multiply-adds, including those on padding.
    double operations() const {
        return static_cast<double>(images * out_channels() * window.output_positions()) *
               static_cast<double>(in * window.taps());
    }
};

// The outputs [first, last) of one row for which a tap lies inside the input, and the input
// position that the first of them reads.
struct TapRun {
    std::int64_t tap = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t input = 0;

    std::int64_t length() const { return last - first; }
};

// Calls use(run) for every tap that some output of the row sees inside the input.
template <class Use>
void for_each_tap(const SpatialWindow& window, std::int64_t row, Use&& use) {
    const auto& [depth, height, width] = window.axes;
    for (std::int64_t tap = 0; tap < window.taps(); ++tap) {
        const auto kw = tap % width.kernel, kh = tap / width.kernel % height.kernel;
        const auto kd = tap / width.kernel / height.kernel;
        const auto ih = height.position(row % height.output, kh);
        const auto id = depth.position(row / height.output, kd);
        const auto [first, last] = width.outputs_inside(kw);
        if (depth.inside(id) && height.inside(ih) && first < last) {
            const std::int64_t line = (id * height.input + ih) * width.input;
            use(TapRun{tap, first, last, line + width.position(first, kw)});
        }
    }
}

ConvolutionShape shape_of(const Convolution& op, const ReferenceOperands& operands) {
    const Dims& x = operands.input_dims(0);
    const Dims& y = operands.output_dims(0);
    const Window window = window_of(op, operands.signature.inputs[0].tensor);
    return {spatial_window(window, x, y), x[0], op.groups, x[1] / op.groups, y[1] / op.groups};
}

// [images][channels][positions] as [images][positions][channels].
std::vector<float> channels_last(std::span<const float> values, std::int64_t images,
                                 std::int64_t channels) {
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
std::vector<float> weights_by_tap(const ConvolutionShape& shape, std::span<const float> weight) {
    std::vector<float> result(weight.size());
    const std::int64_t taps = shape.window.taps();
    for (std::int64_t k = 0; k < shape.out_channels(); ++k) {
        for (std::int64_t c = 0; c < shape.in; ++c) {
            for (std::int64_t tap = 0; tap < taps; ++tap) {
                const std::int64_t to =
                    ((k / shape.out * taps + tap) * shape.out + k % shape.out) * shape.in + c;
                result[static_cast<std::size_t>(to)] =
                    weight[static_cast<std::size_t>((k * shape.in + c) * taps + tap)];
            }
        }
    }
    return result;
}

using Index = std::int64_t;

// The same as [groups][taps][in][out].
std::vector<float> weights_outputs_last(const ConvolutionShape& shape,
                                        std::span<const float> weight) {
    const auto by_tap = weights_by_tap(shape, weight);
    return channels_last(by_tap, shape.groups * shape.window.taps(), shape.out);
}

// One row of outputs of one image and group, [width][out].
std::vector<double> output_row(const ConvolutionShape& shape, const float* x, const float* weight,
                               Index row) {
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

void write_row(const ConvolutionShape& shape, std::span<const double> sums, const float* bias,
               float* y) {
    const Index width = shape.window.axes[2].output;
    for (Index k = 0; k < shape.out; ++k) {
        const double start = bias ? bias[k] : 0.0;
        for (Index o = 0; o < width; ++o) {
            y[k * shape.window.output_positions() + o] =
                static_cast<float>(start + sums[static_cast<std::size_t>(o * shape.out + k)]);
        }
    }
}

}  // namespace

void reference_forward(const Convolution& op, const ReferenceOperands& operands) {
    const ConvolutionShape shape = shape_of(op, operands);
    const auto x = channels_last(operands.inputs[0], shape.images, shape.in_channels());
    const auto weight = weights_outputs_last(shape, operands.inputs[1]);
    const Index all_rows = shape.images * shape.groups * shape.rows();
    const double operations = shape.operations() / static_cast<double>(all_rows);
    parallel_for(all_rows, operations, [&](Index i) {
        const Index n = i / shape.rows() / shape.groups;
        const Index g = i / shape.rows() % shape.groups;
        const Index row = i % shape.rows();
        const float* image = &x[0] + n * shape.window.input_positions() * shape.in_channels();
        const float* group = &weight[0] + g * shape.window.taps() * shape.in * shape.out;
        const auto sums = output_row(shape, image + g * shape.in, group, row);
        const Index plane = (n * shape.groups + g) * shape.out;
        write_row(shape, sums, op.bias ? operands.inputs[2].data() + g * shape.out : nullptr,
                  operands.outputs[0].data() + plane * shape.window.output_positions() +
                      row * shape.window.axes[2].output);
    });
}

namespace {

// The gradient of one image's input channels of one group, [positions][in].
std::vector<double> input_gradient(const ConvolutionShape& shape, const float* dy,
                                   const float* weight) {
    const WindowAxis& width = shape.window.axes[2];
    std::vector<double> sums(static_cast<std::size_t>(shape.window.input_positions() * shape.in));
    for (Index row = 0; row < shape.rows(); ++row) {
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

void write_input_gradient(const ConvolutionShape& shape, std::span<const double> sums, float* dx) {
    const Index positions = shape.window.input_positions();
    for (Index c = 0; c < shape.in; ++c) {
        for (Index at = 0; at < positions; ++at) {
            dx[c * positions + at] =
                static_cast<float>(sums[static_cast<std::size_t>(at * shape.in + c)]);
        }
    }
}

void data_gradient(const ConvolutionShape& shape, const ReferenceOperands& operands) {
    const auto dy = channels_last(operands.output_gradients[0], shape.images, shape.out_channels());
    const auto weight = weights_by_tap(shape, operands.inputs[1]);
    const Index y_image = shape.window.output_positions() * shape.out_channels();
    const Index x_group = shape.window.input_positions() * shape.in;
    const Index weight_group = shape.window.taps() * shape.in * shape.out;
    const Index pieces = shape.images * shape.groups;
    parallel_for(pieces, shape.operations() / static_cast<double>(pieces), [&](Index i) {
        const Index n = i / shape.groups, g = i % shape.groups;
        const auto sums = input_gradient(shape, &dy[0] + n * y_image + g * shape.out,
                                         &weight[0] + g * weight_group);
        write_input_gradient(shape, sums, operands.input_gradients[0].data() + i * x_group);
    });
}

// A block of consecutive input channels, the unit of parallel work for the weights' gradient.
struct ChannelBlock {
    Index group = 0;
    Index first = 0;
    Index count = 0;
};

std::vector<ChannelBlock> channel_blocks(const ConvolutionShape& shape) {
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
std::vector<double> weight_gradient(const ConvolutionShape& shape, const ChannelBlock& block,
                                    const float* x, const float* dy) {
    const WindowAxis& width = shape.window.axes[2];
    std::vector<double> sums(
        static_cast<std::size_t>(shape.window.taps() * block.count * shape.out));
    for (Index n = 0; n < shape.images; ++n) {
        for (Index row = 0; row < shape.rows(); ++row) {
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

void write_weight_gradient(const ConvolutionShape& shape, const ChannelBlock& block,
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

void weights_gradient(const ConvolutionShape& shape, const ReferenceOperands& operands) {
    const auto x = channels_last(operands.inputs[0], shape.images, shape.in_channels());
    const auto dy = channels_last(operands.output_gradients[0], shape.images, shape.out_channels());
    const auto blocks = channel_blocks(shape);
    const double operations = shape.operations() / static_cast<double>(blocks.size());
    parallel_for(blocks.size(), operations, [&](std::size_t i) {
        const auto sums =
            weight_gradient(shape, blocks[i], &x[0] + blocks[i].group * shape.in + blocks[i].first,
                            &dy[0] + blocks[i].group * shape.out);
        write_weight_gradient(shape, blocks[i], sums, operands.input_gradients[1]);
    });
}

void bias_gradient(const ConvolutionShape& shape, std::span<const float> dy, std::span<float> db) {
    const auto positions = static_cast<std::size_t>(shape.window.output_positions());
    std::vector<double> sums(db.size());
    for (std::size_t i = 0; i < dy.size(); ++i) {
        sums[i / positions % sums.size()] += dy[i];
    }
    std::ranges::transform(sums, db.begin(), [](double sum) { return static_cast<float>(sum); });
}

}  // namespace

void reference_backward(const Convolution& op, const ReferenceOperands& operands) {
    const ConvolutionShape shape = shape_of(op, operands);
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
