// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

float single(double value) {
    return static_cast<float>(value);
}

AdamFactors factors_of(const Adam& optimizer, std::int64_t step) {
    const AdamStep corrected = adam_step(optimizer, step);
    return {.keep1 = single(optimizer.beta1),
            .take1 = single(1 - optimizer.beta1),
            .keep2 = single(optimizer.beta2),
            .take2 = single(1 - optimizer.beta2),
            .rate = single(corrected.rate),
            .epsilon = single(corrected.epsilon)};
}

// Kernels get the weight, its gradient and the optimizer's states, in this order.
Kernel kernel_of(const Sgd& optimizer, std::size_t count) {
    return [=](std::span<void* const> at) {
        sgd(static_cast<float*>(at[0]), static_cast<const float*>(at[1]), count,
            single(optimizer.learning_rate));
    };
}

Kernel kernel_of(const SgdMomentum& optimizer, std::size_t count) {
    return [=](std::span<void* const> at) {
        sgd_momentum(static_cast<float*>(at[0]), static_cast<float*>(at[2]),
                     static_cast<const float*>(at[1]), count, single(optimizer.learning_rate),
                     single(optimizer.momentum));
    };
}

Kernel kernel_of(const Adam& optimizer, std::size_t count) {
    return [=, step = std::int64_t{0}](std::span<void* const> at) mutable {
        adam(static_cast<float*>(at[0]), static_cast<float*>(at[2]), static_cast<float*>(at[3]),
             static_cast<const float*>(at[1]), count, factors_of(optimizer, ++step));
    };
}

Call update_of(Lowering& lowering, TensorId tensor) {
    const Optimizer& optimizer = lowering.execution().numerics.optimizer;
    const TensorView weight = lowering.value(tensor);
    std::vector<TensorView> views = {weight, lowering.gradient(tensor, weight.desc)};
    for (int state = 0; state < cost_of(optimizer).states; ++state) {
        views.push_back(lowering.make_persistent(weight.desc, {}));
    }
    const std::size_t count = stored_elements_of(weight.desc);
    return KernelCall{std::visit([&](const auto& one) { return kernel_of(one, count); }, optimizer),
                      std::move(views)};
}

}  // namespace

// Over all of memory, whatever the layout: padding is zero everywhere and stays zero.
void lower_update(Lowering& lowering, LayerId layer) {
    std::vector<Call> calls;
    std::string layout;
    for (const TensorId tensor : lowering.graph().layers[layer].inputs) {
        if (lowering.schedule().updated_by[tensor] == layer) {
            calls.push_back(update_of(lowering, tensor));
            layout = layout.empty() ? text_of(lowering.value(tensor).desc) : layout;
        }
    }
    lowering.compute({"strata:loops", std::move(layout)}, std::move(calls));
}

}  // namespace strata::cpu
