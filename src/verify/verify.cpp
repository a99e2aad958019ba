// SPDX-License-Identifier: MIT
#include "verify/verify.h"

#include "backend/gradients.h"
#include "backend/reference/update.h"
#include "base/text.h"
#include "verify/reference_results.h"
#include "verify/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace strata {

namespace {

// The steps [first, last) of one layer and pass, from its first compute step on.
struct Unit {
    std::size_t first = 0;
    std::size_t last = 0;
    Task task;
};

// One verification under construction.
class Verification {
public:
    Verification(const Graph& graph, const Execution& execution, Executable& executable)
        : graph_(graph),
          execution_(execution),
          executable_(executable),
          schedule_(schedule_of(graph, execution)),
          states_(executable.steps()) {}

    std::vector<StepCheck> run() {
        const auto steps = executable_.steps();
        for (std::size_t step = 0; step < steps.size();) {
            if (steps[step].kind != StepKind::compute) {
                run_between(step++);
            } else {
                const Unit unit = unit_at(step);
                steps[step].runs() ? check_unit(unit) : refuse(unit);
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
        if (!between.runs()) {
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

    // The layers of a forward unit, in order: its own first.
    std::vector<LayerId> layers_done_by(const Task& task) const {
        std::vector<LayerId> layers = {task.layer};
        for (const Step& step : executable_.steps()) {
            if (step.within() == task) {
                layers.push_back(step.layer);
            }
        }
        return layers;
    }

    // Within a unit the reference uses its own values, because the tensors between the layers have
    // no memory. Each layer may round as it would alone.
    void check_fused(const Unit& unit, const std::vector<LayerId>& layers) {
        execute(unit);
        Expected made;
        for (const LayerId id : layers) {
            const Layer& layer = graph_.layers[id];
            LayerValues values = read_for_forward(graph_, execution_, layer, executable_);
            ExecutedLayer executed = {graph_, execution_, layer,
                                      executable_.steps()[unit.first].algorithm};
            Expected next = reference_results(executed, values).outputs.front();
            next.tolerance += made.tolerance;
            next.typical = std::max(next.typical, made.typical);
            made = std::move(next);
            if (id != layers.back()) {
                executable_.keep(layer.outputs.front(), made.values);
            }
        }
        const Layer& last = graph_.layers[layers.back()];
        compare_value(unit, last.outputs.front(), made);
        if (std::holds_alternative<Activation>(last.op)) {
            keep_side_of_corner(last);
        }
    }

    // A sum near 0 may be rounded to the other side of ReLU's corner: its backward pass uses the
    // computed value.
    void keep_side_of_corner(const Layer& relu) {
        HostValues inputs = executable_.read(relu.inputs.front(), Content::value);
        const HostValues results = executable_.read(relu.outputs.front(), Content::value);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            inputs[i] = results[i] > 0 ? results[i] : std::min(inputs[i], 0.0F);
        }
        executable_.keep(relu.inputs.front(), std::move(inputs));
    }

    void check_forward(const Unit& unit) {
        if (const auto layers = layers_done_by(unit.task); layers.size() > 1) {
            return check_fused(unit, layers);
        }
        const Layer& layer = layer_of(unit);
        LayerValues values = read_for_forward(graph_, execution_, layer, executable_);
        execute(unit);
        const ForwardResults results = reference_results(executed(unit), values);
        for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
            compare_value(unit, layer.outputs[i], results.outputs[i]);
        }
        for (const auto& [operand, statistic] : results.statistics) {
            compare_value(unit, layer.inputs[operand], statistic);
        }
    }

    void check_backward(const Unit& unit) {
        const Layer& layer = layer_of(unit);
        for (const TensorId tensor : layer.outputs) {
            settle(tensor);
        }
        const auto wanted = contributions_of(unit.task);
        LayerValues values = read_for_backward(schedule_, layer, wanted, executable_);
        execute(unit);
        const auto gradients = reference_gradients(executed(unit), values);
        for (const auto& [operand, gradient] : gradients) {
            const TensorId tensor = layer.inputs[operand];
            gradients_.contribute(tensor, unit.first, gradient,
                                  executable_.read(tensor, Content::gradient));
        }
    }

    // The operands whose gradients a task computes: its own, and those of the backward_weights done
    // within it.
    std::vector<bool> contributions_of(const Task& task) const {
        auto wanted = gradient_operands(graph_, schedule_, task);
        if (task.pass == Pass::backward_data && computes_weights_along(task.layer)) {
            const auto weights =
                gradient_operands(graph_, schedule_, {task.layer, Pass::backward_weights});
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                wanted[i] = wanted[i] || weights[i];
            }
        }
        return wanted;
    }

    bool computes_weights_along(LayerId layer) const {
        return states_.within({layer, Pass::backward_weights}) ==
                   Task{layer, Pass::backward_data} &&
               states_.executed({layer, Pass::backward_data});
    }

    // The weights before and after; the optimizer's state starts at 0.
    void check_update(const Unit& unit) {
        std::map<TensorId, HostValues> updated;
        for (const TensorId tensor : updated_parameters(graph_, schedule_, unit.task.layer)) {
            settle(tensor);
            HostValues weight = executable_.read(tensor, Content::value);
            OptimizerState state = initial_state(execution_.numerics.optimizer, weight.size());
            reference_update(execution_.numerics.optimizer,
                             executable_.read(tensor, Content::gradient), state, weight);
            updated[tensor] = std::move(weight);
        }
        execute(unit);
        for (const auto& [tensor, weight] : updated) {
            compare_value(unit, tensor,
                          {weight, 0, update_tolerance(execution_.numerics.optimizer)});
        }
    }

    // Nothing is executed, so gradients that the unit would have contributed to cannot be judged.
    void refuse(const Unit& unit) {
        if (unit.task.pass == Pass::backward_weights && computes_weights_along(unit.task.layer)) {
            return;
        }
        const auto receives = gradient_operands(graph_, schedule_, unit.task);
        for (std::size_t i = 0; i < receives.size(); ++i) {
            if (receives[i]) {
                gradients_.refuse(layer_of(unit).inputs[i]);
            }
        }
    }

    // Layers without a step, such as a reshape that moves nothing, contribute through shared
    // memory.
    void contribute_without_step(TensorId tensor) {
        for (const Task& task : schedule_.tasks) {
            const Layer& layer = graph_.layers[task.layer];
            const auto found = std::ranges::find(layer.inputs, tensor);
            const auto operand = static_cast<std::size_t>(found - layer.inputs.begin());
            if (found == layer.inputs.end() || states_.known(task) ||
                !gradient_operands(graph_, schedule_, task)[operand]) {
                continue;
            }
            std::ranges::for_each(layer.outputs, [&](TensorId output) { settle(output); });
            LayerValues values =
                read_for_backward(schedule_, layer, contributions_of(task), executable_);
            gradients_.contribute_silently(
                tensor, reference_gradients({graph_, execution_, layer, {}}, values).at(operand));
        }
    }

    ExecutedLayer executed(const Unit& unit) const {
        return {graph_, execution_, layer_of(unit), executable_.steps()[unit.first].algorithm};
    }

    void compare_value(const Unit& unit, TensorId tensor, const Expected& expected) {
        const auto comparison = expected.compare(executable_.read(tensor, Content::value));
        note(unit.first, comparison, graph_.tensors[tensor].name);
    }

    // Compares a gradient that is about to be read, or that nothing will read.
    void settle(TensorId tensor) {
        if (gradients_.has(tensor)) {
            contribute_without_step(tensor);
        }
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

    // The check of a step is its worst tensor's.
    void note(std::size_t step, const TensorError& comparison, const std::string& subject) {
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
    InnerValues executable_;
    Schedule schedule_;
    TaskStates states_;
    GradientLedger gradients_;
    std::map<std::size_t, StepCheck> checks_;  // by step
};

}  // namespace

std::vector<StepCheck> verify(const Graph& graph, const Execution& execution,
                              Executable& executable) {
    return Verification(graph, execution, executable).run();
}

}  // namespace strata
