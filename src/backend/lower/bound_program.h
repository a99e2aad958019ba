// SPDX-License-Identifier: MIT
#pragma once

#include "backend/lower/lowering.h"
#include "base/error.h"
#include "base/text.h"

namespace strata {

// The part of a lowered program that an executable keeps: its steps, the calls of each with
// addresses bound, and where tensors can be read and written between steps. Must not outlive the
// objects that its calls use.
template <ViewRules Rules, class BoundCall>
class BoundProgram {
public:
    using View = typename Rules::View;
    using Program = LoweredProgram<View, typename Rules::Call>;

    std::vector<Step> steps;
    std::vector<std::vector<BoundCall>> calls;  // by step
    std::vector<BoundCall> preparations;

    // `bind_step` binds a step's calls to addresses and may change the step; `bind` binds one call.
    template <class BindStep, class Bind>
    void bind(const Graph& graph, Program& program, const BindStep& bind_step, const Bind& bind) {
        for (const GraphTensor& tensor : graph.tensors) {
            tensor_names_.push_back(tensor.name);
        }
        tensors_ = std::move(program.tensors);
        for (typename Program::PlannedStep& planned : program.steps) {
            steps.push_back(std::move(planned.step));
            calls.push_back(bind_step(std::move(planned.calls), steps.back()));
        }
        for (auto& call : program.preparations) {
            preparations.push_back(bind(std::move(call)));
        }
    }

    // Throws Error if the tensor shares its memory.
    const View& view_of(TensorId tensor, Content content) const {
        const typename Program::TensorViews& views = tensors_[tensor];
        const auto& view = content == Content::value ? views.value : views.gradient;
        if (!view) {
            throw Error("Tensor " + printable(tensor_names_[tensor]) +
                        " has no memory of its own in this execution; prepare it with memory "
                        "kept.");
        }
        return *view;
    }

private:
    std::vector<typename Program::TensorViews> tensors_;
    std::vector<std::string> tensor_names_;
};

// Writes the values that exist before the first iteration; `fill` writes those of one view.
template <class View, class Call, class Fill>
void initialize(const LoweredProgram<View, Call>& program, const Fill& fill) {
    for (const auto& initialization : program.initializations) {
        fill(initialization.view, initialization.values());
    }
}

}  // namespace strata
