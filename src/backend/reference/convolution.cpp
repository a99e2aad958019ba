// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/convolution_shape.h"
#include "backend/reference/matrix.h"
#include "backend/reference/operators.h"

#include <vector>

namespace strata {

namespace {

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

}  // namespace strata
