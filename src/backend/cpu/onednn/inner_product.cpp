// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/inner_product.h"

#include "backend/cpu/onednn/choose.h"

#include <algorithm>

namespace strata::cpu {

namespace {

using Forward = dnnl::inner_product_forward;
using BackwardData = dnnl::inner_product_backward_data;
using BackwardWeights = dnnl::inner_product_backward_weights;

dnnl::memory::dim rows_of(const TensorView& view) {
    return dims_of(view.desc).front();
}

dnnl::primitive_attr attributes_of(Into into) {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (into == Into::add) {
        dnnl::post_ops further;
        further.append_sum(1.0F);
        attributes.set_post_ops(further);
    }
    return attributes;
}

}  // namespace

InnerProduct::Descs InnerProduct::descs_for(dnnl::memory::dim rows,
                                            const std::optional<TensorView>& bias) const {
    return {plain({rows, weight_.columns}, ElementType::f32),
            plain({rows, weight_.rows}, ElementType::f32), bias ? bias->desc : Desc()};
}

Desc InnerProduct::any_weight() const {
    const dnnl::memory::dims dims = {weight_.rows, weight_.columns};
    return weight_.is_whole() ? any_layout(dims, ElementType::f32) : plain(dims, ElementType::f32);
}

Desc InnerProduct::present_weight() {
    return weight_.is_whole() ? lowering_.value(weight_.tensor).desc : any_weight();
}

TensorView InnerProduct::weight_view(const Desc& desc) {
    if (weight_.is_whole()) {
        return lowering_.value(weight_.tensor, desc);
    }
    const TensorView whole = lowering_.plain_value(weight_.tensor, ElementType::f32);
    const auto skipped = static_cast<std::size_t>(weight_.first * weight_.columns);
    return {whole.buffer, desc, skipped * sizeof(float)};
}

Forward::primitive_desc InnerProduct::describe_forward(const Descs& descs, const Desc& weight,
                                                       Into into) const {
    return describe<Forward>(lowering_.engine(), attributes_of(into), lowering_.forward_kind(),
                             descs.x, weight, descs.bias, descs.y);
}

template <class Description>
void InnerProduct::note(const Description& described) {
    implementation_ = described.impl_info_str();
    workspace_ = std::max(workspace_, scratchpad_of(described));
}

Call InnerProduct::forward(const TensorView& x, const TensorView& y, Into into,
                           std::optional<TensorView> bias) {
    const Descs descs = descs_for(rows_of(x), bias);
    const auto described = describe_forward(descs, any_weight(), into);
    std::vector<std::pair<int, TensorView>> arguments = {
        {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, weight_view(described.weights_desc())}};
    if (bias) {
        arguments.emplace_back(DNNL_ARG_BIAS, *bias);
    }
    arguments.emplace_back(DNNL_ARG_DST, y);
    note(described);
    return lowering_.call<Forward>(described, std::move(arguments));
}

Call InnerProduct::backward_data(const TensorView& dy, const TensorView& dx) {
    const Descs descs = descs_for(rows_of(dy), {});
    const auto forward = describe_forward(descs, any_weight(), Into::overwrite);
    const auto described = prefer_layout(
        any_weight(), present_weight(),
        [&](const Desc& weight) {
            return describe_backward<BackwardData>(lowering_.engine(), lowering_.attributes(),
                                                   forward, descs.x, weight, descs.y);
        },
        [](const auto& candidate) { return candidate.weights_desc(); });
    note(described);
    return lowering_.call<BackwardData>(described,
                                        {{DNNL_ARG_DIFF_DST, dy},
                                         {DNNL_ARG_WEIGHTS, weight_view(described.weights_desc())},
                                         {DNNL_ARG_DIFF_SRC, dx}});
}

Call InnerProduct::backward_weights(const TensorView& x, const TensorView& dy,
                                    std::optional<TensorView> bias,
                                    std::optional<TensorView> whole_gradient) {
    const Descs descs = descs_for(rows_of(x), bias);
    const auto forward = describe_forward(descs, any_weight(), Into::overwrite);
    const auto described = prefer_layout(
        any_weight(), present_weight(),
        [&](const Desc& weight) {
            return describe_backward<BackwardWeights>(lowering_.engine(), lowering_.attributes(),
                                                      forward, descs.x, weight, descs.bias,
                                                      descs.y);
        },
        [](const auto& candidate) { return candidate.diff_weights_desc(); });
    const auto skipped = static_cast<std::size_t>(weight_.first * weight_.columns);
    const TensorView gradient =
        whole_gradient ? TensorView{whole_gradient->buffer, described.diff_weights_desc(),
                                    skipped * sizeof(float)}
                       : lowering_.make_gradient(weight_.tensor, described.diff_weights_desc());
    std::vector<std::pair<int, TensorView>> arguments = {
        {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, gradient}};
    if (bias) {
        arguments.emplace_back(DNNL_ARG_DIFF_BIAS, *bias);
    }
    note(described);
    return lowering_.call<BackwardWeights>(described, std::move(arguments));
}

Call with_views(const Call& call, const std::vector<std::pair<int, TensorView>>& views) {
    PrimitiveCall copy = std::get<PrimitiveCall>(call);
    for (const auto& [argument, view] : views) {
        for (auto& [existing, at] : copy.arguments) {
            if (existing == argument) {
                at = view;
            }
        }
    }
    return copy;
}

}  // namespace strata::cpu
