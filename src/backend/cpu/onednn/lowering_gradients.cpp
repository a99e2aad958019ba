// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/lowering.h"
#include "backend/inputs.h"

#include <algorithm>

namespace strata::cpu {

Place Lowering::gradient(TensorId tensor) {
    TensorState& state = states_[tensor];
    if (state.gradients.empty() && state.contributions.empty()) {
        place_gradient_from_outside(tensor);
    } else if (state.gradients.empty()) {
        state.gradients = {accumulated(std::exchange(state.contributions, {}))};
    }
    return state.gradients.front();
}

Place Lowering::shaped_gradient(TensorId tensor) {
    const Place place = gradient(tensor);
    return reshaped(place, states_[tensor].gradients, extents(tensor));
}

Place Lowering::gradient(TensorId tensor, const Desc& wanted) {
    gradient(tensor);
    return convert(states_[tensor].gradients, wanted);
}

// Given where a network without a loss starts; zeros where every layer that should have contributed
// is refused.
void Lowering::place_gradient_from_outside(TensorId tensor) {
    const Desc desc = states_[tensor].values.empty() ? plain(extents(tensor), element_type())
                                                     : states_[tensor].values.front().desc;
    std::function<HostValues()> values;
    if (schedule_.gradient_given[tensor]) {
        values = [&graph = graph_, tensor, seed = execution_.seed] {
            return output_gradient(graph, tensor, seed);
        };
    }
    const Place place = make_persistent(desc, std::move(values));
    protect(place);
    states_[tensor].gradients = {place};
}

bool Lowering::may_overwrite(const Place& place) const {
    return program_.buffers[place.buffer].life == Life::transient &&
           !protected_.contains(place.buffer);
}

Place Lowering::make_gradient(TensorId tensor, const Desc& desc) {
    states_[tensor].contributions.push_back(make_transient(desc));
    return states_[tensor].contributions.back();
}

void Lowering::share_gradient(TensorId tensor, const Place& place) {
    states_[tensor].contributions.push_back(place);
}

// The sum of what several readers contributed, in the layout of the first that may be written over.
Place Lowering::accumulated(std::vector<Place> contributions) {
    if (contributions.size() == 1) {
        return contributions.front();
    }
    const auto free = std::ranges::find_if(
        contributions, [&](const Place& place) { return may_overwrite(place); });
    const bool in_place = free != contributions.end();
    if (in_place) {
        std::iter_swap(contributions.begin(), free);
    }
    for (Place& place : contributions) {
        std::vector<Place> copies = {place};
        place = convert(copies, contributions.front().desc);
    }
    const Desc desc = contributions.front().desc;
    const Place sum = in_place ? contributions.front() : make_transient(desc);
    Described described = sum_of(contributions, sum);
    const auto count = static_cast<double>(contributions.size() + 1);
    add_step(StepKind::accumulate, std::move(described.text), described.workspace,
             {count * static_cast<double>(desc.get_size())}, {std::move(described.call)});
    return sum;
}

}  // namespace strata::cpu
