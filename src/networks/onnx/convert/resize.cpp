// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "networks/onnx/arrangement.h"
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/convert/converters.h"

#include <fmt/format.h>
#include <cmath>
#include <numeric>

namespace strata {

namespace {

constexpr double max_resized_extent = 1 << 30;

// The parameters of a Resize: the result's extents and how positions are mapped.
struct Target {
    Dims dims;
    Resize op;
};

Interpolation interpolation_of(std::string_view mode) {
    if (mode == "nearest") {
        return Interpolation::nearest;
    }
    if (mode == "linear" || mode == "bilinear") {
        return Interpolation::linear;
    }
    if (mode == "cubic") {
        return Interpolation::cubic;
    }
    throw Unsupported{fmt::format("mode '{}' is not supported", printable(mode))};
}

Coordinates coordinates_of(std::string_view mode) {
    if (mode == "half_pixel") {
        return Coordinates::half_pixel;
    }
    if (mode == "pytorch_half_pixel") {
        return Coordinates::pytorch_half_pixel;
    }
    if (mode == "asymmetric") {
        return Coordinates::asymmetric;
    }
    if (mode == "align_corners") {
        return Coordinates::align_corners;
    }
    throw Unsupported{fmt::format("coordinates '{}' are not supported", printable(mode))};
}

NearestRounding rounding_of(std::string_view mode) {
    if (mode == "round_prefer_floor") {
        return NearestRounding::half_down;
    }
    if (mode == "round_prefer_ceil") {
        return NearestRounding::half_up;
    }
    return mode == "ceil" ? NearestRounding::up : NearestRounding::down;
}

// The axes to which sizes and scales apply: all, unless some are named (opset 18).
Dims resized_axes(const NodeImport& node) {
    Dims axes = node.integers("axes");
    const std::size_t rank = node.input(0).dims.size();
    if (axes.empty()) {
        axes.resize(rank);
        std::iota(axes.begin(), axes.end(), 0);
    }
    for (std::int64_t& axis : axes) {
        axis = static_cast<std::int64_t>(axis_of(axis, rank));
    }
    return axes;
}

// An extent from a factor. Positions depend on the factor, so it must equal the ratio of the
// extents.
std::int64_t scaled(std::int64_t extent, double scale) {
    const double exact = static_cast<double>(extent) * scale;
    if (!(exact >= 1 && exact <= max_resized_extent)) {
        throw Unsupported{fmt::format("a scale of {} is out of range", scale)};
    }
    // An f32 factor such as 2/3 times 3 is not quite 2.
    const double result = std::floor(exact * (1 + 1e-6));
    if (std::abs(exact - result) > 1e-4 * result) {
        throw Unsupported{fmt::format("a scale of {} does not make a whole extent", scale)};
    }
    return static_cast<std::int64_t>(result);
}

Dims dims_by_scales(const NodeImport& node, std::size_t input) {
    const Constant& scales = node.known(input);
    const Dims axes = resized_axes(node);
    if (scales.tensor.elements() != std::ssize(axes)) {
        throw Error("it does not have one scale for each axis");
    }
    Dims dims = node.input(0).dims;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        std::int64_t& extent = dims[static_cast<std::size_t>(axes[i])];
        extent = scaled(extent, number_at(scales, static_cast<std::int64_t>(i)));
    }
    return dims;
}

Dims dims_by_sizes(const NodeImport& node) {
    if (node.text("keep_aspect_ratio_policy", "stretch") != "stretch") {
        throw Unsupported{"sizes that keep the aspect ratio are not supported"};
    }
    const Dims sizes = node.integers_of_input(3);
    const Dims axes = resized_axes(node);
    if (sizes.size() != axes.size()) {
        throw Error("it does not have one size for each axis");
    }
    Dims dims = node.input(0).dims;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (sizes[i] < 1 || static_cast<double>(sizes[i]) > max_resized_extent) {
            throw Unsupported{fmt::format("a size of {} is out of range", sizes[i])};
        }
        dims[static_cast<std::size_t>(axes[i])] = sizes[i];
    }
    return dims;
}

bool is_filled(const NodeImport& node, std::size_t i) {
    return node.has_input(i) && node.input(i).elements() > 0;
}

Target target_of(const NodeImport& node) {
    if (node.integer("antialias", 0) != 0 || node.integer("exclude_outside", 0) != 0) {
        throw Unsupported{"antialiasing and the exclusion of what is outside are not supported"};
    }
    Target target;
    target.op.interpolation = interpolation_of(node.text("mode", "nearest"));
    target.op.cubic_coefficient = node.number("cubic_coeff_a", -0.75);
    const bool is_old = node.opset() < 11 || node.node().op_type == "Upsample";
    if (is_old) {  // Upsample, and Resize before opset 11
        target.op.coordinates = Coordinates::asymmetric;
        target.op.rounding = NearestRounding::down;
        target.dims = dims_by_scales(node, 1);
        return target;
    }
    target.op.coordinates =
        coordinates_of(node.text("coordinate_transformation_mode", "half_pixel"));
    target.op.rounding = rounding_of(node.text("nearest_mode", "round_prefer_floor"));
    target.dims = is_filled(node, 3) ? dims_by_sizes(node) : dims_by_scales(node, 2);
    return target;
}

// Whether only the spatial axes of an image are resized.
bool is_spatial(const Dims& from, const Dims& to) {
    return from.size() >= 3 && from[0] == to[0] && from[1] == to[1];
}

// For other axes: those not resized are moved to the front as channels of one image.
void convert_any_axes(const NodeImport& node, const Target& target) {
    const Dims& dims = node.input(0).dims;
    Dims kept, changed;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        auto& group = dims[axis] == target.dims[axis] ? kept : changed;
        group.push_back(static_cast<std::int64_t>(axis));
    }
    Dims order = kept;
    order.insert(order.end(), changed.begin(), changed.end());
    Composition steps(node);
    const TensorId front = steps.transpose(node.operand(0), order);
    Dims image = {1, 1}, moved;
    for (const std::int64_t axis : kept) {
        image[1] *= dims[static_cast<std::size_t>(axis)];
        moved.push_back(dims[static_cast<std::size_t>(axis)]);
    }
    Resize op = target.op;
    for (const std::int64_t axis : changed) {
        image.push_back(dims[static_cast<std::size_t>(axis)]);
        op.sizes.push_back(target.dims[static_cast<std::size_t>(axis)]);
        moved.push_back(target.dims[static_cast<std::size_t>(axis)]);
    }
    const TensorId resized = steps.add(op, {steps.reshape(front, image)});
    Dims back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    node.result(Transpose{.permutation = back}, {steps.reshape(resized, moved)});
}

}  // namespace

void convert_resize(const NodeImport& node) {
    Target target = target_of(node);
    if (target.dims == node.input(0).dims) {
        node.result(Identity{}, {node.operand(0)});
        return;
    }
    if (!is_spatial(node.input(0).dims, target.dims)) {
        convert_any_axes(node, target);
        return;
    }
    target.op.sizes.assign(target.dims.begin() + 2, target.dims.end());
    node.result(target.op, {node.operand(0)});
}

}  // namespace strata
