// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "verify/expected.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace strata {

// An executable that also returns values that exist only within one of its operations: those that
// the reference computed.
class InnerValues final : public Executable {
public:
    explicit InnerValues(Executable& executable) : executable_(executable) {}

    void keep(TensorId tensor, HostValues values) { values_[tensor] = std::move(values); }

    std::span<const Step> steps() const override { return executable_.steps(); }
    Seconds run() override { return executable_.run(); }
    Seconds run_timed(std::span<Seconds> times) override { return executable_.run_timed(times); }
    void run_step(std::size_t step) override { executable_.run_step(step); }
    HostValues read(TensorId tensor, Content content) const override {
        const auto found = values_.find(tensor);
        return content == Content::value && found != values_.end()
                   ? found->second
                   : executable_.read(tensor, content);
    }
    void write(TensorId tensor, Content content, std::span<const float> values) override {
        executable_.write(tensor, content, values);
    }

private:
    Executable& executable_;
    std::map<TensorId, HostValues> values_;
};

// The tasks that an executable has steps for, those that it refuses, and the step that does each.
class TaskStates {
public:
    explicit TaskStates(std::span<const Step> steps) {
        for (const Step& step : steps) {
            if (step.kind == StepKind::compute) {
                executed_[{step.layer, step.pass}] = step.runs();
                within_[{step.layer, step.pass}] = step.within();
            }
        }
    }

    bool known(const Task& task) const { return executed_.contains({task.layer, task.pass}); }
    bool executed(const Task& task) const { return known(task) && executed_.at(key(task)); }
    // The task whose step does this one's work; nothing if it has its own step, or none.
    std::optional<Task> within(const Task& task) const {
        return known(task) ? within_.at(key(task)) : std::nullopt;
    }

private:
    using Key = std::pair<LayerId, Pass>;
    static Key key(const Task& task) { return {task.layer, task.pass}; }

    std::map<Key, bool> executed_;
    std::map<Key, std::optional<Task>> within_;
};

// A gradient under accumulation: the sum of the reference's contributions so far, and their
// sources.
struct PendingGradient {
    Expected expected;
    std::vector<std::size_t> contributors;      // steps, in order
    std::optional<std::size_t> first_mismatch;  // step after which the partial sum was wrong
    std::optional<std::size_t> accumulation;    // step that added up the contributions
    bool whole = true;                          // no contributor was refused

    // The step at fault if the sum is wrong.
    std::size_t suspect() const;
};

// The gradients not yet compared, by tensor.
class GradientLedger {
public:
    // Records a step's contribution; `partial` is the executable's current value of the tensor.
    void contribute(TensorId tensor, std::size_t step, const Expected& contribution,
                    std::span<const float> partial);

    // Records that a layer without its own step contributed by sharing memory.
    void contribute_silently(TensorId tensor, const Expected& contribution) {
        pending_[tensor].expected.add(contribution);
    }

    // Records a refused contributor: the expected sum is unknown.
    void refuse(TensorId tensor) { pending_[tensor].whole = false; }

    // Records that a step added up contributions to one of these tensors.
    void accumulate(std::span<const TensorId> candidates, std::size_t step);

    bool has(TensorId tensor) const { return pending_.contains(tensor); }

    // Removes and returns a gradient that is about to be read; nothing if there is none to compare.
    std::optional<PendingGradient> take(TensorId tensor);

    std::vector<TensorId> tensors() const;

private:
    std::map<TensorId, PendingGradient> pending_;
};

}  // namespace strata
