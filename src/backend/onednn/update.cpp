// SPDX-License-Identifier: MIT
#include "backend/onednn/kernels.h"
#include "backend/onednn/layer_lowering.h"

namespace strata::onednn {

namespace {

Call update_of(Lowering& lowering, TensorId tensor) {
    const Place weight = lowering.value(tensor);
    const Place gradient = lowering.gradient(tensor, weight.desc);
    const Place momentum = lowering.make_persistent(weight.desc, {});
    const auto rate = static_cast<float>(lowering.execution().optimizer.learning_rate);
    const auto keep = static_cast<float>(lowering.execution().optimizer.momentum);
    return KernelCall{
        [count = stored_elements_of(weight.desc), rate, keep](std::span<void* const> at) {
            sgd_momentum(static_cast<float*>(at[0]), static_cast<float*>(at[1]),
                         static_cast<const float*>(at[2]), count, rate, keep);
        },
        {weight, momentum, gradient}};
}

}  // namespace

// Flat over whatever lies in memory: what fills up blocks is zero in all three and stays so.
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

}  // namespace strata::onednn
