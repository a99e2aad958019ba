// SPDX-License-Identifier: MIT Products, elementwise functions, and operators that move elements.
#include "backend/peer/libtorch/operators.h"

namespace strata::libtorch {

namespace {

using Unary = at::Tensor (*)(const at::Tensor&);
using Binary = at::Tensor (*)(const at::Tensor&, const at::Tensor&);

// A layer of one operand whose function has no other arguments.
Operator of_one(Unary call) {
    return [call](const Tensors& x) -> Tensors { return {call(x[0])}; };
}

Operator fully_connected(const ToldLayer&, const Setting&) {
    return [](const Tensors& x) -> Tensors {
        return {at::linear(x[0].flatten(1), x[1], x.size() > 2 ? x[2] : at::Tensor())};
    };
}

Operator matmul(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    return [a_is_turned = a.flag("transpose_a"),
            b_is_turned = a.flag("transpose_b")](const Tensors& x) -> Tensors {
        return {at::matmul(a_is_turned ? x[0].mT() : x[0], b_is_turned ? x[1].mT() : x[1])};
    };
}

Operator embedding(const ToldLayer& layer, const Setting&) {
    return [rows = Attributes(layer.attributes).integer("rows")](const Tensors& x) -> Tensors {
        return {at::embedding(x[1], x[0].remainder(rows))};
    };
}

Operator dropout(const ToldLayer& layer, const Setting& setting) {
    if (setting.training && setting.scales.defined()) {
        return [scales = setting.scales](const Tensors& x) -> Tensors { return {x[0] * scales}; };
    }
    return [p = Attributes(layer.attributes).number("probability"), training = setting.training](
               const Tensors& x) -> Tensors { return {at::dropout(x[0], p, training)}; };
}

using Activation = at::Tensor (*)(const at::Tensor& x, double alpha, double beta);
const std::map<std::string_view, Activation> activations = {
    {"relu", [](const at::Tensor& x, double, double) { return at::relu(x); }},
    {"leaky_relu", [](const at::Tensor& x, double a, double) { return at::leaky_relu(x, a); }},
    {"clip", [](const at::Tensor& x, double a, double b) { return at::clamp(x, a, b); }},
    {"elu", [](const at::Tensor& x, double a, double) { return at::elu(x, a); }},
    {"sigmoid", [](const at::Tensor& x, double, double) { return at::sigmoid(x); }},
    {"hard_sigmoid",
     [](const at::Tensor& x, double a, double b) { return at::clamp(a * x + b, 0, 1); }},
    {"tanh", [](const at::Tensor& x, double, double) { return at::tanh(x); }},
    {"softplus", [](const at::Tensor& x, double, double) { return at::softplus(x); }},
    {"gelu", [](const at::Tensor& x, double, double) { return at::gelu(x); }},
    {"gelu_tanh", [](const at::Tensor& x, double, double) { return at::gelu(x, "tanh"); }},
    {"silu", [](const at::Tensor& x, double, double) { return at::silu(x); }},
    {"hard_swish", [](const at::Tensor& x, double, double) { return at::hardswish(x); }},
    {"mish", [](const at::Tensor& x, double, double) { return at::mish(x); }},
    {"softsign", [](const at::Tensor& x, double, double) { return x / (1 + x.abs()); }},
    {"selu", [](const at::Tensor& x, double, double) { return at::selu(x); }},
    {"celu", [](const at::Tensor& x, double a, double) { return at::celu(x, a); }},
};

Operator activation(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    return [call = chosen(activations, a.word("kind")), alpha = a.number("alpha"),
            beta = a.number("beta")](const Tensors& x) -> Tensors {
        return {call(x[0], alpha, beta)};
    };
}

Operator softmax(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    return
        [axis = a.integer("axis"), logarithm = a.flag("logarithm")](const Tensors& x) -> Tensors {
            return {logarithm ? at::log_softmax(x[0], axis) : at::softmax(x[0], axis)};
        };
}

Operator loss(const ToldLayer&, const Setting&) {
    return [](const Tensors& x) -> Tensors { return {at::cross_entropy_loss(x[0], x[1])}; };
}

// A single exponent is passed as a number, as a user writes it: PyTorch then squares instead of
// raising to a power.
at::Tensor power(const at::Tensor& x, const at::Tensor& y) {
    const bool is_number = y.numel() == 1 && y.dim() <= x.dim() && !y.requires_grad();
    return is_number ? at::pow(x, y.item()) : at::pow(x, y);
}

const std::map<std::string_view, Binary> folds = {
    {"add", [](const at::Tensor& x, const at::Tensor& y) { return at::add(x, y); }},
    {"multiply", [](const at::Tensor& x, const at::Tensor& y) { return at::mul(x, y); }},
    {"subtract", [](const at::Tensor& x, const at::Tensor& y) { return at::sub(x, y); }},
    {"divide", [](const at::Tensor& x, const at::Tensor& y) { return at::div(x, y); }},
    {"maximum", at::maximum},
    {"minimum", at::minimum},
    {"power", power},
    {"remainder", [](const at::Tensor& x, const at::Tensor& y) { return at::remainder(x, y); }},
    {"prelu", [](const at::Tensor& x, const at::Tensor& y) { return at::where(x > 0, x, x * y); }},
    {"equal", [](const at::Tensor& x, const at::Tensor& y) { return at::eq(x, y); }},
    {"less", [](const at::Tensor& x, const at::Tensor& y) { return at::lt(x, y); }},
    {"less_or_equal", [](const at::Tensor& x, const at::Tensor& y) { return at::le(x, y); }},
    {"greater", [](const at::Tensor& x, const at::Tensor& y) { return at::gt(x, y); }},
    {"greater_or_equal", [](const at::Tensor& x, const at::Tensor& y) { return at::ge(x, y); }},
    {"logical_and", at::logical_and},
    {"logical_or", at::logical_or},
    {"logical_xor", at::logical_xor},
};

Operator elementwise(const ToldLayer& layer, const Setting&) {
    return [call = chosen(folds, Attributes(layer.attributes).word("kind"))](
               const Tensors& x) -> Tensors {
        at::Tensor y = x[0];
        for (std::size_t i = 1; i < x.size(); ++i) {
            y = call(y, x[i]);
        }
        return {y};
    };
}

const std::map<std::string_view, Unary> unaries = {
    {"exponential", at::exp},
    {"logarithm", at::log},
    {"square_root", at::sqrt},
    {"reciprocal", at::reciprocal},
    {"negate", at::neg},
    {"absolute", at::abs},
    {"sign", at::sign},
    {"error_function", at::erf},
    {"floor", at::floor},
    {"ceil", at::ceil},
    {"round", [](const at::Tensor& x) { return at::round(x); }},
    {"sine", at::sin},
    {"cosine", at::cos},
    {"tangent", at::tan},
    {"arc_sine", at::asin},
    {"arc_cosine", at::acos},
    {"arc_tangent", at::atan},
    {"hyperbolic_sine", at::sinh},
    {"hyperbolic_cosine", at::cosh},
    {"logical_not", at::logical_not},
    {"is_nan", at::isnan},
    {"is_infinite", at::isinf},
};

Operator unary(const ToldLayer& layer, const Setting&) {
    return of_one(chosen(unaries, Attributes(layer.attributes).word("kind")));
}

using Reduce = at::Tensor (*)(const at::Tensor&, at::IntArrayRef, bool);
const std::map<std::string_view, Reduce> reductions = {
    {"sum",
     [](const at::Tensor& x, at::IntArrayRef axes, bool keep) { return at::sum(x, axes, keep); }},
    {"mean",
     [](const at::Tensor& x, at::IntArrayRef axes, bool keep) { return at::mean(x, axes, keep); }},
    {"maximum",
     [](const at::Tensor& x, at::IntArrayRef axes, bool keep) { return at::amax(x, axes, keep); }},
    {"minimum",
     [](const at::Tensor& x, at::IntArrayRef axes, bool keep) { return at::amin(x, axes, keep); }},
};

Operator reduction(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    return [call = chosen(reductions, a.word("kind")), axes = a.dims("axes"),
            keep = a.flag("keep_axes")](const Tensors& x) -> Tensors {
        Dims all = axes;
        for (std::int64_t axis = 0; axes.empty() && axis < x[0].dim(); ++axis) {
            all.push_back(axis);
        }
        return {call(x[0], all, keep)};
    };
}

Operator concat(const ToldLayer& layer, const Setting&) {
    return [axis = Attributes(layer.attributes).integer("axis")](const Tensors& x) -> Tensors {
        return {at::cat(x, axis)};
    };
}

Operator gather(const ToldLayer& layer, const Setting&) {
    return [axis = Attributes(layer.attributes).integer("axis"),
            dims = layer.result_dims[0]](const Tensors& x) -> Tensors {
        const at::Tensor at = x[1].flatten().remainder(x[0].size(axis));
        return {x[0].index_select(axis, at).reshape(dims)};
    };
}

Operator slice(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    return [axes = a.dims("axes"), starts = a.dims("starts"), extents = a.dims("extents"),
            steps = a.dims("steps")](const Tensors& x) -> Tensors {
        at::Tensor y = x[0];
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::int64_t step = steps.empty() ? 1 : steps[i];
            y = step == 1
                    ? y.narrow(axes[i], starts[i], extents[i])
                    : y.index_select(axes[i], at::arange(starts[i], starts[i] + extents[i] * step,
                                                         step, at::kLong));
        }
        return {y};
    };
}

Operator select(const ToldLayer&, const Setting&) {
    return [](const Tensors& x) -> Tensors { return {at::where(x[0] != 0, x[1], x[2])}; };
}

Operator reshape(const ToldLayer& layer, const Setting&) {
    return
        [dims = layer.result_dims[0]](const Tensors& x) -> Tensors { return {x[0].reshape(dims)}; };
}

Operator expand(const ToldLayer& layer, const Setting&) {
    return [dims = layer.result_dims[0]](const Tensors& x) -> Tensors {
        return {x[0].expand(dims).contiguous()};
    };
}

Operator transpose(const ToldLayer& layer, const Setting&) {
    return [axes = Attributes(layer.attributes).dims("permutation")](const Tensors& x) -> Tensors {
        return {x[0].permute(axes).contiguous()};
    };
}

Operator identity(const ToldLayer&, const Setting&) {
    return of_one([](const at::Tensor& x) { return x.clone(); });
}

}  // namespace

const OperatorList& plain_operators() {
    static const OperatorList list = {{"fully_connected", fully_connected},
                                      {"matmul", matmul},
                                      {"embedding", embedding},
                                      {"dropout", dropout},
                                      {"softmax", softmax},
                                      {"softmax_cross_entropy", loss},
                                      {"activation", activation},
                                      {"unary", unary},
                                      {"elementwise", elementwise},
                                      {"reduction", reduction},
                                      {"concat", concat},
                                      {"gather", gather},
                                      {"slice", slice},
                                      {"select", select},
                                      {"reshape", reshape},
                                      {"expand", expand},
                                      {"identity", identity},
                                      {"transpose", transpose}};
    return list;
}

Operator operator_of(const ToldLayer& layer, const Setting& setting) {
    for (const OperatorList* list : {&window_operators(), &block_operators(), &plain_operators()}) {
        if (const auto found = list->find(layer.type); found != list->end()) {
            return found->second(layer, setting);
        }
    }
    throw Refusal("the adapter of libtorch has no " + layer.kind);
}

}  // namespace strata::libtorch
