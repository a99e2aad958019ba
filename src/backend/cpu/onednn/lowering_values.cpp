// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/lowering.h"
#include "backend/inputs.h"

#include <algorithm>

namespace strata::cpu {

Place Lowering::value(TensorId tensor) {
    TensorState& state = states_[tensor];
    if (state.values.empty()) {
        place_from_outside(tensor, plain(extents(tensor), element_type(tensor)));
    }
    return state.values.front();
}

Place Lowering::shaped_value(TensorId tensor) {
    const Place place = value(tensor);
    return reshaped(place, states_[tensor].values, extents(tensor));
}

Place Lowering::value(TensorId tensor, const Desc& wanted) {
    TensorState& state = states_[tensor];
    if (state.values.empty()) {
        place_from_outside(tensor, wanted);
    }
    once_ = never_changes(tensor);
    const Place place = convert(state.values, wanted);
    once_ = false;
    return place;
}

bool Lowering::has_value(TensorId tensor, const Desc& desc) const {
    return std::ranges::find(states_[tensor].values, desc, &Place::desc) !=
           states_[tensor].values.end();
}

bool Lowering::never_changes(TensorId tensor) const {
    const Role role = graph_.tensors[tensor].role;
    return !trains() &&
           (role == Role::parameter || role == Role::statistic || role == Role::constant);
}

// A tensor that no layer computes lies where its first reader wants it. Masters of a training run
// are f32 whatever the readers compute in, so a narrower or packed reader gets a copy an iteration.
void Lowering::place_from_outside(TensorId tensor, const Desc& wanted) {
    const bool trained = trains() && graph_.tensors[tensor].role == Role::parameter;
    const bool as_wanted = is_blocked(wanted) && (!trained || type_of(wanted) == ElementType::f32);
    const Desc desc = as_wanted ? wanted : plain(dims_of(wanted), ElementType::f32);
    states_[tensor].values = {
        make_persistent(desc, [&graph = graph_, tensor, seed = execution_.seed] {
            return initial_values(graph, tensor, seed);
        })};
}

Place Lowering::make_value(TensorId tensor, const Desc& desc) {
    states_[tensor].values = {make_transient(desc)};
    return states_[tensor].values.front();
}

void Lowering::share_value(TensorId tensor, const Place& place) {
    states_[tensor].values = {place};
}

void Lowering::forget_value(TensorId tensor) {
    if (!keeps_memory()) {
        states_[tensor].values.clear();
    }
}

}  // namespace strata::cpu
