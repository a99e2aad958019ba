// SPDX-License-Identifier: MIT
#include "networks/onnx/emit/emitters.h"

#include <algorithm>
#include <numeric>

namespace strata {

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

}  // namespace strata
