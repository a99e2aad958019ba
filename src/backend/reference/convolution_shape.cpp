// SPDX-License-Identifier: MIT
#include "backend/reference/convolution_shape.h"

#include "backend/reference/matrix.h"

namespace strata {

ConvolutionShape shape_of(const Convolution& op, const ReferenceOperands& operands) {
    const Dims& x = operands.input_dims(0);
    const Dims& y = operands.output_dims(0);
    const Window window = window_of(op, operands.signature.inputs[0].tensor);
    return {spatial_window(window, x, y), x[0], op.groups, x[1] / op.groups, y[1] / op.groups};
}

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

}  // namespace strata
