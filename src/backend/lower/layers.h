// SPDX-License-Identifier: MIT
#pragma once

#include "backend/lower/lowering.h"

#include <type_traits>

// Layers that every engine lowers in the same way, and layers that an engine does not support.
namespace strata {

// Moves nothing: the result is in the input's memory, with the input's extents.
template <class Engine>
class ReshapeLowering : public LoweringOfLayer<Engine> {
public:
    using LoweringOfLayer<Engine>::LoweringOfLayer;

    void forward(Engine& engine) override {
        engine.share_value(this->output(), engine.value(this->input(0)));
        compute_nothing(engine);
    }

    void backward_data(Engine& engine) override {
        engine.share_gradient(this->input(0), engine.gradient(this->output()));
        compute_nothing(engine);
    }

private:
    static void compute_nothing(Engine& engine) {
        typename Engine::Work work;
        work.text.implementation = alias_implementation;
        engine.compute(std::move(work));
    }
};

// A layer that is refused in every pass.
template <class Engine>
class RefusedLayer : public LoweringOfLayer<Engine> {
public:
    RefusedLayer(const Layer& layer, std::string reason)
        : LoweringOfLayer<Engine>(layer), reason_(std::move(reason)) {}

    void forward(Engine&) override { throw Refusal{reason_}; }

private:
    std::string reason_;
};

// A layer's lowering: the one that all engines share; otherwise the one that `lower(layer, op)`
// makes, if the engine supports the operator; otherwise a refusal. So an engine need not name an
// operator that it lacks.
template <class Engine, class Lower>
std::unique_ptr<LoweringOfLayer<Engine>> lowering_of(const Layer& layer, const Lower& lower) {
    return std::visit(
        [&]<class T>(const T& op) -> std::unique_ptr<LoweringOfLayer<Engine>> {
            if constexpr (std::is_same_v<T, Reshape>) {
                return std::make_unique<ReshapeLowering<Engine>>(layer);
            } else if constexpr (std::is_same_v<T, Opaque>) {
                return std::make_unique<RefusedLayer<Engine>>(layer, op.reason);
            } else if constexpr (std::is_invocable_v<Lower, const Layer&, const T&>) {
                return lower(layer, op);
            } else {
                return std::make_unique<RefusedLayer<Engine>>(layer,
                                                              "not implemented in this backend");
            }
        },
        layer.op);
}

}  // namespace strata
