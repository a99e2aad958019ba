// SPDX-License-Identifier: MIT
#include "op/convention/published.h"

#include "op/rules.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

namespace {

// Operators whose multiply-adds all belong to products. Attention has one more per score in its
// backward pass.
bool is_product(const Op& op) {
    return std::holds_alternative<Convolution>(op) ||
           std::holds_alternative<TransposedConvolution>(op) ||
           std::holds_alternative<FullyConnected>(op) || std::holds_alternative<MatMul>(op);
}

// Each weight of a recurrent cell is used once for every position of the sequence; the gates'
// element-wise arithmetic is left out.
double recurrent_products(const Signature& signature) {
    const Dims& x = signature.inputs[0].tensor.dims;
    double weights = 0;
    for (const Operand& operand : signature.inputs) {
        const bool weight = operand.role == Role::parameter && operand.tensor.dims.size() == 2;
        weights += weight ? count_of(operand.tensor) : 0;
    }
    return static_cast<double>(x[0]) * static_cast<double>(x[1]) * weights;
}

// Two products forward; each has two gradients.
double attention_products(const Op& op, const Signature& signature, Pass pass) {
    const double forward = work_of(op, signature, Pass::forward).operations.multiply_adds;
    return pass == Pass::forward ? forward : 2 * forward;
}

double products_of(const Op& op, const Signature& signature, Pass pass) {
    if (is_product(op)) {
        return work_of(op, signature, pass).operations.multiply_adds;
    }
    if (std::holds_alternative<Recurrent>(op)) {
        return recurrent_products(signature);
    }
    if (std::holds_alternative<Attention>(op)) {
        return attention_products(op, signature, pass);
    }
    return 0;
}

}  // namespace

bool products_only(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const bool counts = pass != Pass::update && has_pass(op, signature, pass);
    flops = Flops{counts ? 2 * products_of(op, signature, pass) : 0};
    return true;
}

namespace {

double convolution_table(const ConvolutionExtents& convolution) {
    const double sums = convolution.outputs() * convolution.channels;
    return (2 * convolution.taps + 1) * sums +
           convolution.images * convolution.groups * convolution.channels * convolution.positions;
}

double pooling_table(const Pooling& pooling, const Signature& signature) {
    double window = 1;
    for (const std::int64_t extent : window_of(pooling, signature.inputs[0].tensor).kernel) {
        window *= static_cast<double>(extent);
    }
    return window * count_of(signature.outputs[0]);
}

}  // namespace

bool levinthal_resnet(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const auto convolution = convolution_extents(op, signature);
    if (pass != Pass::forward || !convolution) {
        return false;
    }
    flops = Flops{(2 * convolution->taps + 1) * convolution->outputs() * convolution->channels};
    return true;
}

bool levinthal_table(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    if (pass != Pass::forward) {
        return false;
    }
    if (const auto convolution = convolution_extents(op, signature)) {
        flops = Flops{convolution_table(*convolution)};
        return true;
    }
    if (const auto* pooling = std::get_if<Pooling>(&op)) {
        flops = Flops{pooling_table(*pooling, signature)};
        return true;
    }
    return false;
}

namespace {

// The number of positions p in 0 ... positions - 1 with 0 <= p stride + offset < extent.
double positions_inside(std::int64_t positions, std::int64_t stride, std::int64_t offset,
                        std::int64_t extent) {
    const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
    const std::int64_t end = offset >= extent ? 0 : (extent - offset + stride - 1) / stride;
    return static_cast<double>(std::max<std::int64_t>(std::min(end, positions) - first, 0));
}

// Pairs of an output position and a tap inside the input, along one axis.
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

bool naive_softmax(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const auto* softmax = std::get_if<Softmax>(&op);
    if (softmax == nullptr || pass != Pass::forward) {
        return false;
    }
    const Tensor& y = signature.outputs[0];
    const auto rank = static_cast<std::int64_t>(y.dims.size());
    const std::int64_t axis = softmax->axis < 0 ? softmax->axis + rank : softmax->axis;
    flops = Flops{static_cast<double>(y.elements()) *
                  static_cast<double>(y.dims[static_cast<std::size_t>(axis)])};
    return true;
}

}  // namespace strata
