// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/inner_product.h"

#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/linear_matmul.h"

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
    return describe<Forward>({lowering_.engine(), attributes_of(into)}, lowering_.forward_kind(),
                             descs.x, weight, descs.bias, descs.y);
}

template <class Description>
void InnerProduct::note(const Description& described) {
    implementation_ = described.impl_info_str();
    workspace_ = std::max(workspace_, scratchpad_of(described));
}

std::optional<InnerProduct::MatMul> InnerProduct::matmul(
    LinearAlgorithm way, const std::function<MatMul(const Desc& weight)>& make) {
    refusal_.clear();
    if (way != LinearAlgorithm::matmul) {
        return {};
    }
    try {
        return weight_.is_whole() ? with_weight(lowering_, weight_.tensor, make)
                                  : checked(make(any_weight()));
    } catch (const Refusal& refused) {
        refusal_ = refused.reason;
    } catch (const dnnl::error& error) {
        refusal_ = library_refusal(error);
    }
    return {};
}

Call InnerProduct::forward(const TensorView& x, const TensorView& y, Into into,
                           std::optional<TensorView> bias, LinearAlgorithm way) {
    const Descs descs = descs_for(rows_of(x), bias);
    const Desc row = bias ? plain({1, weight_.rows}, ElementType::f32) : Desc();
    if (const auto product = matmul(way, [&](const Desc& weight) {
            return describe<dnnl::matmul>({lowering_.engine(), attributes_of(into)}, descs.x,
                                          transposed(weight), row, descs.y);
        })) {
        const Desc read = product->weights_desc();
        const TensorView weight = weight_view(transposed(read));
        Arguments arguments = {{DNNL_ARG_SRC, x},
                               {DNNL_ARG_WEIGHTS, {weight.buffer, read, weight.offset}},
                               {DNNL_ARG_DST, y}};
        if (bias) {
            arguments.emplace_back(DNNL_ARG_BIAS, TensorView{bias->buffer, row, bias->offset});
        }
        note(*product);
        return lowering_.call<dnnl::matmul>(*product, std::move(arguments));
    }
    auto described = describe_forward(descs, any_weight(), into);
    const Desc by_rows = plain({weight_.rows, weight_.columns}, ElementType::f32);
    const Desc by_columns = transposed(plain({weight_.columns, weight_.rows}, ElementType::f32));
    if (!lowering_.trains() && described.weights_desc() == by_columns &&
        shares_cache_sets(weight_.rows, described.impl_info_str())) {
        described = describe_forward(descs, by_rows, into);
    }
    Arguments arguments = {{DNNL_ARG_SRC, x},
                           {DNNL_ARG_WEIGHTS, weight_view(described.weights_desc())}};
    if (bias) {
        arguments.emplace_back(DNNL_ARG_BIAS, *bias);
    }
    arguments.emplace_back(DNNL_ARG_DST, y);
    note(described);
    return lowering_.call<Forward>(described, std::move(arguments));
}

Call InnerProduct::backward_data(const TensorView& dy, const TensorView& dx, LinearAlgorithm way) {
    const Descs descs = descs_for(rows_of(dy), {});
    if (const auto product = matmul(way, [&](const Desc& weight) {
            return describe<dnnl::matmul>(lowering_.context(), descs.y, weight, descs.x);
        })) {
        note(*product);
        return lowering_.call<dnnl::matmul>(
            *product, {{DNNL_ARG_SRC, dy},
                       {DNNL_ARG_WEIGHTS, weight_view(product->weights_desc())},
                       {DNNL_ARG_DST, dx}});
    }
    const auto forward = describe_forward(descs, any_weight(), Into::overwrite);
    const auto described = prefer_layout(
        any_weight(), present_weight(),
        [&](const Desc& weight) {
            return describe_backward<BackwardData>(lowering_.context(), forward, descs.x, weight,
                                                   descs.y);
        },
        [](const auto& candidate) { return candidate.weights_desc(); });
    note(described);
    return lowering_.call<BackwardData>(described,
                                        {{DNNL_ARG_DIFF_DST, dy},
                                         {DNNL_ARG_WEIGHTS, weight_view(described.weights_desc())},
                                         {DNNL_ARG_DIFF_SRC, dx}});
}

TensorView InnerProduct::gradient_view(const Desc& desc,
                                       const std::optional<TensorView>& whole_gradient) {
    const auto skipped = static_cast<std::size_t>(weight_.first * weight_.columns);
    return whole_gradient ? TensorView{whole_gradient->buffer, desc, skipped * sizeof(float)}
                          : lowering_.make_gradient(weight_.tensor, desc);
}

std::vector<Call> InnerProduct::backward_weights(const TensorView& x, const TensorView& dy,
                                                 std::optional<TensorView> bias,
                                                 LinearAlgorithm way,
                                                 std::optional<TensorView> whole_gradient) {
    const Descs descs = descs_for(rows_of(x), bias);
    const Desc dw = plain({weight_.rows, weight_.columns}, ElementType::f32);
    if (const auto product = matmul(way, [&](const Desc&) {
            return describe<dnnl::matmul>(lowering_.context(), transposed(descs.y), descs.x, dw);
        })) {
        note(*product);
        std::vector<Call> calls = {lowering_.call<dnnl::matmul>(
            *product, {{DNNL_ARG_SRC, {dy.buffer, transposed(descs.y), dy.offset}},
                       {DNNL_ARG_WEIGHTS, x},
                       {DNNL_ARG_DST, gradient_view(dw, whole_gradient)}})};
        if (bias) {
            calls.push_back(sum_of_rows({dy.buffer, descs.y, dy.offset}, *bias));
        }
        return calls;
    }
    const auto forward = describe_forward(descs, any_weight(), Into::overwrite);
    const auto described = prefer_layout(
        any_weight(), present_weight(),
        [&](const Desc& weight) {
            return describe_backward<BackwardWeights>(lowering_.context(), forward, descs.x, weight,
                                                      descs.bias, descs.y);
        },
        [](const auto& candidate) { return candidate.diff_weights_desc(); });
    const TensorView gradient = gradient_view(described.diff_weights_desc(), whole_gradient);
    Arguments arguments = {
        {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, gradient}};
    if (bias) {
        arguments.emplace_back(DNNL_ARG_DIFF_BIAS, *bias);
    }
    note(described);
    return {lowering_.call<BackwardWeights>(described, std::move(arguments))};
}

Call with_views(const Call& call, const Arguments& views) {
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
