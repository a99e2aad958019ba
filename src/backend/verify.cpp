// SPDX-License-Identifier: MIT
#include "backend/verify.h"

#include "backend/comparison.h"
#include "backend/gradient_ledger.h"
#include "backend/gradients.h"
#include "backend/layer_values.h"
#include "backend/reference/step.h"
#include "base/text.h"

#include <fmt/format.h>

#include <map>

namespace strata {

namespace {

// The steps [first, last) of one layer and pass, from its first compute step on.
struct Unit {
    std::size_t first = 0;
    std::size_t last = 0;
    Task task;
};

// One verification in the making.
class Verification {
public:
    Verification(const Graph& graph, const Execution& execution, Executable& executable)
        : graph_(graph),
          execution_(execution),
          executable_(executable),
          schedule_(schedule_of(graph, execution)) {}

    std::vector<StepCheck> run() {
        const auto steps = executable_.steps();
        for (std::size_t step = 0; step < steps.size();) {
            if (steps[step].kind != StepKind::compute) {
                run_between(step++);
            } else {
                const Unit unit = unit_at(step);
                steps[step].refusal.empty() ? check_unit(unit) : refuse(unit);
                step = unit.last;
            }
        }
        for (const TensorId tensor : gradients_.tensors()) {
            settle(tensor);
        }
        return in_order();
    }

private:
    Unit unit_at(std::size_t step) const {
        const auto steps = executable_.steps();
        const auto same = [&](const Step& other) {
            return other.layer == steps[step].layer && other.pass == steps[step].pass;
        };
        std::size_t last = step + 1;
        while (last < steps.size() && same(steps[last])) {
            ++last;
        }
        return {step, last, {steps[step].layer, steps[step].pass}};
    }

    const Layer& layer_of(const Unit& unit) const { return graph_.layers[unit.task.layer]; }

    // A reorder or an accumulation.
    void run_between(std::size_t step) {
        const Step& between = executable_.steps()[step];
        if (!between.refusal.empty()) {
            return;
        }
        executable_.run_step(step);
        if (between.kind == StepKind::accumulate) {
            gradients_.accumulate(graph_.layers[between.layer].inputs, step);
            gradients_.accumulate(graph_.layers[between.layer].outputs, step);
        }
    }

    void execute(const Unit& unit) {
        for (std::size_t step = unit.first; step < unit.last; ++step) {
            if (executable_.steps()[step].kind == StepKind::compute) {
                checks_[step].step = step;
                executable_.run_step(step);
            } else {
                run_between(step);
            }
        }
    }

    void check_unit(const Unit& unit) {
        switch (unit.task.pass) {
            case Pass::forward:
                return check_forward(unit);
            case Pass::backward_data:
            case Pass::backward_weights:
                return check_backward(unit);
            case Pass::update:
                return check_update(unit);
        }
    }

    void check_forward(const Unit& unit) {
        const Layer& layer = layer_of(unit);
        const Signature signature = signature_of(graph_, layer);
        LayerValues values = read_for_forward(graph_, execution_, layer, executable_);
        execute(unit);
        const ReferenceOperands operands = values.view(signature, execution_);
        compute_forward(layer.op, operands);
        const SumShape sum = forward_sum(layer.op, operands);
        for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
            compare_value(unit, layer.outputs[i], expected(unit, sum, values.outputs[i]));
        }
        for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
            if (!values.statistics[i].empty()) {
                const SumShape mean{.length = sum.length};
                compare_value(unit, layer.inputs[i], expected(unit, mean, values.statistics[i]));
            }
        }
    }

    void check_backward(const Unit& unit) {
        const Layer& layer = layer_of(unit);
        for (const TensorId tensor : layer.outputs) {
            settle(tensor);
        }
        const Signature signature = signature_of(graph_, layer);
        LayerValues values = read_for_backward(graph_, schedule_, unit.task, executable_);
        execute(unit);
        const ReferenceOperands operands = values.view(signature, execution_);
        compute_backward(layer.op, operands);
        for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
            if (operands.wants_gradient(i)) {
                const SumShape sum = gradient_sum(layer.op, operands, i);
                gradients_.contribute(layer.inputs[i], unit.first,
                                      expected(unit, sum, values.input_gradients[i]),
                                      executable_.read(layer.inputs[i], Content::gradient));
            }
        }
    }

    // The weights before and after; momentum starts at 0.
    void check_update(const Unit& unit) {
        std::map<TensorId, HostValues> updated;
        for (const TensorId tensor : updated_parameters(graph_, schedule_, unit.task.layer)) {
            settle(tensor);
            HostValues weight = executable_.read(tensor, Content::value);
            HostValues momentum(weight.size());
            reference_update(execution_.optimizer, executable_.read(tensor, Content::gradient),
                             momentum, weight);
            updated[tensor] = std::move(weight);
        }
        execute(unit);
        for (const auto& [tensor, weight] : updated) {
            // Two products and two sums of f32, whatever the activations are.
            constexpr double eight_roundings = 8 * 0x1p-24;
            compare_value(unit, tensor, {weight, 0, eight_roundings});
        }
    }

    // Nothing is executed; gradients that the unit would have contributed to cannot be judged.
    void refuse(const Unit& unit) {
        const auto receives = gradient_operands(graph_, schedule_, unit.task);
        for (std::size_t i = 0; i < receives.size(); ++i) {
            if (receives[i]) {
                gradients_.refuse(layer_of(unit).inputs[i]);
            }
        }
    }

    Expected expected(const Unit& unit, const SumShape& sum, const HostValues& values) const {
        return {values, sum.typical(),
                tolerance_of(sum, execution_.dtype, executable_.steps()[unit.first].algorithm)};
    }

    void compare_value(const Unit& unit, TensorId tensor, const Expected& expected) {
        const auto comparison = expected.compare(executable_.read(tensor, Content::value));
        note(unit.first, comparison, graph_.tensors[tensor].name);
    }

    // Compares a gradient that is about to be read, or that nobody reads any more.
    void settle(TensorId tensor) {
        const auto pending = gradients_.take(tensor);
        if (!pending) {
            return;
        }
        const auto comparison =
            pending->expected.compare(executable_.read(tensor, Content::gradient));
        const std::string subject = "the gradient of " + graph_.tensors[tensor].name;
        if (!comparison.agrees()) {
            return note(pending->suspect(), comparison, subject);
        }
        for (const std::size_t step : pending->contributors) {
            note(step, comparison, subject);
        }
    }

    // A step's check is that of its worst tensor.
    void note(std::size_t step, const Comparison& comparison, const std::string& subject) {
        StepCheck& check = checks_[step];
        check.step = step;
        const bool worse = check.tolerance == 0 ||
                           comparison.error * check.tolerance > check.error * comparison.tolerance;
        if (!worse) {
            return;
        }
        check.error = comparison.error;
        check.tolerance = comparison.tolerance;
        check.reason =
            comparison.agrees()
                ? std::string()
                : fmt::format("{} differs from the reference by {:.1e} (tolerance {:.1e})",
                              printable(subject), check.error, check.tolerance);
    }

    std::vector<StepCheck> in_order() const {
        std::vector<StepCheck> list;
        for (const auto& [step, check] : checks_) {
            list.push_back(check);
        }
        return list;
    }

    const Graph& graph_;
    const Execution& execution_;
    Executable& executable_;
    Schedule schedule_;
    GradientLedger gradients_;
    std::map<std::size_t, StepCheck> checks_;  // by step
};

}  // namespace

std::vector<StepCheck> verify(const Graph& graph, const Execution& execution,
                              Executable& executable) {
    return Verification(graph, execution, executable).run();
}

}  // namespace strata
