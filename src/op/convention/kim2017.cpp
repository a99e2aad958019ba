// SPDX-License-Identifier: MIT
#include "op/convention/kim2017.h"

#include "op/convention/convolution_extents.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace strata {

namespace {

// The positions p of 0 ... positions - 1 at which 0 <= p stride + offset < extent.
double positions_inside(std::int64_t positions, std::int64_t stride, std::int64_t offset,
                        std::int64_t extent) {
    const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
    const std::int64_t end = offset >= extent ? 0 : (extent - offset + stride - 1) / stride;
    return static_cast<double>(std::max<std::int64_t>(std::min(end, positions) - first, 0));
}

// Pairs of an output position and a tap that meets the input, along one axis.
double pairs_inside(const ConvolutionExtents& convolution, std::size_t axis) {
    const Window& window = convolution.window;
    double pairs = 0;
    for (std::int64_t tap = 0; tap < window.kernel[axis]; ++tap) {
        const std::int64_t offset = tap * window.dilation[axis] - window.pad_begin[axis];
        pairs += positions_inside(convolution.output[axis], window.stride[axis], offset,
                                  convolution.input[axis]);
    }
    return pairs;
}

double channel_pairs(const ConvolutionExtents& convolution) {
    return convolution.images * convolution.groups * convolution.filters * convolution.channels;
}

// Tiles of 4x4 outputs that cover the plane.
double tiles_of(const ConvolutionExtents& convolution) {
    double tiles = 1;
    for (const std::int64_t extent : convolution.output) {
        tiles *= static_cast<double>((extent + 3) / 4);
    }
    return tiles;
}

// Side of the transformed plane.
double plane_of(const ConvolutionExtents& convolution) {
    const std::int64_t extent = std::ranges::max(convolution.input);
    const auto side = static_cast<std::uint64_t>(extent + convolution.window.kernel[0] - 1);
    return static_cast<double>(std::bit_ceil(side));
}

}  // namespace

bool taps_without_padding(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const auto convolution = convolution_extents(op, signature);
    if (!convolution || pass == Pass::update) {
        return false;
    }
    double products = channel_pairs(*convolution);
    for (std::size_t axis = 0; axis < convolution->output.size(); ++axis) {
        products *= pairs_inside(*convolution, axis);
    }
    flops = Flops{2 * products};
    return true;
}

bool winograd_domain(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const auto convolution = convolution_extents(op, signature);
    if (!convolution || pass != Pass::forward || !is_unit_square(*convolution)) {
        return false;
    }
    const std::int64_t kernel = convolution->window.kernel[0];
    if (kernel != 3 && kernel != 5) {
        return false;
    }
    const auto side = static_cast<double>(kernel + 3);
    flops = Flops{2 * side * side * tiles_of(*convolution) * channel_pairs(*convolution)};
    return true;
}

bool fft_domain(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const auto convolution = convolution_extents(op, signature);
    if (!convolution || pass != Pass::forward || !is_unit_square(*convolution)) {
        return false;
    }
    const double side = plane_of(*convolution);
    flops = Flops{8 * side * (side / 2 + 1) * channel_pairs(*convolution)};
    return true;
}

}  // namespace strata
