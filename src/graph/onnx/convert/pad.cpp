// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "graph/onnx/arrangement.h"
#include "graph/onnx/convert/converters.h"

#include <fmt/format.h>
#include <numeric>

namespace strata {

namespace {

PadKind kind_of(std::string_view mode) {
    if (mode == "constant") {
        return PadKind::constant;
    }
    if (mode == "reflect") {
        return PadKind::reflect;
    }
    if (mode == "edge") {
        return PadKind::edge;
    }
    throw Unsupported{fmt::format("mode '{}' is not known", printable(mode))};
}

// The axes that the pads are for: all, unless input 3 names some (opset 18).
Dims padded_axes(const NodeImport& node) {
    if (node.has_input(3)) {
        return node.integers_of_input(3);
    }
    Dims axes(node.input(0).dims.size());
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

}  // namespace

void convert_pad(const NodeImport& node) {
    const std::size_t rank = node.input(0).dims.size();
    const Dims pads = node.has_input(1) ? node.integers_of_input(1) : node.integers("pads");
    const Dims axes = padded_axes(node);
    if (pads.size() != 2 * axes.size()) {
        throw Error(fmt::format("it has {} pads where {} axes need {}", pads.size(), axes.size(),
                                2 * axes.size()));
    }
    Pad pad{.begin = Dims(rank, 0),
            .end = Dims(rank, 0),
            .value = node.has_input(2) ? node.number_of_input(2) : node.number("value", 0),
            .kind = kind_of(node.text("mode", "constant"))};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = axis_of(axes[i], rank);
        pad.begin[axis] = pads[i];
        pad.end[axis] = pads[i + axes.size()];
    }
    node.result(std::move(pad), {node.operand(0)});
}

}  // namespace strata
