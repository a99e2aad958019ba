// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/emit/emitters.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace strata {

namespace {

Dims joined(const Dims& begin, const Dims& end) {
    Dims both = begin;
    both.insert(both.end(), end.begin(), end.end());
    return both;
}

Dims filled(const Dims& list, std::size_t count, std::int64_t absent) {
    return list.empty() ? Dims(count, absent) : list;
}

std::int64_t flag(bool value) {
    return value ? 1 : 0;
}

}  // namespace

void emit(const Pooling& op, LayerWriter& to) {
    const bool is_max = op.kind == PoolingKind::max;
    if (op.global) {
        to.last(is_max ? "GlobalMaxPool" : "GlobalAveragePool", to.inputs());
        return;
    }
    const std::size_t axes = op.kernel.size();
    const Dims stride = filled(op.stride, axes, 1);
    const Dims dilation = filled(op.dilation, axes, 1);
    const Dims pads = joined(filled(op.pad_begin, axes, 0), filled(op.pad_end, axes, 0));
    if (is_max) {
        to.last("MaxPool", to.inputs(),
                {{"kernel_shape", op.kernel},
                 {"strides", stride},
                 {"dilations", dilation},
                 {"pads", pads},
                 {"ceil_mode", flag(op.ceil_mode)}});
        return;
    }
    to.last("AveragePool", to.inputs(),
            {{"kernel_shape", op.kernel},
             {"strides", stride},
             {"dilations", dilation},
             {"pads", pads},
             {"ceil_mode", flag(op.ceil_mode)},
             {"count_include_pad", flag(op.count_include_pad)}});
}

void emit(const Pad& op, LayerWriter& to) {
    constexpr std::array modes = {"constant", "reflect", "edge"};
    const std::string pads = to.integers(joined(op.begin, op.end));
    const std::string mode = modes.at(static_cast<std::size_t>(op.kind));
    if (op.kind == PadKind::constant) {
        to.last("Pad", {to.in(0), pads, to.number(op.value, to.input(0).dtype)}, {{"mode", mode}});
        return;
    }
    to.last("Pad", {to.in(0), pads}, {{"mode", mode}});
}

void emit(const Resize& op, LayerWriter& to) {
    constexpr std::array modes = {"nearest", "linear", "cubic"};
    constexpr std::array coordinates = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                        "align_corners"};
    constexpr std::array roundings = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
    const std::string sizes = to.integers(to.output().dims);
    to.last("Resize", {to.in(0), "", "", sizes},
            {{"mode", modes.at(static_cast<std::size_t>(op.interpolation))},
             {"coordinate_transformation_mode",
              coordinates.at(static_cast<std::size_t>(op.coordinates))},
             {"nearest_mode", roundings.at(static_cast<std::size_t>(op.rounding))},
             {"cubic_coeff_a", op.cubic_coefficient}});
}

void emit(const Reduction& op, LayerWriter& to) {
    constexpr std::array names = {"ReduceSum",    "ReduceMean",      "ReduceMax", "ReduceMin",
                                  "ReduceProd",   "ReduceSumSquare", "ReduceL1",  "ReduceL2",
                                  "ReduceLogSum", "ReduceLogSumExp"};
    std::vector<std::string> inputs = to.inputs();
    if (!op.axes.empty()) {
        inputs.push_back(to.integers(op.axes));
    }
    to.last(names.at(static_cast<std::size_t>(op.kind)), inputs,
            {{"keepdims", flag(op.keep_axes)}});
}

void emit(const TopK& op, LayerWriter& to) {
    to.last("TopK", {to.in(0), to.integers({op.k})},
            {{"axis", op.axis}, {"largest", flag(op.largest)}});
}

namespace {

// An operator's attribute list with all values: an empty list means `absent` everywhere.
Dims spelt_out(const Dims& list, std::size_t count, std::int64_t absent) {
    return list.empty() ? Dims(count, absent) : list;
}

Dims pads_of(const Dims& begin, const Dims& end, std::size_t axes) {
    Dims pads = spelt_out(begin, axes, 0);
    const Dims behind = spelt_out(end, axes, 0);
    pads.insert(pads.end(), behind.begin(), behind.end());
    return pads;
}

// The last two axes swapped.
std::string turned(LayerWriter& to, std::size_t i) {
    Dims order(to.input(i).dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return to.step("Transpose", {to.in(i)}, {{"perm", order}});
}

}  // namespace

void emit(const Convolution& op, LayerWriter& to) {
    const std::size_t axes = op.kernel.size();
    to.last("Conv", to.inputs(),
            {{"kernel_shape", op.kernel},
             {"strides", spelt_out(op.stride, axes, 1)},
             {"dilations", spelt_out(op.dilation, axes, 1)},
             {"pads", pads_of(op.pad_begin, op.pad_end, axes)},
             {"group", op.groups}});
}

void emit(const TransposedConvolution& op, LayerWriter& to) {
    const std::size_t axes = op.kernel.size();
    to.last("ConvTranspose", to.inputs(),
            {{"kernel_shape", op.kernel},
             {"strides", spelt_out(op.stride, axes, 1)},
             {"dilations", spelt_out(op.dilation, axes, 1)},
             {"pads", pads_of(op.pad_begin, op.pad_end, axes)},
             {"output_padding", spelt_out(op.output_pad, axes, 0)},
             {"group", op.groups}});
}

void emit(const FullyConnected&, LayerWriter& to) {
    std::vector<std::string> inputs = to.inputs();
    if (to.input(0).dims.size() != 2) {
        inputs[0] = to.step("Flatten", {inputs[0]}, {{"axis", std::int64_t{1}}});
    }
    to.last("Gemm", inputs, {{"transB", std::int64_t{1}}});
}

void emit(const MatMul& op, LayerWriter& to) {
    const std::string a = op.transpose_a ? turned(to, 0) : to.in(0);
    const std::string b = op.transpose_b ? turned(to, 1) : to.in(1);
    to.last("MatMul", {a, b});
}

void emit(const Embedding&, LayerWriter& to) {
    to.last("Gather", {to.in(1), to.in(0)}, {{"axis", std::int64_t{0}}});
}

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
