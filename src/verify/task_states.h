// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <map>
#include <optional>
#include <utility>

namespace strata {

// Which tasks an executable has steps for, which of them it refuses, and whose step does them.
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
    // The task whose step does this one's work; nothing where it has a step of its own, or none.
    std::optional<Task> within(const Task& task) const {
        return known(task) ? within_.at(key(task)) : std::nullopt;
    }

private:
    using Key = std::pair<LayerId, Pass>;
    static Key key(const Task& task) { return {task.layer, task.pass}; }

    std::map<Key, bool> executed_;
    std::map<Key, std::optional<Task>> within_;
};

}  // namespace strata
