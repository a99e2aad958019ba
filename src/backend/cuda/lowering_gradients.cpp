// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/sum.h"
#include "backend/cuda/lowering.h"
#include "backend/inputs.h"

#include <algorithm>
#include <utility>

namespace strata::cuda {

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
    return reshaped(place, states_[tensor].gradients, dims(tensor));
}

Place Lowering::gradient(TensorId tensor, Format wanted) {
    gradient(tensor);
    return convert(states_[tensor].gradients, dims(tensor), wanted);
}

// Given where a network without a loss starts; zeros where every layer that should have contributed
// is refused.
void Lowering::place_gradient_from_outside(TensorId tensor) {
    const Format format =
        states_[tensor].values.empty() ? row_format(tensor) : states_[tensor].values.front().format;
    std::function<HostValues()> values;
    if (schedule_.gradient_given[tensor]) {
        values = [&graph = graph_, tensor, seed = execution_.seed] {
            return output_gradient(graph, tensor, seed);
        };
    }
    const Place place = make_persistent(dims(tensor), format, std::move(values));
    protect(place);
    states_[tensor].gradients = {place};
}

bool Lowering::may_overwrite(const Place& place) const {
    return program_.buffers[place.buffer].life == Life::transient &&
           !protected_.contains(place.buffer);
}

Place Lowering::make_gradient(TensorId tensor, Format format) {
    states_[tensor].contributions.push_back(make_transient(dims(tensor), format));
    return states_[tensor].contributions.back();
}

void Lowering::share_gradient(TensorId tensor, const Place& place) {
    states_[tensor].contributions.push_back(place);
}

// The sum of what several readers contributed, in the format of the first that may be written over.
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
    const Place first = contributions.front();
    for (Place& place : contributions) {
        std::vector<Place> copies = {place};
        place = convert(copies, first.dims, first.format);
    }
    const Place sum = in_place ? first : make_transient(first.dims, first.format);
    const auto moved = static_cast<double>((contributions.size() + 1) * first.bytes());
    std::vector<Call> calls = sum_calls(contributions, sum);
    add_step(StepKind::accumulate, {"strata:sum", text_of(sum.dims, sum.format)}, {moved},
             std::move(calls));
    return sum;
}

}  // namespace strata::cuda
