// SPDX-License-Identifier: MIT
#pragma once

#include "backend/inputs.h"
#include "backend/lower/lowering.h"

#include <algorithm>

// Where values and gradients lie: the functions of GraphLowering that operators ask for them.
namespace strata {

template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::value(TensorId tensor) -> Place {
    if (states_[tensor].values.empty()) {
        place_from_outside(tensor, engine().row_layout(tensor));
    }
    return states_[tensor].values.front();
}

template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::shaped_value(TensorId tensor) -> Place {
    const Place place = value(tensor);
    return reshaped(place, states_[tensor].values, Rules::dims_of(engine().row_layout(tensor)));
}

template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::value(TensorId tensor, const Layout& wanted) -> Place {
    if (states_[tensor].values.empty()) {
        place_from_outside(tensor, wanted);
    }
    once_ = never_changes(tensor);
    const Place place = convert(states_[tensor].values, wanted);
    once_ = false;
    return place;
}

template <class Engine, PlaceRules Rules>
bool GraphLowering<Engine, Rules>::never_changes(TensorId tensor) const {
    return !trains() && is_persistent(graph_.tensors[tensor].role);
}

// A tensor that no layer computes lies where its first reader wants it. Masters of a training run
// are f32 whatever the readers compute in, so a narrower or packed reader gets a copy an iteration.
template <class Engine, PlaceRules Rules>
void GraphLowering<Engine, Rules>::place_from_outside(TensorId tensor, const Layout& wanted) {
    const bool trained = trains() && graph_.tensors[tensor].role == Role::parameter;
    const Layout layout = trained ? Rules::trained_layout(wanted) : Rules::stored_layout(wanted);
    states_[tensor].values = {
        make_persistent(layout, [&graph = graph_, tensor, seed = execution_.numerics.seed] {
            return initial_values(graph, tensor, seed);
        })};
}

template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::make_value(TensorId tensor, const Layout& layout) -> Place {
    states_[tensor].values = {make_transient(layout)};
    return states_[tensor].values.front();
}

template <class Engine, PlaceRules Rules>
void GraphLowering<Engine, Rules>::forget_value(TensorId tensor) {
    if (!keeps_memory()) {
        states_[tensor].values.clear();
    }
}

template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::gradient(TensorId tensor) -> Place {
    TensorState& state = states_[tensor];
    if (state.gradients.empty() && state.contributions.empty()) {
        place_gradient_from_outside(tensor);
    } else if (state.gradients.empty()) {
        state.gradients = {accumulated(std::exchange(state.contributions, {}))};
    }
    return state.gradients.front();
}

template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::shaped_gradient(TensorId tensor) -> Place {
    const Place place = gradient(tensor);
    return reshaped(place, states_[tensor].gradients, Rules::dims_of(engine().row_layout(tensor)));
}

template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::gradient(TensorId tensor, const Layout& wanted) -> Place {
    gradient(tensor);
    return convert(states_[tensor].gradients, wanted);
}

// Given where a network without a loss starts; zeros where every layer that should have contributed
// is refused.
template <class Engine, PlaceRules Rules>
void GraphLowering<Engine, Rules>::place_gradient_from_outside(TensorId tensor) {
    const Layout rows = engine().row_layout(tensor);
    const std::vector<Place>& values = states_[tensor].values;
    const Layout layout = values.empty() ? rows
                                         : Rules::gradient_layout(Rules::layout_of(values.front()),
                                                                  Rules::dims_of(rows));
    std::function<HostValues()> given;
    if (schedule_.gradient_given[tensor]) {
        given = [&graph = graph_, tensor, seed = execution_.numerics.seed] {
            return output_gradient(graph, tensor, seed);
        };
    }
    const Place place = make_persistent(layout, std::move(given));
    protect(place);
    states_[tensor].gradients = {place};
}

template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::make_gradient(TensorId tensor, const Layout& layout) -> Place {
    states_[tensor].contributions.push_back(make_transient(layout));
    return states_[tensor].contributions.back();
}

template <class Engine, PlaceRules Rules>
void GraphLowering<Engine, Rules>::share_gradient(TensorId tensor, const Place& place) {
    states_[tensor].contributions.push_back(place);
}

template <class Engine, PlaceRules Rules>
bool GraphLowering<Engine, Rules>::may_overwrite(const Place& place) const {
    return program_.buffers[place.buffer].life == Life::transient &&
           !protected_.contains(place.buffer);
}

// The sum of what several readers contributed, in the layout of the first that may be written over.
template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::accumulated(std::vector<Place> contributions) -> Place {
    if (contributions.size() == 1) {
        return contributions.front();
    }
    const auto free = std::ranges::find_if(
        contributions, [&](const Place& place) { return may_overwrite(place); });
    const bool in_place = free != contributions.end();
    if (in_place) {
        std::iter_swap(contributions.begin(), free);
    }
    const Layout layout = Rules::layout_of(contributions.front());
    for (Place& place : contributions) {
        std::vector<Place> copies = {place};
        place = convert(copies, layout);
    }
    const Place sum = in_place ? contributions.front() : make_transient(layout);
    const auto moved = static_cast<double>((contributions.size() + 1) * Rules::bytes_of(layout));
    add_step(StepKind::accumulate, engine().sum_of(contributions, sum), {moved});
    return sum;
}

// A copy in another layout, made by a step where there is none yet.
template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::convert(std::vector<Place>& copies, const Layout& wanted)
    -> Place {
    const auto found = std::ranges::find_if(
        copies, [&](const Place& copy) { return Rules::layout_of(copy) == wanted; });
    if (found != copies.end()) {
        return Rules::seen_as(*found, wanted);
    }
    const Place from = reshaped(copies.front(), copies, Rules::dims_of(wanted));
    if (Rules::layout_of(from) == wanted) {
        return Rules::seen_as(from, wanted);
    }
    copies.push_back(Rules::lie_alike(Rules::layout_of(from), wanted) ? Rules::seen_as(from, wanted)
                                                                      : reordered(from, wanted));
    return copies.back();
}

template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::reordered(const Place& from, const Layout& wanted) -> Place {
    const Place to = once_ ? make_persistent(wanted) : make_transient(wanted);
    Work work = engine().reorder(from, to);
    if (once_) {
        std::ranges::move(work.calls, std::back_inserter(program_.preparations));
        return to;
    }
    const std::size_t moved = Rules::bytes_of(Rules::layout_of(from)) + Rules::bytes_of(wanted);
    add_step(StepKind::reorder, std::move(work), {static_cast<double>(moved)});
    return to;
}

// The same elements under other extents: only rows can be read so without a copy.
template <class Engine, PlaceRules Rules>
auto GraphLowering<Engine, Rules>::reshaped(const Place& place, std::vector<Place>& copies,
                                            const Dims& dims) -> Place {
    const Layout layout = Rules::layout_of(place);
    if (Rules::dims_of(layout) == dims) {
        return place;
    }
    const Layout rows = Rules::rows_of(layout, Rules::dims_of(layout));
    const Place dense = Rules::lie_alike(layout, rows) ? place : convert(copies, rows);
    return Rules::seen_as(dense, Rules::rows_of(rows, dims));
}

}  // namespace strata
