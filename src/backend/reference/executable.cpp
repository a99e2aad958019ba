// SPDX-License-Identifier: MIT
#include "backend/reference/executable.h"

#include "backend/gradients.h"
#include "backend/inputs.h"
#include "backend/reference/operators.h"
#include "base/error.h"
#include "measure/waits.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <functional>

namespace strata {

namespace {

using MonotonicClock = std::chrono::steady_clock;

Seconds since(MonotonicClock::time_point start) {
    return Seconds{std::chrono::duration<double>(MonotonicClock::now() - start).count()};
}

std::size_t element_count(const GraphTensor& tensor) {
    return static_cast<std::size_t>(tensor.tensor.elements());
}

// Sets the number of threads during its lifetime.
class ThreadCount {
public:
    explicit ThreadCount(int threads) : before_(omp_get_max_threads()) {
        if (threads > 0) {
            omp_set_num_threads(threads);
        }
    }
    ~ThreadCount() { omp_set_num_threads(before_); }
    ThreadCount(const ThreadCount&) = delete;
    ThreadCount& operator=(const ThreadCount&) = delete;

private:
    int before_;
};

}  // namespace

ReferenceExecutable::ReferenceExecutable(const Graph& graph, const Execution& execution)
    : graph_(graph),
      execution_(execution),
      schedule_(schedule_of(graph, execution)),
      first_gradients_(first_gradients(graph, schedule_)) {
    for (const Layer& layer : graph_.layers) {
        signatures_.push_back(signature_of(graph_, layer));
    }
    describe_steps();
    allocate();
}

void ReferenceExecutable::describe_steps() {
    for (const Task& task : schedule_.tasks) {
        Step step;
        step.layer = task.layer;
        step.pass = task.pass;
        step.implementation = "loops";
        step.implementation_kind = ImplementationKind::own;
        step.layout = "row-major";
        std::string refusal =
            reference_refusal(graph_.layers[task.layer].op, signatures_[task.layer]);
        if (!refusal.empty()) {
            step.state = Refused{std::move(refusal)};
        }
        steps_.push_back(step);
    }
}

void ReferenceExecutable::allocate() {
    const auto producers = producers_of(graph_);
    for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
        const std::size_t count = element_count(graph_.tensors[id]);
        values_.push_back(producers[id] ? HostValues(count)
                                        : initial_values(graph_, id, execution_.numerics.seed));
        gradients_.push_back(schedule_.gradient_given[id]
                                 ? output_gradient(graph_, id, execution_.numerics.seed)
                                 : HostValues(schedule_.needs_gradient[id] ? count : 0));
        states_.push_back(
            initial_state(execution_.numerics.optimizer, schedule_.updated_by[id] ? count : 0));
    }
}

Seconds ReferenceExecutable::run() {
    const auto start = MonotonicClock::now();
    for (std::size_t step = 0; step < steps_.size(); ++step) {
        run_step(step);
    }
    return since(start);
}

Seconds ReferenceExecutable::run_timed(std::span<Seconds> times) {
    const auto start = MonotonicClock::now();
    for (std::size_t step = 0; step < steps_.size(); ++step) {
        const auto before = MonotonicClock::now();
        run_step(step);
        times[step] = since(before);
        if (watch_ != nullptr) {
            watch_->took(times[step]);
        }
    }
    return since(start);
}

void ReferenceExecutable::run_step(std::size_t step) {
    if (!steps_[step].runs()) {
        return;
    }
    const ThreadCount threads(execution_.scheduling.threads);
    const Task& task = schedule_.tasks[step];
    switch (task.pass) {
        case Pass::forward:
            return forward(task);
        case Pass::backward_data:
        case Pass::backward_weights:
            return backward(step);
        case Pass::update:
            return update(task);
    }
}

ReferenceOperands ReferenceExecutable::operands_of(const Task& task) {
    const Layer& layer = graph_.layers[task.layer];
    ReferenceOperands operands{signatures_[task.layer], execution_, {}, {}, {}, {}, {}};
    for (const TensorId id : layer.inputs) {
        operands.inputs.emplace_back(values_[id]);
        const bool changes = execution_.numerics.mode == Mode::training &&
                             graph_.tensors[id].role == Role::statistic;
        operands.statistics.push_back(changes ? std::span(values_[id]) : std::span<float>());
    }
    for (const TensorId id : layer.outputs) {
        operands.outputs.emplace_back(values_[id]);
        operands.output_gradients.emplace_back(gradients_[id]);
    }
    return operands;
}

void ReferenceExecutable::forward(const Task& task) {
    compute_forward(graph_.layers[task.layer].op, operands_of(task));
}

void ReferenceExecutable::backward(std::size_t task_index) {
    const Task& task = schedule_.tasks[task_index];
    const Layer& layer = graph_.layers[task.layer];
    const auto receives = gradient_operands(graph_, schedule_, task);
    std::vector<HostValues> contributions;
    for (std::size_t i = 0; i < receives.size(); ++i) {
        contributions.emplace_back(receives[i] ? values_[layer.inputs[i]].size() : 0);
    }
    ReferenceOperands operands = operands_of(task);
    operands.input_gradients.assign(contributions.begin(), contributions.end());
    compute_backward(layer.op, operands);
    for (std::size_t i = 0; i < receives.size(); ++i) {
        if (receives[i]) {
            receive(layer.inputs[i], contributions[i], first_gradients_[task_index][i]);
        }
    }
}

void ReferenceExecutable::receive(TensorId tensor, std::span<const float> contribution,
                                  bool is_first) {
    HostValues& gradient = gradients_[tensor];
    if (is_first) {
        std::ranges::fill(gradient, 0.0F);
    }
    std::ranges::transform(gradient, contribution, gradient.begin(), std::plus<>());
}

void ReferenceExecutable::update(const Task& task) {
    for (const TensorId id : updated_parameters(graph_, schedule_, task.layer)) {
        reference_update(execution_.numerics.optimizer, gradients_[id], states_[id], values_[id]);
    }
}

HostValues ReferenceExecutable::read(TensorId tensor, Content content) const {
    const HostValues& kept = content == Content::value ? values_[tensor] : gradients_[tensor];
    check(content == Content::value || !kept.empty(),
          "only tensors with a gradient have one to read");
    return kept;
}

void ReferenceExecutable::write(TensorId tensor, Content content, std::span<const float> values) {
    HostValues& kept = content == Content::value ? values_[tensor] : gradients_[tensor];
    check(values.size() == kept.size(), "a tensor is written whole");
    std::ranges::copy(values, kept.begin());
}

}  // namespace strata
