// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/linear_matmul.h"

#include "backend/cpu/kernels/reduction_loops.h"
#include "backend/cpu/onednn/choose.h"

namespace strata::cpu {

namespace {

Desc floats(dnnl::memory::dim rows, dnnl::memory::dim columns) {
    return plain({rows, columns}, ElementType::f32);
}

}  // namespace

dnnl::matmul::primitive_desc checked(dnnl::matmul::primitive_desc described) {
    if (runs_plain_loops(described)) {
        throw Refusal{"oneDNN has only plain loops for it"};
    }
    return described;
}

dnnl::matmul::primitive_desc with_weight(
    Lowering& lowering, TensorId weight,
    const std::function<dnnl::matmul::primitive_desc(const Desc& weight)>& make) {
    const auto extents = lowering.extents(weight);
    const dnnl::memory::dims dims = {extents[0], product(extents) / extents[0]};
    if (!lowering.trains()) {
        return checked(make(any_layout(dims, ElementType::f32)));
    }
    auto by_rows = checked(make(plain(dims, ElementType::f32)));
    if (lowering.is_placed(weight)) {
        const Desc present = lowering.value(weight).desc;
        const auto bound = described_if_possible([&] { return make(present); });
        if (bound && std::string_view(bound->impl_info_str()) == by_rows.impl_info_str()) {
            return *bound;
        }
    }
    return by_rows;
}

// An open layout has no axes to swap.
Desc transposed(const Desc& matrix) {
    const auto dims = dims_of(matrix);
    return is_any(matrix) ? any_layout({dims[1], dims[0]}, type_of(matrix))
                          : matrix.permute_axes({1, 0});
}

bool shares_cache_sets(dnnl::memory::dim floats, std::string_view implementation) {
    constexpr dnnl::memory::dim floats_of_2_kib = 512;
    return floats % floats_of_2_kib == 0 && implementation.find("gemm:jit") != std::string::npos;
}

Call sum_of_rows(const TensorView& dy, const TensorView& sum) {
    const auto dims = dims_of(dy.desc);
    return loop_call(reduce, {dy, sum}, ReductionKind::sum, ReductionPlan(dims, {1, dims[1]}));
}

LinearMatMul::LinearMatMul(Lowering& lowering, TensorId weight, std::optional<TensorId> bias,
                           dnnl::memory::dim rows)
    : lowering_(lowering), weight_(weight), bias_(bias), rows_(rows) {
    if (lowering.element_type() != ElementType::f32) {
        throw Refusal{"bf16: it computes in f32"};
    }
    const auto dims = lowering.extents(weight);
    outputs_ = dims[0];
    inputs_ = product(dims) / outputs_;
}

void LinearMatMul::forward(TensorId x, TensorId y, StepText text) const {
    const Desc bias = bias_ ? floats(1, outputs_) : Desc();
    const auto described = with_weight(lowering_, weight_, [&](const Desc& weight) {
        return describe<dnnl::matmul>(lowering_.context(), floats(rows_, inputs_),
                                      transposed(weight), bias, floats(rows_, outputs_));
    });
    const Desc read = described.weights_desc();
    const TensorView from = lowering_.value(x, described.src_desc());
    const TensorView weight = lowering_.value(weight_, transposed(read));
    Arguments arguments = {{DNNL_ARG_SRC, from},
                           {DNNL_ARG_WEIGHTS, {weight.buffer, read, weight.offset}}};
    if (bias_) {
        const TensorView row = lowering_.plain_value(*bias_, ElementType::f32);
        arguments.emplace_back(DNNL_ARG_BIAS, TensorView{row.buffer, bias, row.offset});
    }
    const TensorView to = lowering_.make_value(y, described.dst_desc());
    arguments.emplace_back(DNNL_ARG_DST, to);
    lowering_.compute<dnnl::matmul>(described, text_of(from.desc, to.desc), std::move(arguments),
                                    std::move(text.algorithm), std::move(text.choice));
}

void LinearMatMul::backward_data(TensorId dy_of, TensorId dx_of, StepText text) const {
    const auto described = with_weight(lowering_, weight_, [&](const Desc& weight) {
        return describe<dnnl::matmul>(lowering_.context(), floats(rows_, outputs_), weight,
                                      floats(rows_, inputs_));
    });
    const TensorView dy = lowering_.gradient(dy_of, described.src_desc());
    const TensorView weight = lowering_.value(weight_, described.weights_desc());
    const TensorView dx = lowering_.make_gradient(dx_of, described.dst_desc());
    lowering_.compute<dnnl::matmul>(
        described, text_of(dy.desc, dx.desc),
        {{DNNL_ARG_SRC, dy}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_DST, dx}},
        std::move(text.algorithm), std::move(text.choice));
}

void LinearMatMul::backward_weights(TensorId x_of, TensorId dy_of, StepText text) const {
    const Desc rows_of_x = floats(rows_, inputs_);
    const Desc rows_of_dy = floats(rows_, outputs_);
    const auto described = checked(describe<dnnl::matmul>(
        lowering_.context(), transposed(rows_of_dy), rows_of_x, floats(outputs_, inputs_)));
    const TensorView x = lowering_.value(x_of, rows_of_x);
    const TensorView dy = lowering_.gradient(dy_of, rows_of_dy);
    const TensorView dw = lowering_.make_gradient(weight_, described.dst_desc());
    std::vector<Call> calls = {lowering_.call<dnnl::matmul>(
        described, {{DNNL_ARG_SRC, {dy.buffer, transposed(rows_of_dy), dy.offset}},
                    {DNNL_ARG_WEIGHTS, x},
                    {DNNL_ARG_DST, dw}})};
    text.implementation = described.impl_info_str();
    if (bias_) {
        const Desc row = plain(lowering_.extents(*bias_), ElementType::f32);
        calls.push_back(sum_of_rows(dy, lowering_.make_gradient(*bias_, row)));
        text.implementation += " + strata:loops";
    }
    text.layout = text_of(x.desc, dy.desc);
    lowering_.compute(std::move(text), std::move(calls), scratchpad_of(described));
}

}  // namespace strata::cpu
