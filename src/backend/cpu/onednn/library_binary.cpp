// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/library_binary.h"

#include "backend/cpu/onednn/choose.h"

#include <string_view>

namespace strata::cpu {

namespace {

using dnnl::algorithm;

// The library's function of two operands; empty if it has none.
std::optional<algorithm> function_of(ElementwiseKind kind) {
    switch (kind) {
        case ElementwiseKind::add:
            return algorithm::binary_add;
        case ElementwiseKind::multiply:
            return algorithm::binary_mul;
        case ElementwiseKind::subtract:
            return algorithm::binary_sub;
        case ElementwiseKind::divide:
            return algorithm::binary_div;
        case ElementwiseKind::maximum:
            return algorithm::binary_max;
        case ElementwiseKind::minimum:
            return algorithm::binary_min;
        default:
            return std::nullopt;
    }
}

bool commutes(ElementwiseKind kind) {
    return kind != ElementwiseKind::subtract && kind != ElementwiseKind::divide;
}

bool has_result_shape(Lowering& lowering, const Layer& layer, std::size_t operand) {
    return lowering.extents(layer.inputs[operand]) == lowering.extents(layer.outputs[0]);
}

bool is_whole_number(Lowering& lowering, TensorId tensor) {
    return !is_floating(lowering.graph().tensors[tensor].tensor.dtype);
}

// In its present layout, except for a quotient of padded blocks.
TensorView whole_operand(Lowering& lowering, const Layer& layer, std::size_t which,
                         ElementwiseKind kind) {
    const TensorId operand = layer.inputs[which];
    const TensorView view = lowering.shaped_value(operand);
    const ElementType type = lowering.element_type(layer.outputs[0]);
    const bool fits = is_blocked(view.desc) && type_of(view.desc) == type &&
                      !(is_padded(view.desc) && kind == ElementwiseKind::divide);
    return fits ? view : lowering.plain_value(operand, type);
}

// Extended to the result's rank, in a layout like the other operand's.
Desc other_operand(Lowering& lowering, TensorId operand, const Desc& like) {
    auto dims = lowering.extents(operand);
    dims.insert(dims.begin(), dims_of(like).size() - dims.size(), 1);
    return dims == dims_of(like) ? like : alike(like, dims, type_of(like));
}

}  // namespace

std::optional<LibraryBinary> LibraryBinary::of(Lowering& lowering, const Layer& layer,
                                               ElementwiseKind kind) {
    const auto function = function_of(kind);
    const std::size_t whole = has_result_shape(lowering, layer, 0) ? 0 : 1;
    if (!function || layer.inputs.size() != 2 || is_whole_number(lowering, layer.outputs[0]) ||
        !has_result_shape(lowering, layer, whole) || (whole == 1 && !commutes(kind))) {
        return std::nullopt;
    }
    TensorView left = whole_operand(lowering, layer, whole, kind);
    Desc right = other_operand(lowering, layer.inputs[1 - whole], left.desc);
    auto described = described_if_possible([&] {
        return describe<dnnl::binary>(lowering.context(), *function, left.desc, right, left.desc);
    });
    if (!described || std::string_view(described->impl_info_str()).starts_with("ref")) {
        return std::nullopt;
    }
    return LibraryBinary(std::move(*described), whole, std::move(left), std::move(right));
}

void LibraryBinary::forward(Lowering& lowering, const Layer& layer) const {
    const TensorView right = lowering.value(layer.inputs[1 - whole_], right_);
    const TensorView y = lowering.make_value(layer.outputs[0], left_.desc);
    lowering.compute<dnnl::binary>(
        described_, text_of(y.desc),
        {{DNNL_ARG_SRC_0, left_}, {DNNL_ARG_SRC_1, right}, {DNNL_ARG_DST, y}});
}

Call LibraryBinary::scaled_gradient(Lowering& lowering, const Layer& layer) const {
    const TensorView dy = lowering.gradient(layer.outputs[0], left_.desc);
    const TensorView other = lowering.value(layer.inputs[1 - whole_], right_);
    return lowering.call<dnnl::binary>(
        described_, {{DNNL_ARG_SRC_0, dy},
                     {DNNL_ARG_SRC_1, other},
                     {DNNL_ARG_DST, lowering.make_gradient(layer.inputs[whole_], left_.desc)}});
}

}  // namespace strata::cpu
