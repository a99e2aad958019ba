// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/emit/emitters.h"

#include <limits>

namespace strata {

void emit(const Concat& op, LayerWriter& to) {
    to.last("Concat", to.inputs(), {{"axis", op.axis}});
}

void emit(const Reshape& op, LayerWriter& to) {
    to.last("Reshape", {to.in(0), to.integers(op.dims)});
}

void emit(const Transpose& op, LayerWriter& to) {
    to.last("Transpose", to.inputs(), {{"perm", op.permutation}});
}

void emit(const Gather& op, LayerWriter& to) {
    to.last("Gather", to.inputs(), {{"axis", op.axis}});
}

// The end is exclusive; an end before the first element is expressed by a bound that is clamped to
// it.
void emit(const Slice& op, LayerWriter& to) {
    Dims ends, steps;
    for (std::size_t i = 0; i < op.axes.size(); ++i) {
        steps.push_back(op.steps.empty() ? 1 : op.steps[i]);
        const std::int64_t end = op.starts[i] + op.extents[i] * steps[i];
        ends.push_back(end < 0 ? std::numeric_limits<std::int64_t>::min() : end);
    }
    to.last("Slice", {to.in(0), to.integers(op.starts), to.integers(ends), to.integers(op.axes),
                      to.integers(steps)});
}

void emit(const Expand& op, LayerWriter& to) {
    to.last("Expand", {to.in(0), to.integers(op.dims)});
}

void emit(const Identity&, LayerWriter& to) {
    to.last("Identity", to.inputs());
}

void emit(const Opaque& op, LayerWriter&) {
    throw Error("an operator that is not supported here (" + op.foreign_type +
                ") cannot be exported; exclude the layer with --slice");
}

}  // namespace strata
