// SPDX-License-Identifier: MIT
#include "networks/onnx/emit/emitters.h"

#include <array>

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

}  // namespace strata
