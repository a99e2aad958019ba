// SPDX-License-Identifier: MIT
#pragma once

#include "backend/profiling.h"
#include "backend/reference/reference.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace strata::testing {

// A step's action: its own work and what the script adds.
using Script = std::function<void(Executable&)>;

// The reference with a script: steps do something else afterwards, are refused, added or left out.
// It imitates a library that does something differently, or wrongly.
class ScriptedExecutable final : public Executable {
public:
    explicit ScriptedExecutable(std::unique_ptr<Executable> real) : real_(std::move(real)) {
        for (std::size_t step = 0; step < real_->steps().size(); ++step) {
            steps_.push_back(real_->steps()[step]);
            actions_.push_back([step](Executable& executable) { executable.run_step(step); });
        }
    }

    void after(std::size_t step, Script script) {
        actions_[step] = [before = actions_[step], script = std::move(script)](Executable& real) {
            before(real);
            script(real);
        };
    }

    void refuse(std::size_t step, std::string reason) {
        steps_[step].state = Refused{std::move(reason)};
        actions_[step] = [](Executable&) {};
    }

    void choose_algorithm(std::size_t step, std::string algorithm) {
        steps_[step].algorithm = std::move(algorithm);
    }

    // What the step says of itself: everything but its work and its state.
    void describe(std::size_t step, const std::function<void(Step&)>& change) {
        change(steps_[step]);
    }

    // Of the imagined clock, each time the step runs; a millisecond where nothing is said.
    void take_time(std::size_t step, std::function<Seconds()> time) {
        times_[step] = std::move(time);
    }

    // The step's work is done by the step of another task.
    void include(std::size_t step, const Task& enclosing) {
        refuse(step, "");
        steps_[step].state = IncludedIn{enclosing};
    }

    void insert_before(std::size_t step, Step added, Script script) {
        const auto at = static_cast<std::ptrdiff_t>(step);
        steps_.insert(steps_.begin() + at, std::move(added));
        actions_.insert(actions_.begin() + at, std::move(script));
    }

    // Removes the step from the list; its work is done together with the previous step's.
    void merge_into_previous(std::size_t step) {
        const auto at = static_cast<std::ptrdiff_t>(step);
        after(step - 1, actions_[step]);
        steps_.erase(steps_.begin() + at);
        actions_.erase(actions_.begin() + at);
    }

    std::span<const Step> steps() const override { return steps_; }
    Seconds run() override { return run_steps({}); }
    Seconds run_timed(std::span<Seconds> times) override { return run_steps(times); }
    void run_step(std::size_t step) override { actions_[step](*real_); }

    HostValues read(TensorId tensor, Content content) const override {
        return real_->read(tensor, content);
    }
    void write(TensorId tensor, Content content, std::span<const float> values) override {
        real_->write(tensor, content, values);
    }
    Profiling* profiling() override { return profiling_.get(); }

    bool fails_to_record() const override { return fails_to_record_; }
    void fail_to_record() { fails_to_record_ = true; }

    void profile_with(std::unique_ptr<Profiling> profiling) { profiling_ = std::move(profiling); }

private:
    // Every step takes a millisecond of an imagined clock unless it was told otherwise.
    Seconds run_steps(std::span<Seconds> times) {
        Seconds total;
        for (std::size_t step = 0; step < steps_.size(); ++step) {
            run_step(step);
            const auto planted = times_.find(step);
            const Seconds time = planted == times_.end() ? Seconds{1e-3} : planted->second();
            total += time;
            if (!times.empty()) {
                times[step] = time;
            }
        }
        return total;
    }

    std::unique_ptr<Executable> real_;
    std::vector<Step> steps_;
    std::vector<Script> actions_;
    std::map<std::size_t, std::function<Seconds()>> times_;
    std::unique_ptr<Profiling> profiling_;
    bool fails_to_record_ = false;
};

// A backend that calls `direct` to script its executables.
class ScriptedBackend final : public Backend {
public:
    explicit ScriptedBackend(std::function<void(ScriptedExecutable&)> direct)
        : direct_(std::move(direct)) {}

    LossScope loss_scope() const override { return scope; }

    BackendInfo info() const override { return {"scripted", "1", "the reference with a script"}; }

    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) override {
        asked = execution;
        auto executable = std::make_unique<ScriptedExecutable>(
            make_reference_backend()->prepare(graph, execution));
        direct_(*executable);
        return executable;
    }

    Execution asked = {};  // of the last preparation
    LossScope scope = LossScope::process;

private:
    std::function<void(ScriptedExecutable&)> direct_;
};

}  // namespace strata::testing
