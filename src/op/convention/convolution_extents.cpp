// SPDX-License-Identifier: MIT
#include "op/convention/convolution_extents.h"

#include <algorithm>

namespace strata {

namespace {

Dims spatial_axes(const Tensor& tensor) {
    return {tensor.dims.begin() + 2, tensor.dims.end()};
}

double product_of(const Dims& extents) {
    double result = 1;
    for (const std::int64_t extent : extents) {
        result *= static_cast<double>(extent);
    }
    return result;
}

bool all_ones(const Dims& values) {
    return std::ranges::all_of(values, [](std::int64_t value) { return value == 1; });
}

}  // namespace

std::optional<ConvolutionExtents> convolution_extents(const Op& op, const Signature& signature) {
    const auto* convolution = std::get_if<Convolution>(&op);
    if (convolution == nullptr) {
        return {};
    }
    const Tensor& x = signature.inputs[0].tensor;
    const Tensor& y = signature.outputs[0];
    const auto groups = static_cast<double>(convolution->groups);
    ConvolutionExtents extents;
    extents.images = static_cast<double>(x.dims[0]);
    extents.groups = groups;
    extents.channels = static_cast<double>(x.dims[1]) / groups;
    extents.filters = static_cast<double>(y.dims[1]) / groups;
    extents.window = window_of(*convolution, x);
    extents.taps = product_of(extents.window.kernel);
    extents.input = spatial_axes(x);
    extents.output = spatial_axes(y);
    extents.positions = product_of(extents.output);
    return extents;
}

bool is_unit_square(const ConvolutionExtents& convolution) {
    const Window& window = convolution.window;
    return window.kernel.size() == 2 && window.kernel[0] == window.kernel[1] &&
           all_ones(window.stride) && all_ones(window.dilation);
}

}  // namespace strata
