// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <map>
#include <utility>

namespace strata {

// Which tasks an executable has steps for, and which of them it refuses.
class TaskStates {
public:
    explicit TaskStates(std::span<const Step> steps) {
        for (const Step& step : steps) {
            if (step.kind == StepKind::compute) {
                executed_[{step.layer, step.pass}] = step.refusal.empty();
            }
        }
    }

    bool known(const Task& task) const { return executed_.contains({task.layer, task.pass}); }
    bool executed(const Task& task) const { return known(task) && executed_.at(key(task)); }
    bool refused(const Task& task) const { return known(task) && !executed_.at(key(task)); }

private:
    using Key = std::pair<LayerId, Pass>;
    static Key key(const Task& task) { return {task.layer, task.pass}; }

    std::map<Key, bool> executed_;
};

}  // namespace strata
