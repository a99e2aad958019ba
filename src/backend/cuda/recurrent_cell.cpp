// SPDX-License-Identifier: MIT
#include "backend/cuda/recurrent_cell.h"

#include "backend/cuda/kernels/movement.h"

namespace strata::cuda {

namespace {

constexpr Format floats = {ElementType::f32, Order::rows};

std::int64_t gates_of(CellKind cell) {
    switch (cell) {
        case CellKind::lstm:
            return 4;
        case CellKind::gru:
            return 3;
        default:
            return 1;
    }
}

Matrix rows_of_floats(std::int64_t row, bool transposed = false) {
    return {ElementType::f32, row, 0, transposed};
}

}  // namespace

// Narrow types compute in TF32, which tensor cores support and which is more precise than they are.
CellLowering::CellLowering(Lowering& lowering, const CellPlan& plan)
    : lowering_(lowering),
      plan_(plan),
      gates_(gates_of(plan.op.cell)),
      precision_(lowering.element_type() == ElementType::f32
                     ? lowering.execution().numerics.single_precision
                     : SinglePrecision::tf32) {}

Call CellLowering::zero(const TensorView& view, std::int64_t count) {
    return {fill("strata:zero", count, ElementType::f32, 0), {view}};
}

CellStep CellLowering::step_at(std::int64_t position) const {
    const auto before = state_before(position);
    return {plan_.op.cell, plan_.batch, hidden(), plan_.directions * hidden(),
            before ? before->row : 0};
}

TensorView CellLowering::dense(std::int64_t count, std::int64_t columns) const {
    return lowering_.make_transient({count, columns}, floats);
}

TensorView CellLowering::at_position(const TensorView& matrix, std::int64_t position,
                                     std::int64_t columns) const {
    return part_of(matrix, time_of(position) * plan_.batch * columns, {plan_.batch, columns});
}

Rows CellLowering::in_sequence(const TensorView& y, std::int64_t position) const {
    const std::int64_t row = plan_.directions * hidden();
    const std::int64_t begin = time_of(position) * plan_.batch * row + plan_.direction * hidden();
    return {part_of(y, begin, {(plan_.batch - 1) * row + hidden()}), row};
}

std::optional<Rows> CellLowering::state_before(std::int64_t position) const {
    if (position > 0) {
        return in_sequence(*y_, position - 1);
    }
    return plan_.first_h ? std::optional(Rows{*plan_.first_h, hidden()}) : std::nullopt;
}

TensorView CellLowering::before_or(std::int64_t position, const TensorView& other) const {
    const auto before = state_before(position);
    return before ? before->view : other;
}

// Slot 0 holds the first state, slot p + 1 that of position p.
TensorView CellLowering::cell_before(std::int64_t position) const {
    return part_of(*cells_, position * units(), {plan_.batch, hidden()});
}

Call CellLowering::product(const Rows& x, std::int64_t count, const TensorView& weight,
                           std::int64_t n, std::int64_t k, const Rows& y, bool accumulates) const {
    return matmul_call({.m = count,
                        .n = n,
                        .k = k,
                        .a = rows_of_floats(x.row),
                        .b = rows_of_floats(k, true),
                        .y = rows_of_floats(y.row),
                        .accumulates = accumulates,
                        .single_precision = precision_},
                       {x.view, weight, y.view});
}

Call CellLowering::gradient_product(const Rows& dy, std::int64_t count, const TensorView& weight,
                                    std::int64_t n, std::int64_t k, const Rows& dx,
                                    bool accumulates) const {
    return matmul_call({.m = count,
                        .n = k,
                        .k = n,
                        .a = rows_of_floats(dy.row),
                        .b = rows_of_floats(k),
                        .y = rows_of_floats(dx.row),
                        .accumulates = accumulates,
                        .single_precision = precision_},
                       {dy.view, weight, dx.view});
}

Call CellLowering::weight_product(const Rows& dy, const Rows& x, std::int64_t count, std::int64_t n,
                                  std::int64_t k, const TensorView& dw, bool accumulates) const {
    return matmul_call({.m = n,
                        .n = k,
                        .k = count,
                        .a = rows_of_floats(dy.row, true),
                        .b = rows_of_floats(x.row),
                        .y = rows_of_floats(k),
                        .accumulates = accumulates,
                        .single_precision = precision_},
                       {dy.view, x.view, dw});
}

TensorView CellLowering::weight_rows(std::int64_t first) const {
    return part_of(lowering_.value(plan_.weight_hidden, floats), first * hidden(), {1});
}

TensorView CellLowering::bias_rows(std::int64_t first, std::int64_t count) const {
    return part_of(lowering_.value(*plan_.bias, floats), first, {count});
}

void CellLowering::forward(const TensorView& x, const TensorView& y, std::vector<Call>& calls) {
    y_ = y;
    values_ = dense(all_rows(), columns());
    Matmul inputs = {.m = all_rows(),
                     .n = columns(),
                     .k = plan_.width,
                     .a = rows_of_floats(plan_.width),
                     .b = rows_of_floats(plan_.width, true),
                     .y = rows_of_floats(columns()),
                     .has_bias = plan_.bias.has_value(),
                     .single_precision = precision_};
    std::vector<TensorView> views = {x, lowering_.value(plan_.weight_input, floats), *values_};
    if (plan_.bias) {
        views.push_back(bias_rows(0, columns()));
    }
    calls.push_back(matmul_call(inputs, std::move(views)));
    if (is_lstm()) {
        cells_ = dense((plan_.steps + 1) * plan_.batch, hidden());
        calls.push_back(plan_.first_c ? Call{copy_state(plan_.batch, hidden(), hidden()),
                                             {*plan_.first_c, cell_before(0)}}
                                      : zero(cell_before(0), units()));
    }
    if (is_gru()) {
        kept_ = dense(all_rows(), hidden());
        products_ = dense(plan_.batch, columns());
    }
    for (std::int64_t position = 0; position < plan_.steps; ++position) {
        step(position, calls);
    }
}

void CellLowering::write_last_states(const CellStates& states, std::vector<Call>& calls) const {
    const auto& [h, c] = states;
    if (h) {
        const Rows last = in_sequence(*y_, plan_.steps - 1);
        calls.push_back({copy_state(plan_.batch, hidden(), last.row), {last.view, *h}});
    }
    if (c && is_lstm()) {
        calls.push_back(
            {copy_state(plan_.batch, hidden(), hidden()), {cell_before(plan_.steps), *c}});
    }
}

// Adds U h for rows [first, first + count) of U; adds nothing if the state is zero.
void CellLowering::add_hidden(std::int64_t position, const Rows& to, std::int64_t first,
                              std::int64_t count, bool accumulates,
                              std::vector<Call>& calls) const {
    if (const auto before = state_before(position)) {
        calls.push_back(
            product(*before, plan_.batch, weight_rows(first), count, hidden(), to, accumulates));
    }
}

void CellLowering::step(std::int64_t position, std::vector<Call>& calls) {
    if (is_gru()) {
        return resets_before() ? gru_before_step(position, calls) : gru_after_step(position, calls);
    }
    const TensorView gates = at_position(*values_, position, columns());
    add_hidden(position, {gates, columns()}, 0, columns(), true, calls);
    std::vector<TensorView> views = {gates, in_sequence(*y_, position).view};
    if (is_lstm()) {
        views.push_back(cell_before(position));
        views.push_back(cell_before(position + 1));
    }
    calls.push_back({cell_forward(step_at(position)), std::move(views)});
}

void CellLowering::gru_before_step(std::int64_t position, std::vector<Call>& calls) {
    const TensorView gates = at_position(*values_, position, columns());
    const TensorView reset = at_position(*kept_, position, hidden());
    const TensorView h = before_or(position, reset);
    add_hidden(position, {gates, columns()}, 0, 2 * hidden(), true, calls);
    calls.push_back({gru_gates(step_at(position)), {gates, h, reset}});
    calls.push_back(product({reset, hidden()}, plan_.batch, weight_rows(2 * hidden()), hidden(),
                            hidden(), {part_of(gates, 2 * hidden(), {1}), columns()}, true));
    calls.push_back({gru_state(step_at(position)), {gates, h, in_sequence(*y_, position).view}});
}

void CellLowering::gru_after_step(std::int64_t position, std::vector<Call>& calls) {
    const TensorView gates = at_position(*values_, position, columns());
    const TensorView kept = at_position(*kept_, position, hidden());
    if (state_before(position)) {
        add_hidden(position, {*products_, columns()}, 0, columns(), false, calls);
    } else {
        calls.push_back(zero(*products_, plan_.batch * columns()));
    }
    const TensorView bias = plan_.bias ? bias_rows(columns(), hidden()) : kept;
    calls.push_back({gru_after_forward(step_at(position), plan_.bias.has_value()),
                     {gates, *products_, before_or(position, kept), bias, kept,
                      in_sequence(*y_, position).view}});
}

void CellLowering::through_time(const TensorView& dy, const CellStates& last,
                                const CellStates& first, std::vector<Call>& calls) {
    const auto begin = [&](std::optional<TensorView>& slot,
                           const std::optional<TensorView>& given) {
        slot = dense(plan_.batch, hidden());
        calls.push_back(given ? Call{copy_state(plan_.batch, hidden(), hidden()), {*given, *slot}}
                              : zero(*slot, units()));
    };
    begin(dh_, last.h);
    if (is_lstm()) {
        begin(dc_, last.c);
    }
    if (is_gru()) {
        begin(passed_, {});
        resets_before() ? to_reset_ = dense(plan_.batch, hidden())
                        : to_products_ = dense(all_rows(), columns());
    }
    for (std::int64_t position = plan_.steps; position-- > 0;) {
        step_back(position, dy, position > 0 || first.h.has_value(), calls);
    }
    if (first.h) {
        calls.push_back(is_gru()
                            ? Call{add_states(units()), {*dh_, *passed_, *first.h}}
                            : Call{copy_state(plan_.batch, hidden(), hidden()), {*dh_, *first.h}});
    }
    if (first.c && is_lstm()) {
        calls.push_back({copy_state(plan_.batch, hidden(), hidden()), {*dc_, *first.c}});
    }
}

// `has_predecessor`: an earlier step, or a first state's gradient, needs the state's gradient.
void CellLowering::step_back(std::int64_t position, const TensorView& dy, bool has_predecessor,
                             std::vector<Call>& calls) {
    if (is_gru()) {
        return resets_before() ? gru_before_back(position, dy, has_predecessor, calls)
                               : gru_after_back(position, dy, has_predecessor, calls);
    }
    const TensorView gates = at_position(*values_, position, columns());
    std::vector<TensorView> views = {gates, in_sequence(dy, position).view, *dh_};
    if (is_lstm()) {
        views.insert(views.end(), {cell_before(position), cell_before(position + 1), *dc_});
    }
    calls.push_back({cell_backward(step_at(position)), std::move(views)});
    if (has_predecessor) {
        calls.push_back(gradient_product({gates, columns()}, plan_.batch, weight_rows(0), columns(),
                                         hidden(), {*dh_, hidden()}, false));
    }
}

void CellLowering::gru_before_back(std::int64_t position, const TensorView& dy,
                                   bool has_predecessor, std::vector<Call>& calls) {
    const TensorView gates = at_position(*values_, position, columns());
    const TensorView h = before_or(position, *to_reset_);
    calls.push_back({gru_state_backward(step_at(position)),
                     {gates, h, in_sequence(dy, position).view, *dh_, *passed_}});
    calls.push_back(gradient_product({part_of(gates, 2 * hidden(), {1}), columns()}, plan_.batch,
                                     weight_rows(2 * hidden()), hidden(), hidden(),
                                     {*to_reset_, hidden()}, false));
    calls.push_back({gru_gates_backward(step_at(position)), {gates, h, *to_reset_, *passed_}});
    if (has_predecessor) {
        calls.push_back(gradient_product({gates, columns()}, plan_.batch, weight_rows(0),
                                         2 * hidden(), hidden(), {*dh_, hidden()}, false));
    }
}

void CellLowering::gru_after_back(std::int64_t position, const TensorView& dy, bool has_predecessor,
                                  std::vector<Call>& calls) {
    const TensorView gates = at_position(*values_, position, columns());
    const TensorView kept = at_position(*kept_, position, hidden());
    const TensorView to_products = at_position(*to_products_, position, columns());
    calls.push_back({gru_after_backward(step_at(position)),
                     {gates, before_or(position, kept), kept, in_sequence(dy, position).view, *dh_,
                      *passed_, to_products}});
    if (has_predecessor) {
        calls.push_back(gradient_product({to_products, columns()}, plan_.batch, weight_rows(0),
                                         columns(), hidden(), {*dh_, hidden()}, false));
    }
}

void CellLowering::input_gradient(const TensorView& dx, bool accumulates,
                                  std::vector<Call>& calls) {
    calls.push_back(gradient_product({*values_, columns()}, all_rows(),
                                     lowering_.value(plan_.weight_input, floats), columns(),
                                     plan_.width, {dx, plan_.width}, accumulates));
}

}  // namespace strata::cuda
