// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/node/attributes.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

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

// In the order of the enumerations.
constexpr std::array<std::string_view, 3> interpolations = {"nearest", "linear", "cubic"};
constexpr std::array<std::string_view, 4> coordinate_modes = {"half_pixel", "pytorch_half_pixel",
                                                              "asymmetric", "align_corners"};
constexpr std::array<std::string_view, 4> roundings = {"round_prefer_floor", "round_prefer_ceil",
                                                       "floor", "ceil"};

Interpolation interpolation_of(std::string_view mode) {
    return mode == "bilinear" ? Interpolation::linear
                              : kind_called<Interpolation>(interpolations, mode, "mode");
}

Coordinates coordinates_of(std::string_view mode) {
    const auto found = std::ranges::find(coordinate_modes, mode);
    if (found == coordinate_modes.end()) {
        throw Unsupported{fmt::format("coordinates '{}' are not supported", printable(mode))};
    }
    return static_cast<Coordinates>(found - coordinate_modes.begin());
}

NearestRounding rounding_of(std::string_view mode) {
    const auto found = std::ranges::find(roundings, mode);
    return found == roundings.end() ? NearestRounding::down
                                    : static_cast<NearestRounding>(found - roundings.begin());
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
    // An f32 factor such as 2/3 times 3 is not exactly 2.
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
    unsupported_if(node.text("keep_aspect_ratio_policy", "stretch") != "stretch",
                   "sizes that keep the aspect ratio are not supported");
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
    unsupported_if(node.integer("antialias", 0) != 0 || node.integer("exclude_outside", 0) != 0,
                   "antialiasing and the exclusion of what is outside are not supported");
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

void convert_resize(const NodeImport& node) {
    Target target = target_of(node);
    if (target.dims == node.input(0).dims) {
        return node.result(Identity{}, {node.operand(0)});
    }
    if (!is_spatial(node.input(0).dims, target.dims)) {
        return convert_any_axes(node, target);
    }
    target.op.sizes.assign(target.dims.begin() + 2, target.dims.end());
    node.result(target.op, {node.operand(0)});
}

void write_resize(const Resize& op, LayerWriter& to) {
    const std::string sizes = to.integers(to.output().dims);
    to.last("Resize", {to.in(0), "", "", sizes},
            {{"mode", name_among(interpolations, op.interpolation)},
             {"coordinate_transformation_mode", name_among(coordinate_modes, op.coordinates)},
             {"nearest_mode", name_among(roundings, op.rounding)},
             {"cubic_coeff_a", op.cubic_coefficient}});
}

// The extents by sizes or scales, for all axes or those listed.
KnownResults resized(const NodeImport& node) {
    Tensor y = node.input(0);
    unsupported_if(node.text("keep_aspect_ratio_policy", "stretch") != "stretch",
                   "it keeps the aspect ratio");
    const Dims axes = node.integers("axes");
    const auto extent = [&](std::size_t i) -> std::int64_t& {
        const std::int64_t axis = axes.empty() ? static_cast<std::int64_t>(i) : axes.at(i);
        return y.dims[axis_of(axis, y.dims.size())];
    };
    if (node.has_input(3)) {
        const Dims sizes = node.integers_of_input(3);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            extent(i) = sizes[i];
        }
    } else {
        const Constant& scales = node.known(node.opset() < 11 ? 1 : 2);
        unsupported_if(!is_floating(scales.tensor.dtype), "its scales are not numbers");
        for (std::int64_t i = 0; i < std::min<std::int64_t>(scales.tensor.elements(), 64); ++i) {
            std::int64_t& scaled = extent(static_cast<std::size_t>(i));
            const double to = std::floor(static_cast<double>(scaled) * number_at(scales, i));
            scaled = to >= 0 && to < 1e15 ? static_cast<std::int64_t>(to) : -1;
        }
    }
    y.dims = sane_extents(y.dims);
    return uncounted_result(std::move(y));
}

}  // namespace

OnnxRows resize_rows() {
    static constexpr std::array rows = {
        OnnxRow("Resize").in_floating(convert_resize).shaped(resized).out<write_resize>(),
        OnnxRow("Upsample").in_floating(convert_resize).shaped(resized),
    };
    return rows;
}

}  // namespace strata
