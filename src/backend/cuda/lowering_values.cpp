// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/copy.h"
#include "backend/cuda/lowering.h"
#include "backend/inputs.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata::cuda {

namespace {

Kernel reorder_kernel(const Place& from, const Place& to) {
    return strided_copy("strata:reorder", from.dims,
                        {from.format.type, strides_of(from.dims, from.format.order)},
                        {to.format.type, strides_of(to.dims, to.format.order)});
}

// Of images without channels or extents both orders are the same.
bool lie_alike(const Place& place, Format wanted) {
    return place.format == wanted ||
           (place.format.type == wanted.type && !has_channel_order(place.dims));
}

}  // namespace

Place Lowering::value(TensorId tensor) {
    TensorState& state = states_[tensor];
    if (state.values.empty()) {
        place_from_outside(tensor, row_format(tensor));
    }
    return state.values.front();
}

Place Lowering::shaped_value(TensorId tensor) {
    const Place place = value(tensor);
    return reshaped(place, states_[tensor].values, dims(tensor));
}

Place Lowering::value(TensorId tensor, Format wanted) {
    TensorState& state = states_[tensor];
    if (state.values.empty()) {
        place_from_outside(tensor, wanted);
    }
    once_ = never_changes(tensor);
    const Place place = convert(state.values, dims(tensor), wanted);
    once_ = false;
    return place;
}

bool Lowering::never_changes(TensorId tensor) const {
    const Role role = graph_.tensors[tensor].role;
    return !trains() &&
           (role == Role::parameter || role == Role::statistic || role == Role::constant);
}

// A tensor that no layer computes lies where its first reader wants it. Masters of a training run
// are f32 whatever the readers compute in, so a narrower reader gets a copy an iteration.
void Lowering::place_from_outside(TensorId tensor, Format wanted) {
    if (trains() && graph_.tensors[tensor].role == Role::parameter) {
        wanted.type = ElementType::f32;
    }
    states_[tensor].values = {
        make_persistent(dims(tensor), wanted, [&graph = graph_, tensor, seed = execution_.seed] {
            return initial_values(graph, tensor, seed);
        })};
}

Place Lowering::make_value(TensorId tensor, Format format) {
    states_[tensor].values = {make_transient(dims(tensor), format)};
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

// A copy in another format, made by a step where there is none yet.
Place Lowering::convert(std::vector<Place>& copies, const Dims& dims, Format wanted) {
    const auto found = std::ranges::find_if(
        copies, [&](const Place& copy) { return copy.dims == dims && lie_alike(copy, wanted); });
    if (found != copies.end()) {
        return {found->buffer, dims, wanted, found->offset};
    }
    const Place from = reshaped(copies.front(), copies, dims);
    if (lie_alike(from, wanted)) {
        return {from.buffer, dims, wanted, from.offset};
    }
    copies.push_back(reordered(from, wanted));
    return copies.back();
}

Place Lowering::reordered(const Place& from, Format wanted) {
    const Place to = once_ ? make_persistent(from.dims, wanted) : make_transient(from.dims, wanted);
    Call call = {reorder_kernel(from, to), {from, to}};
    if (once_) {
        program_.preparations.push_back(std::move(call));
        return to;
    }
    const auto moved = static_cast<double>(from.bytes() + to.bytes());
    add_step(StepKind::reorder,
             {"strata:reorder", fmt::format("{} -> {}", text_of(from.dims, from.format),
                                            text_of(to.dims, to.format))},
             {moved}, {std::move(call)});
    return to;
}

// The same elements under other extents: only rows can be read so without a copy.
Place Lowering::reshaped(const Place& place, std::vector<Place>& copies, const Dims& dims) {
    if (place.dims == dims) {
        return place;
    }
    Place dense = place;
    if (!lie_alike(place, {place.format.type, Order::rows})) {
        dense = convert(copies, place.dims, {place.format.type, Order::rows});
    }
    return {dense.buffer, dims, {dense.format.type, Order::rows}, dense.offset};
}

}  // namespace strata::cuda
