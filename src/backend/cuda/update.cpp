// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/update.h"

#include "backend/cuda/layer_lowering.h"

#include <algorithm>

namespace strata::cuda {

namespace {

constexpr Format row_floats = {ElementType::f32, Order::rows};

// Momentum or moments, and with Adam the count of steps and what follows from it.
void add_states(Lowering& lowering, const Dims& dims, std::vector<Place>& places) {
    const Optimizer& optimizer = lowering.execution().optimizer;
    for (int state = 0; state < cost_of(optimizer).states; ++state) {
        places.push_back(lowering.make_persistent(dims, row_floats));
    }
    if (std::holds_alternative<Adam>(optimizer)) {
        places.push_back(lowering.make_persistent({3}, row_floats));
    }
}

void add_update(Lowering& lowering, TensorId tensor, std::vector<Call>& calls) {
    const Place weight = lowering.value(tensor);
    std::vector<Place> places = {weight, lowering.gradient(tensor, weight.format)};
    add_states(lowering, weight.dims, places);
    for (Kernel& kernel : update_kernels(lowering.execution().optimizer, product(weight.dims))) {
        calls.push_back({std::move(kernel), places});
    }
}

}  // namespace

// Element by element over whatever order the weight lies in.
void lower_update(Lowering& lowering, LayerId layer) {
    std::vector<Call> calls;
    for (const TensorId tensor : lowering.graph().layers[layer].inputs) {
        if (lowering.schedule().updated_by[tensor] == layer) {
            add_update(lowering, tensor, calls);
        }
    }
    lowering.compute({"strata:" + std::string(name_of(lowering.execution().optimizer))},
                     std::move(calls));
}

}  // namespace strata::cuda
