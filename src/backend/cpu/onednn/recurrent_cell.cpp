// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/recurrent_cell.h"

#include "backend/cpu/onednn/linear_choice.h"
#include "backend/cpu/onednn/skinny_gemm.h"
#include "backend/cpu/onednn/view_calls.h"

#include <algorithm>

namespace strata::cpu {

namespace {

using Dim = dnnl::memory::dim;

Dim gates_of(CellKind cell) {
    switch (cell) {
        case CellKind::lstm:
            return 4;
        case CellKind::gru:
            return 3;
        default:
            return 1;
    }
}

void append(std::vector<Call>& calls, std::vector<Call> further) {
    std::ranges::move(further, std::back_inserter(calls));
}

WeightRows whole(TensorId tensor, Dim rows, Dim columns) {
    return {tensor, 0, rows, columns, rows};
}

}  // namespace

CellLowering::CellLowering(Lowering& lowering, const CellPlan& plan)
    : lowering_(lowering),
      plan_(plan),
      input_(lowering, whole(plan.weight_input, columns(), plan.width)),
      hidden_(lowering, whole(plan.weight_hidden, columns(), hidden())),
      hidden_zr_(lowering, {plan.weight_hidden, 0, 2 * hidden(), hidden(), columns()}),
      hidden_n_(lowering, {plan.weight_hidden, 2 * hidden(), hidden(), hidden(), columns()}) {}

std::string CellLowering::refusal() const {
    for (const InnerProduct* product : {&input_, &hidden_, &hidden_zr_, &hidden_n_}) {
        if (!product->refusal().empty()) {
            return product->refusal();
        }
    }
    return {};
}

LinearAlgorithm CellLowering::way(Pass pass) const {
    return asked_linear(lowering_, plan_.layer, pass).algorithm;
}

Dim CellLowering::columns() const {
    return gates_of(plan_.op.cell) * hidden();
}

StepShape CellLowering::shape() const {
    return {static_cast<std::size_t>(plan_.batch), static_cast<std::size_t>(hidden()),
            static_cast<std::size_t>(plan_.directions * hidden())};
}

Bytes CellLowering::workspace() const {
    return std::max(
        {input_.workspace(), hidden_.workspace(), hidden_zr_.workspace(), hidden_n_.workspace()});
}

TensorView CellLowering::dense(Dim rows, Dim columns) const {
    return lowering_.make_transient(plain({rows, columns}, ElementType::f32));
}

TensorView CellLowering::rows_of(const TensorView& matrix, Dim first, Dim count) {
    const Dim columns = dims_of(matrix.desc).back();
    return part_of(matrix, first * columns, {count, columns});
}

TensorView CellLowering::step_of(const TensorView& matrix, Dim time) const {
    return rows_of(matrix, time * plan_.batch, plan_.batch);
}

// A step's part of the layer's result or its gradient.
TensorView CellLowering::in_sequence(const TensorView& y, Dim time) const {
    const Dim row = plan_.directions * hidden();
    return part_of(y, time * plan_.batch * row + plan_.direction * hidden(), {1});
}

TensorView CellLowering::after(const TensorView& slots, Dim position, bool first_slot) const {
    const Dim time = time_of(position);
    return step_of(slots, !plan_.reverse && first_slot ? time + 1 : time);
}

TensorView CellLowering::before(const TensorView& slots, Dim position, bool first_slot) const {
    if (position > 0) {
        return after(slots, position - 1, first_slot);
    }
    return step_of(slots, plan_.reverse ? plan_.steps : 0);
}

std::optional<TensorView> CellLowering::dense_state(Dim position) const {
    return keeps_states() ? std::optional(after(*states_, position, has_first_slot()))
                          : std::nullopt;
}

// Sets the first states: the given ones, or zeros.
void CellLowering::begin_states(std::vector<Call>& calls) {
    const auto begin = [&](const TensorView& slots, const std::optional<TensorView>& given) {
        const TensorView first = before(slots, 0, true);
        calls.push_back(given ? copy_call(*given, first, units()) : clear_call(first, units()));
    };
    if (keeps_states()) {
        const Dim slots = plan_.steps + (has_first_slot() ? 1 : 0);
        states_ = dense(slots * plan_.batch, hidden());
    }
    if (has_first_slot()) {
        begin(*states_, plan_.first_h);
    }
    if (is_lstm()) {
        cells_ = dense((plan_.steps + 1) * plan_.batch, hidden());
        begin(*cells_, plan_.first_c);
    }
    if (is_gru()) {
        reset_ = dense(plan_.steps * plan_.batch, hidden());
        products_ = dense(plan_.batch, resets_before() ? 2 * hidden() : columns());
        products_n_ = dense(plan_.batch, hidden());
    }
}

void CellLowering::forward(const TensorView& x, const TensorView& y, std::vector<Call>& calls) {
    gates_ = dense(plan_.steps * plan_.batch, columns());
    std::optional<TensorView> bias;
    if (plan_.bias) {
        bias = part_of(lowering_.plain_value(*plan_.bias, ElementType::f32), 0, {columns()});
    }
    calls.push_back(input_.forward(x, *gates_, Into::overwrite, bias, way(Pass::forward)));
    begin_states(calls);
    if (!keeps_states()) {
        states_ = part_of(y, 0, {plan_.steps * plan_.batch, hidden()});
    }
    for (Dim position = 0; position < plan_.steps; ++position) {
        step(position, y, calls);
    }
}

void CellLowering::write_last_states(const CellStates& states, std::vector<Call>& calls) const {
    const auto& [h, c] = states;
    if (h) {
        const TensorView last = after(*states_, plan_.steps - 1, has_first_slot());
        calls.push_back(copy_call(last, *h, units()));
    }
    if (c && is_lstm()) {
        calls.push_back(copy_call(after(*cells_, plan_.steps - 1, true), *c, units()));
    }
}

void CellLowering::add_product(std::optional<Call>& prototype, InnerProduct& product,
                               const TensorView& x, const TensorView& y, Into into,
                               std::vector<Call>& calls) const {
    if (auto thin = SkinnyGemmLowering(lowering_, product.weight()).forward(x, y, into)) {
        return calls.push_back(std::move(*thin));
    }
    if (!prototype) {
        prototype = product.forward(x, y, into);
    }
    calls.push_back(with_views(*prototype, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}}));
}

void CellLowering::step(Dim position, const TensorView& y, std::vector<Call>& calls) {
    if (is_gru()) {
        return resets_before() ? gru_before_step(position, y, calls)
                               : gru_after_step(position, y, calls);
    }
    plain_step(position, y, calls);
}

namespace {

float* floats(void* at) {
    return static_cast<float*>(at);
}

StateOut state_out(std::span<void* const> at, std::size_t y, std::size_t h) {
    return {floats(at[y]), at.size() > h ? floats(at[h]) : nullptr};
}

Rectifier function_of(CellKind cell) {
    return cell == CellKind::rnn_relu ? Rectifier::relu : Rectifier::tanh;
}

void push(std::vector<TensorView>& views, const std::optional<TensorView>& further) {
    if (further) {
        views.push_back(*further);
    }
}

}  // namespace

// Without a first state, the first step has no product because its state is zero.
void CellLowering::plain_step(Dim position, const TensorView& y, std::vector<Call>& calls) {
    const TensorView gates = step_of(*gates_, time_of(position));
    if (position > 0 || has_first_slot()) {
        add_product(made_.hidden, hidden_, state_before(position), gates, Into::add, calls);
    }
    std::vector<TensorView> views = {gates, in_sequence(y, time_of(position))};
    if (is_lstm()) {
        views.push_back(before(*cells_, position, true));
        views.push_back(after(*cells_, position, true));
        push(views, dense_state(position));
        calls.push_back(KernelCall{[shape = shape()](std::span<void* const> at) {
                                       lstm_forward(shape, floats(at[0]), floats(at[2]),
                                                    floats(at[3]), state_out(at, 1, 4));
                                   },
                                   std::move(views)});
        return;
    }
    push(views, dense_state(position));
    calls.push_back(KernelCall{
        [shape = shape(), function = function_of(plan_.op.cell)](std::span<void* const> at) {
            rnn_forward(shape, function, floats(at[0]), state_out(at, 1, 2));
        },
        std::move(views)});
}

void CellLowering::gru_after_step(Dim position, const TensorView& y, std::vector<Call>& calls) {
    const TensorView h = state_before(position);
    add_product(made_.hidden, hidden_, h, *products_, Into::overwrite, calls);
    if (!plan_.bias && !no_bias_) {
        no_bias_ = lowering_.make_persistent(plain({hidden()}, ElementType::f32), {});
    }
    const TensorView bias =
        plan_.bias
            ? part_of(lowering_.plain_value(*plan_.bias, ElementType::f32), columns(), {hidden()})
            : *no_bias_;
    const Dim time = time_of(position);
    calls.push_back(KernelCall{[shape = shape()](std::span<void* const> at) {
                                   gru_after_forward(shape,
                                                     {floats(at[0]), floats(at[1]), floats(at[2]),
                                                      floats(at[3]), floats(at[4])},
                                                     state_out(at, 5, 6));
                               },
                               {step_of(*gates_, time), *products_, h, step_of(*reset_, time), bias,
                                in_sequence(y, time), *dense_state(position)}});
}

void CellLowering::gru_before_step(Dim position, const TensorView& y, std::vector<Call>& calls) {
    const Dim time = time_of(position);
    const TensorView h = state_before(position), gates = step_of(*gates_, time);
    const TensorView reset = step_of(*reset_, time);
    add_product(made_.zr, hidden_zr_, h, *products_, Into::overwrite, calls);
    calls.push_back(KernelCall{[shape = shape()](std::span<void* const> at) {
                                   gru_before_forward(shape,
                                                      {floats(at[0]), floats(at[1]), floats(at[2]),
                                                       floats(at[3]), nullptr});
                               },
                               {gates, *products_, h, reset}});
    add_product(made_.n, hidden_n_, reset, *products_n_, Into::overwrite, calls);
    calls.push_back(KernelCall{
        [shape = shape()](std::span<void* const> at) {
            gru_finish(shape, {floats(at[0]), floats(at[1]), floats(at[2]), nullptr, nullptr},
                       state_out(at, 3, 4));
        },
        {gates, *products_n_, h, in_sequence(y, time), *dense_state(position)}});
}

void CellLowering::add_gradient_product(std::optional<Call>& prototype, InnerProduct& product,
                                        const TensorView& dy, const TensorView& dx,
                                        std::vector<Call>& calls) const {
    constexpr Dim worth_a_transposed_copy = 4;  // in steps
    if (plan_.steps >= worth_a_transposed_copy) {
        if (auto thin = SkinnyGemmLowering(lowering_, product.weight()).backward_data(dy, dx)) {
            return calls.push_back(std::move(*thin));
        }
    }
    if (!prototype) {
        prototype = product.backward_data(dy, dx);
    }
    calls.push_back(with_views(*prototype, {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}}));
}

void CellLowering::through_time(const TensorView& dy, const CellStates& last,
                                const CellStates& first, std::vector<Call>& calls) {
    const auto begin = [&](std::optional<TensorView>& slot,
                           const std::optional<TensorView>& given) {
        slot = dense(plan_.batch, hidden());
        calls.push_back(given ? copy_call(*given, *slot, units()) : clear_call(*slot, units()));
    };
    begin(dh_, last.h);
    if (is_lstm()) {
        begin(dc_, last.c);
    }
    if (is_gru()) {
        begin(passed_, {});
        to_products_ = dense(plan_.steps * plan_.batch, resets_before() ? 2 * hidden() : columns());
    }
    if (resets_before()) {
        to_n_ = dense(plan_.steps * plan_.batch, hidden());
        to_reset_ = dense(plan_.batch, hidden());
    }
    for (Dim position = plan_.steps; position-- > 0;) {
        step_back(position, dy, position > 0 || first.h.has_value(), calls);
    }
    if (first.h) {
        calls.push_back(is_gru() ? add_call(*dh_, *passed_, *first.h, units())
                                 : copy_call(*dh_, *first.h, units()));
    }
    if (first.c && is_lstm()) {
        calls.push_back(copy_call(*dc_, *first.c, units()));
    }
}

// `has_predecessor`: an earlier step, or a first state's gradient, needs the state's gradient.
void CellLowering::step_back(Dim position, const TensorView& dy, bool has_predecessor,
                             std::vector<Call>& calls) {
    if (is_gru()) {
        return resets_before() ? gru_before_back(position, dy, has_predecessor, calls)
                               : gru_after_back(position, dy, has_predecessor, calls);
    }
    const TensorView gates = step_of(*gates_, time_of(position));
    const TensorView given = in_sequence(dy, time_of(position));
    if (is_lstm()) {
        calls.push_back(KernelCall{[shape = shape()](std::span<void* const> at) {
                                       lstm_backward(shape, floats(at[0]), floats(at[3]),
                                                     floats(at[4]), floats(at[5]),
                                                     {floats(at[1]), floats(at[2]), nullptr});
                                   },
                                   {gates, given, *dh_, before(*cells_, position, true),
                                    after(*cells_, position, true), *dc_}});
    } else {
        calls.push_back(KernelCall{
            [shape = shape(), function = function_of(plan_.op.cell)](std::span<void* const> at) {
                rnn_backward(shape, function, floats(at[0]),
                             {floats(at[1]), floats(at[2]), nullptr});
            },
            {gates, given, *dh_}});
    }
    if (has_predecessor) {
        add_gradient_product(made_.hidden_back, hidden_, gates, *dh_, calls);
    }
}

void CellLowering::gru_after_back(Dim position, const TensorView& dy, bool has_predecessor,
                                  std::vector<Call>& calls) {
    const Dim time = time_of(position);
    const TensorView to_products = step_of(*to_products_, time);
    calls.push_back(KernelCall{
        [shape = shape()](std::span<void* const> at) {
            gru_after_backward(shape,
                               {floats(at[0]), nullptr, floats(at[1]), floats(at[2]), nullptr},
                               floats(at[3]), {floats(at[4]), floats(at[5]), floats(at[6])});
        },
        {step_of(*gates_, time), state_before(position), step_of(*reset_, time), to_products,
         in_sequence(dy, time), *dh_, *passed_}});
    if (has_predecessor) {
        add_gradient_product(made_.hidden_back, hidden_, to_products, *dh_, calls);
    }
}

void CellLowering::gru_before_back(Dim position, const TensorView& dy, bool has_predecessor,
                                   std::vector<Call>& calls) {
    const Dim time = time_of(position);
    const TensorView gates = step_of(*gates_, time), h = state_before(position);
    const TensorView to_n = step_of(*to_n_, time), to_zr = step_of(*to_products_, time);
    calls.push_back(KernelCall{
        [shape = shape()](std::span<void* const> at) {
            gru_before_backward(shape, {floats(at[0]), nullptr, floats(at[1]), nullptr, nullptr},
                                floats(at[2]), {floats(at[3]), floats(at[4]), floats(at[5])});
        },
        {gates, h, to_n, in_sequence(dy, time), *dh_, *passed_}});
    add_gradient_product(made_.n_back, hidden_n_, to_n, *to_reset_, calls);
    calls.push_back(KernelCall{[shape = shape()](std::span<void* const> at) {
                                   gru_before_finish_backward(
                                       shape,
                                       {floats(at[0]), nullptr, floats(at[1]), nullptr, nullptr},
                                       floats(at[2]), floats(at[3]), floats(at[4]));
                               },
                               {gates, h, *to_reset_, to_zr, *passed_}});
    if (has_predecessor) {
        add_gradient_product(made_.zr_back, hidden_zr_, to_zr, *dh_, calls);
    }
}

void CellLowering::input_gradient(const TensorView& dx, bool accumulates,
                                  std::vector<Call>& calls) {
    const Dims rows_of_x = {plan_.steps * plan_.batch, plan_.width};
    const TensorView whole = part_of(dx, 0, rows_of_x);
    if (!accumulates) {
        return calls.push_back(input_.backward_data(*gates_, whole, way(Pass::backward_data)));
    }
    const TensorView own = dense(rows_of_x[0], rows_of_x[1]);
    calls.push_back(input_.backward_data(*gates_, own, way(Pass::backward_data)));
    calls.push_back(add_call(whole, own, whole, product(rows_of_x)));
}

Call CellLowering::zero(const TensorView& view, std::int64_t count) {
    return clear_call(view, count);
}

void CellLowering::weight_gradients(const TensorView& x, std::vector<Call>& calls) {
    std::optional<TensorView> bias;
    if (plan_.bias) {
        const auto dims = lowering_.extents(*plan_.bias);
        bias_gradient_ = lowering_.make_gradient(*plan_.bias, plain(dims, ElementType::f32));
        bias = part_of(*bias_gradient_, 0, {columns()});
    }
    append(calls, input_.backward_weights(x, *gates_, bias, way(Pass::backward_weights)));
    is_gru() ? gru_hidden_gradient(calls) : hidden_gradient(calls);
}

// Covers every step but the first, which had no state, unless one was given.
void CellLowering::hidden_gradient(std::vector<Call>& calls) {
    const Dim met = plan_.steps - (has_first_slot() ? 0 : 1);
    if (met == 0) {
        const auto dims = lowering_.extents(plan_.weight_hidden);
        const TensorView zeros =
            lowering_.make_gradient(plan_.weight_hidden, plain(dims, ElementType::f32));
        calls.push_back(clear_call(zeros, product(dims)));
        return;
    }
    const Dim first_state = plan_.reverse ? 1 : 0;
    const Dim first_time = plan_.reverse || has_first_slot() ? 0 : 1;
    append(calls,
           hidden_.backward_weights(rows_of(*states_, first_state * plan_.batch, met * plan_.batch),
                                    rows_of(*gates_, first_time * plan_.batch, met * plan_.batch),
                                    {}, way(Pass::backward_weights)));
}

// A GRU always has a first state. With reset_after, the sum of the products' gradients is also the
// gradient of b', in its third block.
void CellLowering::gru_hidden_gradient(std::vector<Call>& calls) {
    const Dim rows = plan_.steps * plan_.batch;
    const TensorView states = rows_of(*states_, plan_.reverse ? plan_.batch : 0, rows);
    if (resets_before()) {
        const auto dims = lowering_.extents(plan_.weight_hidden);
        const TensorView whole =
            lowering_.make_gradient(plan_.weight_hidden, plain(dims, ElementType::f32));
        const LinearAlgorithm asked = way(Pass::backward_weights);
        append(calls, hidden_zr_.backward_weights(states, *to_products_, {}, asked, whole));
        append(calls, hidden_n_.backward_weights(*reset_, *to_n_, {}, asked, whole));
        return;
    }
    std::optional<TensorView> sums;
    if (plan_.bias) {
        sums = lowering_.make_transient(plain({columns()}, ElementType::f32));
    }
    append(calls,
           hidden_.backward_weights(states, *to_products_, sums, way(Pass::backward_weights)));
    if (sums) {
        calls.push_back(copy_call(part_of(*sums, 2 * hidden(), {hidden()}),
                                  part_of(*bias_gradient_, columns(), {hidden()}), hidden()));
    }
}

}  // namespace strata::cpu
