// SPDX-License-Identifier: MIT
#include "backend/cuda/recurrent_cell.h"

#include "backend/cuda/kernels/copy.h"

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

Call zero_call(const Place& place, std::int64_t count) {
    return {fill("strata:zero", count, ElementType::f32, 0), {place}};
}

}  // namespace

// Narrow types compute by TF32, which tensor cores run and which is finer than they are.
CellLowering::CellLowering(Lowering& lowering, const CellPlan& plan)
    : lowering_(lowering),
      plan_(plan),
      gates_(gates_of(plan.op.cell)),
      precision_(lowering.element_type() == ElementType::f32
                     ? lowering.execution().numerics.single_precision
                     : SinglePrecision::tf32) {}

CellStep CellLowering::step_at(std::int64_t place) const {
    const auto before = state_before(place);
    return {plan_.op.cell, plan_.batch, hidden(), plan_.directions * hidden(),
            before ? before->row : 0};
}

Place CellLowering::dense(std::int64_t count, std::int64_t columns) const {
    return lowering_.make_transient({count, columns}, floats);
}

Place CellLowering::at_place(const Place& matrix, std::int64_t place, std::int64_t columns) const {
    return part_of(matrix, time_of(place) * plan_.batch * columns, {plan_.batch, columns});
}

Rows CellLowering::in_sequence(const Place& y, std::int64_t place) const {
    const std::int64_t row = plan_.directions * hidden();
    const std::int64_t begin = time_of(place) * plan_.batch * row + plan_.direction * hidden();
    return {part_of(y, begin, {1}), row};
}

std::optional<Rows> CellLowering::state_before(std::int64_t place) const {
    if (place > 0) {
        return in_sequence(*y_, place - 1);
    }
    return plan_.first_h ? std::optional(Rows{*plan_.first_h, hidden()}) : std::nullopt;
}

Place CellLowering::before_or(std::int64_t place, const Place& other) const {
    const auto before = state_before(place);
    return before ? before->place : other;
}

// Slot 0 holds the first one, slot p + 1 that of place p.
Place CellLowering::cell_before(std::int64_t place) const {
    return part_of(*cells_, place * units(), {plan_.batch, hidden()});
}

Call CellLowering::product(const Rows& x, std::int64_t count, const Place& weight, std::int64_t n,
                           std::int64_t k, const Rows& y, bool accumulates) const {
    return matmul_call({.m = count,
                        .n = n,
                        .k = k,
                        .a = rows_of_floats(x.row),
                        .b = rows_of_floats(k, true),
                        .y = rows_of_floats(y.row),
                        .accumulates = accumulates,
                        .single_precision = precision_},
                       {x.place, weight, y.place});
}

Call CellLowering::gradient_product(const Rows& dy, std::int64_t count, const Place& weight,
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
                       {dy.place, weight, dx.place});
}

Call CellLowering::weight_product(const Rows& dy, const Rows& x, std::int64_t count, std::int64_t n,
                                  std::int64_t k, const Place& dw, bool accumulates) const {
    return matmul_call({.m = n,
                        .n = k,
                        .k = count,
                        .a = rows_of_floats(dy.row, true),
                        .b = rows_of_floats(x.row),
                        .y = rows_of_floats(k),
                        .accumulates = accumulates,
                        .single_precision = precision_},
                       {dy.place, x.place, dw});
}

Place CellLowering::weight_rows(std::int64_t first) const {
    return part_of(lowering_.value(plan_.weight_hidden, floats), first * hidden(), {1});
}

Place CellLowering::bias_rows(std::int64_t first, std::int64_t count) const {
    return part_of(lowering_.value(*plan_.bias, floats), first, {count});
}

void CellLowering::forward(const Place& x, const Place& y, std::vector<Call>& calls) {
    y_ = y;
    values_ = dense(rows(), columns());
    Matmul inputs = {.m = rows(),
                     .n = columns(),
                     .k = plan_.width,
                     .a = rows_of_floats(plan_.width),
                     .b = rows_of_floats(plan_.width, true),
                     .y = rows_of_floats(columns()),
                     .has_bias = plan_.bias.has_value(),
                     .single_precision = precision_};
    std::vector<Place> places = {x, lowering_.value(plan_.weight_input, floats), *values_};
    if (plan_.bias) {
        places.push_back(bias_rows(0, columns()));
    }
    calls.push_back(matmul_call(inputs, std::move(places)));
    if (is_lstm()) {
        cells_ = dense((plan_.steps + 1) * plan_.batch, hidden());
        calls.push_back(plan_.first_c ? Call{copy_state(plan_.batch, hidden(), hidden()),
                                             {*plan_.first_c, cell_before(0)}}
                                      : zero_call(cell_before(0), units()));
    }
    if (is_gru()) {
        kept_ = dense(rows(), hidden());
        products_ = dense(plan_.batch, columns());
    }
    for (std::int64_t place = 0; place < plan_.steps; ++place) {
        step(place, calls);
    }
}

void CellLowering::write_last_states(const std::optional<Place>& h, const std::optional<Place>& c,
                                     std::vector<Call>& calls) const {
    if (h) {
        const Rows last = in_sequence(*y_, plan_.steps - 1);
        calls.push_back({copy_state(plan_.batch, hidden(), last.row), {last.place, *h}});
    }
    if (c && is_lstm()) {
        calls.push_back(
            {copy_state(plan_.batch, hidden(), hidden()), {cell_before(plan_.steps), *c}});
    }
}

// U h, by rows [first, first + count) of U; nothing where the state is zero.
void CellLowering::add_hidden(std::int64_t place, const Rows& to, std::int64_t first,
                              std::int64_t count, bool accumulates,
                              std::vector<Call>& calls) const {
    if (const auto before = state_before(place)) {
        calls.push_back(
            product(*before, plan_.batch, weight_rows(first), count, hidden(), to, accumulates));
    }
}

void CellLowering::step(std::int64_t place, std::vector<Call>& calls) {
    if (is_gru()) {
        return resets_before() ? gru_before_step(place, calls) : gru_after_step(place, calls);
    }
    const Place gates = at_place(*values_, place, columns());
    add_hidden(place, {gates, columns()}, 0, columns(), true, calls);
    std::vector<Place> places = {gates, in_sequence(*y_, place).place};
    if (is_lstm()) {
        places.push_back(cell_before(place));
        places.push_back(cell_before(place + 1));
    }
    calls.push_back({cell_forward(step_at(place)), std::move(places)});
}

void CellLowering::gru_before_step(std::int64_t place, std::vector<Call>& calls) {
    const Place gates = at_place(*values_, place, columns());
    const Place reset = at_place(*kept_, place, hidden());
    const Place h = before_or(place, reset);
    add_hidden(place, {gates, columns()}, 0, 2 * hidden(), true, calls);
    calls.push_back({gru_gates(step_at(place)), {gates, h, reset}});
    calls.push_back(product({reset, hidden()}, plan_.batch, weight_rows(2 * hidden()), hidden(),
                            hidden(), {part_of(gates, 2 * hidden(), {1}), columns()}, true));
    calls.push_back({gru_state(step_at(place)), {gates, h, in_sequence(*y_, place).place}});
}

void CellLowering::gru_after_step(std::int64_t place, std::vector<Call>& calls) {
    const Place gates = at_place(*values_, place, columns());
    const Place kept = at_place(*kept_, place, hidden());
    if (state_before(place)) {
        add_hidden(place, {*products_, columns()}, 0, columns(), false, calls);
    } else {
        calls.push_back(zero_call(*products_, plan_.batch * columns()));
    }
    const Place bias = plan_.bias ? bias_rows(columns(), hidden()) : kept;
    calls.push_back(
        {gru_after_forward(step_at(place), plan_.bias.has_value()),
         {gates, *products_, before_or(place, kept), bias, kept, in_sequence(*y_, place).place}});
}

void CellLowering::through_time(const Place& dy, const StateGradients& last,
                                const StateGradients& first, std::vector<Call>& calls) {
    const auto begin = [&](std::optional<Place>& slot, const std::optional<Place>& given) {
        slot = dense(plan_.batch, hidden());
        calls.push_back(given ? Call{copy_state(plan_.batch, hidden(), hidden()), {*given, *slot}}
                              : zero_call(*slot, units()));
    };
    begin(dh_, last.h);
    if (is_lstm()) {
        begin(dc_, last.c);
    }
    if (is_gru()) {
        begin(passed_, {});
        resets_before() ? to_reset_ = dense(plan_.batch, hidden())
                        : to_products_ = dense(rows(), columns());
    }
    for (std::int64_t place = plan_.steps; place-- > 0;) {
        step_back(place, dy, place > 0 || first.h.has_value(), calls);
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

// `has_predecessor`: a step or a gradient before this one needs the state's gradient.
void CellLowering::step_back(std::int64_t place, const Place& dy, bool has_predecessor,
                             std::vector<Call>& calls) {
    if (is_gru()) {
        return resets_before() ? gru_before_back(place, dy, has_predecessor, calls)
                               : gru_after_back(place, dy, has_predecessor, calls);
    }
    const Place gates = at_place(*values_, place, columns());
    std::vector<Place> places = {gates, in_sequence(dy, place).place, *dh_};
    if (is_lstm()) {
        places.insert(places.end(), {cell_before(place), cell_before(place + 1), *dc_});
    }
    calls.push_back({cell_backward(step_at(place)), std::move(places)});
    if (has_predecessor) {
        calls.push_back(gradient_product({gates, columns()}, plan_.batch, weight_rows(0), columns(),
                                         hidden(), {*dh_, hidden()}, false));
    }
}

void CellLowering::gru_before_back(std::int64_t place, const Place& dy, bool has_predecessor,
                                   std::vector<Call>& calls) {
    const Place gates = at_place(*values_, place, columns());
    const Place h = before_or(place, *to_reset_);
    calls.push_back({gru_state_backward(step_at(place)),
                     {gates, h, in_sequence(dy, place).place, *dh_, *passed_}});
    calls.push_back(gradient_product({part_of(gates, 2 * hidden(), {1}), columns()}, plan_.batch,
                                     weight_rows(2 * hidden()), hidden(), hidden(),
                                     {*to_reset_, hidden()}, false));
    calls.push_back({gru_gates_backward(step_at(place)), {gates, h, *to_reset_, *passed_}});
    if (has_predecessor) {
        calls.push_back(gradient_product({gates, columns()}, plan_.batch, weight_rows(0),
                                         2 * hidden(), hidden(), {*dh_, hidden()}, false));
    }
}

void CellLowering::gru_after_back(std::int64_t place, const Place& dy, bool has_predecessor,
                                  std::vector<Call>& calls) {
    const Place gates = at_place(*values_, place, columns());
    const Place kept = at_place(*kept_, place, hidden());
    const Place to_products = at_place(*to_products_, place, columns());
    calls.push_back({gru_after_backward(step_at(place)),
                     {gates, before_or(place, kept), kept, in_sequence(dy, place).place, *dh_,
                      *passed_, to_products}});
    if (has_predecessor) {
        calls.push_back(gradient_product({to_products, columns()}, plan_.batch, weight_rows(0),
                                         columns(), hidden(), {*dh_, hidden()}, false));
    }
}

void CellLowering::input_gradient(const Place& dx, bool accumulates, std::vector<Call>& calls) {
    calls.push_back(gradient_product({*values_, columns()}, rows(),
                                     lowering_.value(plan_.weight_input, floats), columns(),
                                     plan_.width, {dx, plan_.width}, accumulates));
}

}  // namespace strata::cuda
