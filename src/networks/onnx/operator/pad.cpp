// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/node/attributes.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>

namespace strata {

namespace {

constexpr std::int64_t max_pad = std::int64_t{1} << 40;

// In the order of PadKind.
constexpr std::array<std::string_view, 3> pad_modes = {"constant", "reflect", "edge"};

// The axes to which the pads apply: all, unless input 3 names some (opset 18).
Dims padded_axes(const NodeImport& node) {
    if (node.has_input(3)) {
        return node.integers_of_input(3);
    }
    Dims axes(node.input(0).dims.size());
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

// The pads that a Pad requests, by axis.
Pad pad_of(const NodeImport& node) {
    const std::size_t rank = node.input(0).dims.size();
    const Dims pads = node.has_input(1) ? node.integers_of_input(1) : node.integers("pads");
    const Dims axes = padded_axes(node);
    unsupported_if(
        std::ranges::any_of(pads, [](auto pad) { return pad < -max_pad || pad > max_pad; }),
        "its pads are out of range");
    if (pads.size() != 2 * axes.size()) {
        throw Error(fmt::format("it has {} pads where {} axes need {}", pads.size(), axes.size(),
                                2 * axes.size()));
    }
    Pad pad{.begin = Dims(rank, 0),
            .end = Dims(rank, 0),
            .value = node.has_input(2) ? node.number_of_input(2) : node.number("value", 0),
            .kind = kind_called<PadKind>(pad_modes, node.text("mode", "constant"), "mode")};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = axis_of(axes[i], rank);
        pad.begin[axis] = pads[i];
        pad.end[axis] = pads[i + axes.size()];
    }
    return pad;
}

// A negative pad cuts elements off; the remaining pads are positive.
std::optional<Slice> cut_by(Pad& pad, const Dims& dims) {
    Slice slice;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        const std::int64_t start = std::clamp(-pad.begin[axis], std::int64_t{0}, dims[axis]);
        const std::int64_t end = std::clamp(-pad.end[axis], std::int64_t{0}, dims[axis]);
        pad.begin[axis] = std::max<std::int64_t>(pad.begin[axis], 0);
        pad.end[axis] = std::max<std::int64_t>(pad.end[axis], 0);
        unsupported_if(start + end >= dims[axis], "its pads cut everything away");
        if (start + end > 0) {
            slice.axes.push_back(static_cast<std::int64_t>(axis));
            slice.starts.push_back(start);
            slice.extents.push_back(dims[axis] - start - end);
        }
    }
    return slice.axes.empty() ? std::nullopt : std::optional(slice);
}

void convert_pad(const NodeImport& node) {
    Pad pad = pad_of(node);
    const auto cut = cut_by(pad, node.input(0).dims);
    const TensorId x = cut ? node.add("cut", *cut, {node.operand(0)}) : node.operand(0);
    node.result(std::move(pad), {x});
}

void write_pad(const Pad& op, LayerWriter& to) {
    Dims pads = op.begin;
    pads.insert(pads.end(), op.end.begin(), op.end.end());
    std::vector<std::string> inputs = {to.in(0), to.integers(pads)};
    if (op.kind == PadKind::constant) {
        inputs.push_back(to.number(op.value, to.input(0).dtype));
    }
    to.last("Pad", inputs, {{"mode", name_among(pad_modes, op.kind)}});
}

KnownResults padded_or_cropped(const NodeImport& node) {
    Tensor y = node.input(0);
    const Dims wanted = sane_extents(node.integers_of_input(1));
    const Dims axes = node.integers("axes");
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::int64_t axis = axes.empty() ? static_cast<std::int64_t>(i) : axes.at(i);
        y.dims[axis_of(axis, y.dims.size())] = wanted[i];
    }
    return moved_result(std::move(y));
}

}  // namespace

OnnxRows pad_rows() {
    static constexpr std::array rows = {
        OnnxRow("CenterCropPad").shaped(padded_or_cropped),
        OnnxRow("Pad").in(convert_pad).out<write_pad>(),
    };
    return rows;
}

}  // namespace strata
