// SPDX-License-Identifier: MIT
#pragma once

#include "backend/inputs.h"
#include "backend/lower/lowering.h"

#include <algorithm>

// Where values and gradients are: the functions of GraphLowering through which operators get them.
namespace strata {

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::value(TensorId tensor) -> View {
    if (states_[tensor].values.empty()) {
        place_initial_value(tensor, engine().row_layout(tensor));
    }
    return states_[tensor].values.front();
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::shaped_value(TensorId tensor) -> View {
    const View view = value(tensor);
    return reshaped(view, states_[tensor].values, Rules::dims_of(engine().row_layout(tensor)));
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::value(TensorId tensor, const Layout& wanted) -> View {
    if (states_[tensor].values.empty()) {
        place_initial_value(tensor, wanted);
    }
    once_ = never_changes(tensor);
    const View view = convert(states_[tensor].values, wanted);
    once_ = false;
    return view;
}

template <class Engine, ViewRules Rules>
bool GraphLowering<Engine, Rules>::never_changes(TensorId tensor) const {
    return !trains() && is_persistent(graph_.tensors[tensor].role);
}

// A tensor that no layer computes is placed in the layout of its first reader. Master values of a
// training run are f32 whatever the readers compute in, so a reader of a narrower or packed layout
// gets a copy in every iteration.
template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::place_initial_value(TensorId tensor, const Layout& wanted) {
    const bool trained = trains() && graph_.tensors[tensor].role == Role::parameter;
    const Layout layout = trained ? Rules::trained_layout(wanted) : Rules::stored_layout(wanted);
    states_[tensor].values = {
        make_persistent(layout, [&graph = graph_, tensor, seed = execution_.numerics.seed] {
            return initial_values(graph, tensor, seed);
        })};
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::make_value(TensorId tensor, const Layout& layout) -> View {
    states_[tensor].values = {make_transient(layout)};
    return states_[tensor].values.front();
}

template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::forget_value(TensorId tensor) {
    if (!keeps_memory()) {
        states_[tensor].values.clear();
    }
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::gradient(TensorId tensor) -> View {
    TensorState& state = states_[tensor];
    if (state.gradients.empty() && state.contributions.empty()) {
        place_initial_gradient(tensor);
    } else if (state.gradients.empty()) {
        state.gradients = {accumulated(std::exchange(state.contributions, {}))};
    }
    return state.gradients.front();
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::shaped_gradient(TensorId tensor) -> View {
    const View view = gradient(tensor);
    return reshaped(view, states_[tensor].gradients, Rules::dims_of(engine().row_layout(tensor)));
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::gradient(TensorId tensor, const Layout& wanted) -> View {
    gradient(tensor);
    return convert(states_[tensor].gradients, wanted);
}

// Drawn values if a network without a loss starts there; zeros if every layer that should have
// contributed is refused.
template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::place_initial_gradient(TensorId tensor) {
    const Layout rows = engine().row_layout(tensor);
    const std::vector<View>& values = states_[tensor].values;
    const Layout layout = values.empty() ? rows
                                         : Rules::gradient_layout(Rules::layout_of(values.front()),
                                                                  Rules::dims_of(rows));
    std::function<HostValues()> given;
    if (schedule_.gradient_given[tensor]) {
        given = [&graph = graph_, tensor, seed = execution_.numerics.seed] {
            return output_gradient(graph, tensor, seed);
        };
    }
    const View view = make_persistent(layout, std::move(given));
    protect(view);
    states_[tensor].gradients = {view};
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::make_gradient(TensorId tensor, const Layout& layout) -> View {
    states_[tensor].contributions.push_back(make_transient(layout));
    return states_[tensor].contributions.back();
}

template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::share_gradient(TensorId tensor, const View& view) {
    states_[tensor].contributions.push_back(view);
}

template <class Engine, ViewRules Rules>
bool GraphLowering<Engine, Rules>::may_overwrite(const View& view) const {
    return program_.buffers[view.buffer].life == Life::transient &&
           !protected_.contains(view.buffer);
}

// Every tensor in this memory counts, including a reshape's result. Layers before the task's have
// run by now.
template <class Engine, ViewRules Rules>
bool GraphLowering<Engine, Rules>::may_replace(const View& view, LayerId reader) const {
    if (trains() || keeps_memory() || !may_overwrite(view)) {
        return false;
    }
    const auto consumers = consumers_of(graph_);
    for (TensorId tensor = 0; tensor < states_.size(); ++tensor) {
        const auto lies_there = [&](const View& copy) { return copy.buffer == view.buffer; };
        const auto is_done = [&](LayerId layer) { return layer < task_.layer || layer == reader; };
        if (std::ranges::any_of(states_[tensor].values, lies_there) &&
            (std::ranges::count(graph_.outputs, tensor) > 0 ||
             !std::ranges::all_of(consumers[tensor], is_done))) {
            return false;
        }
    }
    return true;
}

// The sum of several readers' contributions, in the layout of the first that may be overwritten.
template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::accumulated(std::vector<View> contributions) -> View {
    if (contributions.size() == 1) {
        return contributions.front();
    }
    const auto free =
        std::ranges::find_if(contributions, [&](const View& view) { return may_overwrite(view); });
    const bool in_place = free != contributions.end();
    if (in_place) {
        std::iter_swap(contributions.begin(), free);
    }
    const Layout layout = Rules::layout_of(contributions.front());
    for (View& view : contributions) {
        std::vector<View> copies = {view};
        view = convert(copies, layout);
    }
    const View sum = in_place ? contributions.front() : make_transient(layout);
    const auto moved = static_cast<double>((contributions.size() + 1) * Rules::bytes_of(layout));
    add_step(StepKind::accumulate, engine().sum_of(contributions, sum), {moved});
    return sum;
}

// A copy in another layout; a step makes it if none exists yet.
template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::convert(std::vector<View>& copies, const Layout& wanted)
    -> View {
    const auto found = std::ranges::find_if(
        copies, [&](const View& copy) { return Rules::layout_of(copy) == wanted; });
    if (found != copies.end()) {
        return Rules::reinterpreted(*found, wanted);
    }
    const View from = reshaped(copies.front(), copies, Rules::dims_of(wanted));
    if (Rules::layout_of(from) == wanted) {
        return Rules::reinterpreted(from, wanted);
    }
    copies.push_back(Rules::same_memory(Rules::layout_of(from), wanted)
                         ? Rules::reinterpreted(from, wanted)
                         : reordered(from, wanted));
    return copies.back();
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::reordered(const View& from, const Layout& wanted) -> View {
    const View to = once_ ? make_persistent(wanted) : make_transient(wanted);
    Work work = engine().reorder(from, to);
    if (once_) {
        std::ranges::move(work.calls, std::back_inserter(program_.preparations));
        return to;
    }
    const std::size_t moved = Rules::bytes_of(Rules::layout_of(from)) + Rules::bytes_of(wanted);
    add_step(StepKind::reorder, std::move(work), {static_cast<double>(moved)});
    return to;
}

// The same elements with other extents; only row-major values can be reinterpreted without a copy.
template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::reshaped(const View& view, std::vector<View>& copies,
                                            const Dims& dims) -> View {
    const Layout layout = Rules::layout_of(view);
    if (Rules::dims_of(layout) == dims) {
        return view;
    }
    const Layout rows = Rules::rows_of(layout, Rules::dims_of(layout));
    const View dense = Rules::same_memory(layout, rows) ? view : convert(copies, rows);
    return Rules::reinterpreted(dense, Rules::rows_of(rows, dims));
}

}  // namespace strata
