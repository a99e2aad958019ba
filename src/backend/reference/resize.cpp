// SPDX-License-Identifier: MIT
#include "op/resize.h"
#include "backend/parallel.h"
#include "backend/reference/operators.h"

#include <algorithm>
#include <vector>

namespace strata {

namespace {

using Index = std::int64_t;

struct ResizeShape {
    std::vector<InterpolationAxis> axes;
    Index planes = 0;  // images times channels
    Index inputs = 1;  // elements of a plane
    Index outputs = 1;
    Index taps = 1;  // inputs per output
};

ResizeShape shape_of(const Resize& op, const ReferenceOperands& operands) {
    const Dims& x = operands.input_dims(0);
    ResizeShape shape = {.axes = interpolation_axes(op, operands.signature.inputs[0].tensor),
                         .planes = x[0] * x[1]};
    for (const InterpolationAxis& axis : shape.axes) {
        shape.inputs *= axis.input;
        shape.outputs *= axis.output;
        shape.taps *= static_cast<Index>(axis.each);
    }
    return shape;
}

// Calls use(position, weight) for each input that contributes to output o of a plane.
template <class Use>
void for_each_tap(const ResizeShape& shape, Index o, Use&& use) {
    for (Index tap = 0; tap < shape.taps; ++tap) {
        Index output = o, rest = tap, position = 0, step = 1;
        double weight = 1;
        for (std::size_t i = shape.axes.size(); i-- > 0;) {
            const InterpolationAxis& axis = shape.axes[i];
            const auto each = static_cast<Index>(axis.each);
            const InterpolationTap& one =
                axis.taps[static_cast<std::size_t>(output % axis.output * each + rest % each)];
            output /= axis.output;
            rest /= each;
            position += one.position * step;
            step *= axis.input;
            weight *= one.weight;
        }
        use(position, weight);
    }
}

double operations_of(const ResizeShape& shape) {
    return static_cast<double>(shape.outputs * shape.taps);
}

}  // namespace

void reference_forward(const Resize& op, const ReferenceOperands& operands) {
    const ResizeShape shape = shape_of(op, operands);
    parallel_for(shape.planes, operations_of(shape), [&](Index plane) {
        const float* x = operands.inputs[0].data() + plane * shape.inputs;
        float* y = operands.outputs[0].data() + plane * shape.outputs;
        for (Index o = 0; o < shape.outputs; ++o) {
            double sum = 0;
            for_each_tap(shape, o, [&](Index at, double weight) {
                sum += weight * static_cast<double>(x[at]);
            });
            y[o] = static_cast<float>(sum);
        }
    });
}

void reference_backward(const Resize& op, const ReferenceOperands& operands) {
    const ResizeShape shape = shape_of(op, operands);
    parallel_for(shape.planes, operations_of(shape), [&](Index plane) {
        const float* dy = operands.output_gradients[0].data() + plane * shape.outputs;
        std::vector<double> sums(static_cast<std::size_t>(shape.inputs));
        for (Index o = 0; o < shape.outputs; ++o) {
            for_each_tap(shape, o, [&](Index at, double weight) {
                sums[static_cast<std::size_t>(at)] += weight * static_cast<double>(dy[o]);
            });
        }
        std::ranges::transform(sums, operands.input_gradients[0].data() + plane * shape.inputs,
                               [](double sum) { return static_cast<float>(sum); });
    });
}

}  // namespace strata
