// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/update.h"

#include "backend/cuda/lowering.h"

namespace strata::cuda {

namespace {

constexpr Format row_floats = {ElementType::f32, Order::rows};

// Adam counts an iteration once for all parameters, before the first is changed.
void count_steps(Lowering& lowering, std::vector<Call>& calls) {
    const auto* adam = std::get_if<Adam>(&lowering.execution().numerics.optimizer);
    if (adam != nullptr && !lowering.optimizer_state()) {
        lowering.optimizer_state() = lowering.make_persistent({3}, row_floats);
        calls.push_back({adam_count(*adam), {*lowering.optimizer_state()}});
    }
}

// The gradient in the order of the weight. The update's kernel reads every element type.
TensorView gradient_in_order(Lowering& lowering, TensorId tensor, const TensorView& weight) {
    const TensorView gradient = lowering.shaped_gradient(tensor);
    return gradient.format.order == weight.format.order ? gradient
                                                        : lowering.gradient(tensor, weight.format);
}

void add_update(Lowering& lowering, TensorId tensor, std::vector<Call>& calls) {
    const Optimizer& optimizer = lowering.execution().numerics.optimizer;
    const TensorView weight = lowering.value(tensor);
    const TensorView gradient = gradient_in_order(lowering, tensor, weight);
    std::vector<TensorView> views = {weight, gradient};
    for (int state = 0; state < cost_of(optimizer).states; ++state) {
        views.push_back(lowering.make_persistent(weight.dims, row_floats));
    }
    if (lowering.optimizer_state()) {
        views.push_back(*lowering.optimizer_state());
    }
    calls.push_back(
        {update_kernel(optimizer, product(weight.dims), gradient.format.type), std::move(views)});
}

}  // namespace

// Elementwise, in whatever order the weight is stored.
void lower_update(Lowering& lowering, LayerId layer) {
    std::vector<Call> calls;
    count_steps(lowering, calls);
    for (const TensorId tensor : lowering.graph().layers[layer].inputs) {
        if (lowering.schedule().updated_by[tensor] == layer) {
            add_update(lowering, tensor, calls);
        }
    }
    lowering.compute({"strata:" + std::string(name_of(lowering.execution().numerics.optimizer))},
                     std::move(calls));
}

}  // namespace strata::cuda
