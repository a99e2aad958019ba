// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace strata {

namespace {

using Index = std::int64_t;

struct PoolingShape {
    SpatialWindow window;
    Index planes = 0;  // images times channels

    // For one plane, roughly.
    double operations() const {
        return static_cast<double>(window.output_positions() * window.taps());
    }
};

PoolingShape shape_of(const Pooling& op, const ReferenceOperands& operands) {
    const Dims& x = operands.input_dims(0);
    const Window window = window_of(op, operands.signature.inputs[0].tensor);
    return {spatial_window(window, x, operands.output_dims(0)), x[0] * x[1]};
}

// Calls use(position) for every tap of output `o` inside the input, in row-major order.
template <class Use>
void for_each_input(const SpatialWindow& window, Index o, Use&& use) {
    const auto& [depth, height, width] = window.axes;
    const Index ow = o % width.output, oh = o / width.output % height.output;
    const Index od = o / width.output / height.output;
    for (Index tap = 0; tap < window.taps(); ++tap) {
        const Index iw = width.position(ow, tap % width.kernel);
        const Index ih = height.position(oh, tap / width.kernel % height.kernel);
        const Index id = depth.position(od, tap / width.kernel / height.kernel);
        if (depth.inside(id) && height.inside(ih) && width.inside(iw)) {
            use((id * height.input + ih) * width.input + iw);
        }
    }
}

// The number of taps along one axis by which an average divides for output `o`.
Index counted(const WindowAxis& axis, Index o, bool include_pad) {
    Index count = 0;
    for (Index tap = 0; tap < axis.kernel; ++tap) {
        const Index at = axis.position(o, tap);
        count += (include_pad ? axis.inside_padded(at) : axis.inside(at)) ? 1 : 0;
    }
    return count;
}

double divisor(const SpatialWindow& window, Index o, bool include_pad) {
    const auto& [depth, height, width] = window.axes;
    const Index count = counted(width, o % width.output, include_pad) *
                        counted(height, o / width.output % height.output, include_pad) *
                        counted(depth, o / width.output / height.output, include_pad);
    return static_cast<double>(std::max<Index>(count, 1));
}

// The first largest element of the window; -1 if no tap is inside.
Index place_of_maximum(const SpatialWindow& window, const float* x, Index o) {
    Index best = -1;
    for_each_input(window, o, [&](Index at) {
        if (best < 0 || x[at] > x[best]) {
            best = at;
        }
    });
    return best;
}

float maximum(const SpatialWindow& window, const float* x, Index o) {
    const Index place = place_of_maximum(window, x, o);
    return place < 0 ? std::numeric_limits<float>::lowest() : x[place];
}

float average(const SpatialWindow& window, const float* x, Index o, bool include_pad) {
    double sum = 0;
    for_each_input(window, o, [&](Index at) { sum += x[at]; });
    return static_cast<float>(sum / divisor(window, o, include_pad));
}

void maximum_gradient(const SpatialWindow& window, const float* x, const float* dy,
                      std::span<double> sums) {
    for (Index o = 0; o < window.output_positions(); ++o) {
        const Index place = place_of_maximum(window, x, o);
        if (place >= 0) {
            sums[static_cast<std::size_t>(place)] += dy[o];
        }
    }
}

void average_gradient(const SpatialWindow& window, const float* dy, bool include_pad,
                      std::span<double> sums) {
    for (Index o = 0; o < window.output_positions(); ++o) {
        const double share = dy[o] / divisor(window, o, include_pad);
        for_each_input(window, o, [&](Index at) { sums[static_cast<std::size_t>(at)] += share; });
    }
}

}  // namespace

void reference_forward(const Pooling& op, const ReferenceOperands& operands) {
    const PoolingShape shape = shape_of(op, operands);
    const Index outputs = shape.window.output_positions();
    parallel_for(shape.planes, shape.operations(), [&](Index plane) {
        const float* x = operands.inputs[0].data() + plane * shape.window.input_positions();
        float* y = operands.outputs[0].data() + plane * outputs;
        for (Index o = 0; o < outputs; ++o) {
            y[o] = op.kind == PoolingKind::max ? maximum(shape.window, x, o)
                                               : average(shape.window, x, o, op.count_include_pad);
        }
    });
}

void reference_backward(const Pooling& op, const ReferenceOperands& operands) {
    const PoolingShape shape = shape_of(op, operands);
    const Index inputs = shape.window.input_positions();
    parallel_for(shape.planes, shape.operations(), [&](Index plane) {
        const float* x = operands.inputs[0].data() + plane * inputs;
        const float* dy =
            operands.output_gradients[0].data() + plane * shape.window.output_positions();
        std::vector<double> sums(static_cast<std::size_t>(inputs));
        if (op.kind == PoolingKind::max) {
            maximum_gradient(shape.window, x, dy, sums);
        } else {
            average_gradient(shape.window, dy, op.count_include_pad, sums);
        }
        std::ranges::transform(sums, operands.input_gradients[0].data() + plane * inputs,
                               [](double sum) { return static_cast<float>(sum); });
    });
}

}  // namespace strata
