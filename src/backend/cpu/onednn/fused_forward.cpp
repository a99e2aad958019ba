// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/fused_forward.h"

namespace strata::cpu {

namespace {

// The sum is the first post-operation.
constexpr int sum_position = 0;

// A batch normalisation's operands.
constexpr std::size_t scale_operand = 1;
constexpr std::size_t shift_operand = 2;
constexpr std::size_t mean_operand = 3;
constexpr std::size_t variance_operand = 4;

Desc per_channel(Lowering& lowering, const Layer& layer) {
    return plain({lowering.extents(layer.inputs[1])[0]}, ElementType::f32);
}

const float* floats(void* address) {
    return static_cast<const float*>(address);
}

}  // namespace

FusedOperations::FusedOperations(Lowering& lowering, const Layer& layer,
                                 const std::vector<LayerId>& followers, const Desc& bias)
    : lowering_(lowering),
      layer_(layer),
      operations_(operations_of(lowering.graph(), layer, followers)),
      bias_(operations_.normalization != nullptr ? per_channel(lowering, layer) : bias) {}

std::optional<Desc> FusedOperations::layout_of_addend() const {
    if (!operations_.addend) {
        return std::nullopt;
    }
    const Desc desc = lowering_.shaped_value(*operations_.addend).desc;
    return type_of(desc) == lowering_.element_type() ? std::optional(desc) : std::nullopt;
}

std::vector<AddendPlace> FusedOperations::places() const {
    if (!operations_.addend) {
        return {AddendPlace::copied};
    }
    const TensorView addend = lowering_.shaped_value(*operations_.addend);
    return lowering_.may_replace(addend, *operations_.sum)
               ? std::vector{AddendPlace::replaced}
               : std::vector{AddendPlace::read, AddendPlace::copied};
}

dnnl::primitive_attr FusedOperations::attributes(AddendPlace place, const Desc& y) const {
    dnnl::post_ops after;
    if (operations_.addend && place == AddendPlace::read) {
        after.append_binary(dnnl::algorithm::binary_add, y);
    } else if (operations_.addend) {
        after.append_sum(1.0F);
    }
    if (operations_.relu) {
        append_relu(after);
    }
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    attributes.set_post_ops(after);
    return attributes;
}

FusedOperations::Operands FusedOperations::operands(AddendPlace place, const Desc& weights,
                                                    const Desc& y) {
    Operands operands;
    operands.arguments.emplace_back(DNNL_ARG_WEIGHTS, this->weights(weights));
    if (const auto bias = bias_value()) {
        operands.arguments.emplace_back(DNNL_ARG_BIAS, *bias);
    }
    const auto [result, addend] = place_result(place, y);
    operands.arguments.emplace_back(DNNL_ARG_DST, result);
    if (addend && place == AddendPlace::copied) {
        operands.before.push_back(lowering_.reorder_call(*addend, result));
    } else if (addend && place == AddendPlace::read) {
        operands.arguments.emplace_back(
            DNNL_ARG_ATTR_MULTIPLE_POST_OP(sum_position) | DNNL_ARG_SRC_1, *addend);
    }
    return operands;
}

TensorView FusedOperations::weights(const Desc& wanted) {
    return operations_.normalization != nullptr ? folded_weights(wanted)
                                                : lowering_.value(layer_.inputs[1], wanted);
}

std::optional<TensorView> FusedOperations::bias_value() {
    if (operations_.normalization != nullptr) {
        return folded_bias();
    }
    return layer_.inputs.size() > 2 ? std::optional(lowering_.value(layer_.inputs[2], bias_))
                                    : std::nullopt;
}

FusedOperations::Result FusedOperations::place_result(AddendPlace place, const Desc& y) {
    if (!operations_.addend) {
        return {lowering_.make_value(result(), y), {}};
    }
    const TensorView addend = lowering_.value(*operations_.addend, y);
    if (place == AddendPlace::replaced) {
        lowering_.share_value(result(), addend);
        lowering_.forget_value(*operations_.addend);
        return {addend, addend};
    }
    return {lowering_.make_value(result(), y), addend};
}

TensorView FusedOperations::statistic(std::size_t operand) {
    const TensorId tensor = operations_.normalization->inputs[operand];
    return lowering_.plain_value(tensor, ElementType::f32);
}

// Scaled in f32, so that narrow weights are rounded only once.
TensorView FusedOperations::folded_weights(const Desc& wanted) {
    const auto dims = dims_of(wanted);
    const TensorView given = lowering_.value(
        layer_.inputs[1], plain(lowering_.extents(layer_.inputs[1]), ElementType::f32));
    const TensorView scaled = lowering_.preparation_memory(plain(dims, ElementType::f32));
    const TensorView packed = lowering_.make_persistent(wanted);
    FoldedNormalization normalization = folded();
    const std::size_t each = elements_of(given.desc) / normalization.channels;
    lowering_.compute_once(KernelCall{
        [normalization, each](std::span<void* const> at) mutable {
            normalization.scale = floats(at[1]);
            normalization.variance = floats(at[2]);
            fold_into_weights(normalization, floats(at[0]), each, static_cast<float*>(at[3]));
        },
        {given, statistic(scale_operand), statistic(variance_operand), scaled}});
    lowering_.compute_once(lowering_.reorder_call(scaled, packed));
    return packed;
}

TensorView FusedOperations::folded_bias() {
    const TensorView shifted = lowering_.make_persistent(bias_);
    std::vector<TensorView> views = {statistic(scale_operand), statistic(shift_operand),
                                     statistic(mean_operand), statistic(variance_operand), shifted};
    if (layer_.inputs.size() > 2) {
        views.push_back(lowering_.value(layer_.inputs[2], bias_));
    }
    lowering_.compute_once(
        KernelCall{[normalization = folded()](std::span<void* const> at) mutable {
                       normalization.scale = floats(at[0]);
                       normalization.shift = floats(at[1]);
                       normalization.mean = floats(at[2]);
                       normalization.variance = floats(at[3]);
                       fold_into_bias(normalization, at.size() > 5 ? floats(at[5]) : nullptr,
                                      static_cast<float*>(at[4]));
                   },
                   std::move(views)});
    return shifted;
}

FoldedNormalization FusedOperations::folded() const {
    const auto& op = std::get<BatchNormalization>(operations_.normalization->op);
    return {.epsilon = op.epsilon, .channels = elements_of(bias_)};
}

}  // namespace strata::cpu
