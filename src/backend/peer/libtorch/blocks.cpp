// SPDX-License-Identifier: MIT
// Normalisations, attention and recurrent layers.
#include "backend/peer/libtorch/operators.h"

#include <torch/nn/functional/normalization.h>

#include <limits>

namespace strata::libtorch {

namespace {

Operator batch_normalization(const ToldLayer& layer, const Setting& setting) {
    const Attributes a(layer.attributes);
    const bool is_spatial = a.word("scope") == "spatial";
    return [=, momentum = a.number("momentum"), epsilon = a.number("epsilon"),
            training = setting.training, verified = setting.verified](const Tensors& x) -> Tensors {
        const at::Tensor rows = is_spatial ? x[0] : x[0].flatten(1);
        at::Tensor mean = x[3].view(-1), variance = x[4].view(-1);
        const at::Tensor before = verified ? variance.clone() : at::Tensor();
        const at::Tensor y = at::batch_norm(rows, x[1].reshape(-1), x[2].reshape(-1), mean,
                                            variance, training, 1 - momentum, epsilon, false);
        if (verified &&
            training) {  // libtorch's running variance is the unbiased one, strata's the biased
            const at::NoGradGuard guard;
            const auto n = static_cast<double>(rows.numel() / rows.size(1));
            // Writes through another variable of the same memory, because autograd tracks this one.
            variance.variable_data().copy_(momentum * before +
                                           (variance - momentum * before) * ((n - 1) / n));
        }
        return {y.view_as(x[0])};
    };
}

Operator layer_normalization(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    return [axis = a.integer("axis"), has_scale = a.flag("scale"), has_shift = a.flag("shift"),
            epsilon = a.number("epsilon"),
            is_standard = a.word("kind") == "standard"](const Tensors& x) -> Tensors {
        const auto from = static_cast<std::size_t>(axis < 0 ? axis + x[0].dim() : axis);
        const auto over = x[0].sizes().slice(from);
        const at::Tensor scale = has_scale ? x[1] : at::Tensor();
        const at::Tensor shift = has_shift ? x.back() : at::Tensor();
        if (is_standard) {
            return {at::layer_norm(x[0], over, scale, shift, epsilon)};
        }
        const at::Tensor y = at::rms_norm(x[0], over, scale, epsilon);
        return {has_shift ? y + shift : y};
    };
}

Operator group_normalization(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    return
        [groups = a.integer("groups"), epsilon = a.number("epsilon")](const Tensors& x) -> Tensors {
            const bool is_affine = x.size() > 2;
            return {at::group_norm(x[0], groups > 0 ? groups : x[0].size(1),
                                   is_affine ? x[1] : at::Tensor(), is_affine ? x[2] : at::Tensor(),
                                   epsilon)};
        };
}

Operator lrn(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    const auto options = torch::nn::functional::LocalResponseNormFuncOptions(a.integer("size"))
                             .alpha(a.number("alpha"))
                             .beta(a.number("beta"))
                             .k(a.number("k"));
    return [options](const Tensors& x) -> Tensors {
        return {torch::nn::functional::local_response_norm(x[0], options)};
    };
}

Operator attention(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    const std::int64_t heads = a.integer("heads");
    const std::int64_t kv_heads = a.integer("kv_heads") > 0 ? a.integer("kv_heads") : heads;
    const double scale = a.number("scale");
    return [=, causal = a.flag("causal")](const Tensors& x) -> Tensors {
        const bool is_packed = x[0].dim() == 3;
        const auto split = [&](const at::Tensor& t, std::int64_t into) {
            return is_packed ? t.unflatten(2, {into, -1}).transpose(1, 2) : t;
        };
        const at::Tensor q = split(x[0], heads), k = split(x[1], kv_heads),
                         v = split(x[2], kv_heads);
        at::Tensor mask = x.size() > 3 ? x[3] : at::Tensor();
        const std::int64_t s = q.size(2), t = k.size(2);
        const bool by_kernel = causal && !mask.defined() && s == t;
        if (causal && !by_kernel) {
            const double lowest = -std::numeric_limits<double>::infinity();
            const at::Tensor hidden = at::full({s, t}, lowest, at::kFloat).triu(t - s + 1);
            mask = mask.defined() ? mask + hidden : hidden;
        }
        const at::Tensor y = at::scaled_dot_product_attention(
            q, k, v, mask.defined() ? std::optional(mask) : std::nullopt, 0.0, by_kernel,
            scale != 0 ? std::optional(scale) : std::nullopt, q.size(1) != k.size(1));
        return {is_packed ? y.transpose(1, 2).flatten(2) : y};
    };
}

// What is known about a recurrent layer before it runs.
struct Cells {
    explicit Cells(const Attributes& a)
        : kind(a.word("cell")),
          hidden(a.integer("hidden")),
          layers(a.integer("layers")),
          is_bidirectional(a.word("direction") == "bidirectional"),
          has_bias(a.flag("bias")),
          final_state(a.flag("final_state")) {}

    std::size_t count() const {
        return static_cast<std::size_t>(is_bidirectional ? 2 * layers : layers);
    }
    std::size_t operands_of_each() const { return has_bias ? 3 : 2; }

    std::string kind;
    std::int64_t hidden;
    std::int64_t layers;
    bool is_bidirectional;
    bool has_bias;
    bool final_state;
};

// The weights and two biases of each cell; strata's only bias is the first.
Tensors parameters_of(const Cells& cells, const Tensors& x, std::size_t first) {
    Tensors flat;
    for (std::size_t i = first; i < x.size(); i += cells.operands_of_each()) {
        flat.insert(flat.end(), {x[i], x[i + 1]});
        if (!cells.has_bias) {
            continue;
        }
        const at::Tensor& bias = x[i + 2];
        if (cells.kind == "gru") {  // the fourth block is added within the reset
            const std::int64_t h = cells.hidden;
            flat.push_back(bias.narrow(0, 0, 3 * h));
            flat.push_back(at::cat({at::zeros({2 * h}), bias.narrow(0, 3 * h, h)}));
        } else {
            flat.insert(flat.end(), {bias, at::zeros_like(bias)});
        }
    }
    return flat;
}

Tensors run_cells(const Cells& cells, const at::Tensor& x, const Tensors& states,
                  const Tensors& flat) {
    const bool train = at::GradMode::is_enabled();
    if (cells.kind == "lstm") {
        auto [y, h, c] = at::lstm(x, states, flat, cells.has_bias, cells.layers, 0.0, train,
                                  cells.is_bidirectional, false);
        return cells.final_state ? Tensors{y, h, c} : Tensors{y};
    }
    using Call =
        std::tuple<at::Tensor, at::Tensor> (*)(const at::Tensor&, const at::Tensor&, at::TensorList,
                                               bool, std::int64_t, double, bool, bool, bool);
    const Call call = cells.kind == "gru"        ? static_cast<Call>(at::gru)
                      : cells.kind == "rnn_tanh" ? static_cast<Call>(at::rnn_tanh)
                                                 : static_cast<Call>(at::rnn_relu);
    auto [y, h] = call(x, states[0], flat, cells.has_bias, cells.layers, 0.0, train,
                       cells.is_bidirectional, false);
    return cells.final_state ? Tensors{y, h} : Tensors{y};
}

Operator recurrent(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    if (a.word("direction") == "reverse") {
        throw Refusal("libtorch has no cell that only reads backward");
    }
    const Cells cells(a);
    if (cells.kind == "gru" && !a.flag("reset_after")) {
        throw Refusal("libtorch's GRU resets after its product; this one resets before");
    }
    return [cells](const Tensors& x) {
        const std::size_t first = x.size() - cells.count() * cells.operands_of_each();
        Tensors states(x.begin() + 1, x.begin() + static_cast<std::ptrdiff_t>(first));
        if (states.empty()) {
            const auto count = static_cast<std::int64_t>(cells.count());
            states.assign(2, at::zeros({count, x[0].size(1), cells.hidden}));
        }
        return run_cells(cells, x[0], states, parameters_of(cells, x, first));
    };
}

}  // namespace

at::Tensor rows_of_gru(const at::Tensor& value, std::int64_t hidden) {
    return at::cat({value.narrow(0, hidden, hidden), value.narrow(0, 0, hidden),
                    value.narrow(0, 2 * hidden, value.size(0) - 2 * hidden)});
}

const OperatorList& block_operators() {
    static const OperatorList list = {{"batch_normalization", batch_normalization},
                                      {"layer_normalization", layer_normalization},
                                      {"group_normalization", group_normalization},
                                      {"lrn", lrn},
                                      {"attention", attention},
                                      {"recurrent", recurrent}};
    return list;
}

}  // namespace strata::libtorch
