// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/convolution_shape.h"
#include "backend/reference/matrix.h"
#include "backend/reference/operators.h"

#include <algorithm>
#include <vector>

namespace strata {

namespace {

using Index = std::int64_t;

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
