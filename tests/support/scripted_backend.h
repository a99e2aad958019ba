// SPDX-License-Identifier: MIT
#pragma once

#include "backend/reference/reference.h"

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace strata::testing {

// What a scripted step does beside its own work, and when.
using Script = std::function<void(Executable&)>;

// The reference with a script: named steps do something else afterwards, or are refused. It stands
// for a library that goes wrong in one place.
class ScriptedExecutable final : public Executable {
public:
    explicit ScriptedExecutable(std::unique_ptr<Executable> real)
        : real_(std::move(real)), steps_(real_->steps().begin(), real_->steps().end()) {}

    void after(std::size_t step, Script script) { scripts_[step] = std::move(script); }
    void refuse(std::size_t step, std::string reason) { steps_[step].refusal = std::move(reason); }
    void name_algorithm(std::size_t step, std::string name) {
        steps_[step].algorithm = std::move(name);
    }

    std::span<const Step> steps() const override { return steps_; }
    Seconds run() override { return run_steps({}); }
    Seconds run_timed(std::span<Seconds> times) override { return run_steps(times); }

    void run_step(std::size_t step) override {
        if (steps_[step].refusal.empty()) {
            real_->run_step(step);
        }
        if (const auto script = scripts_.find(step); script != scripts_.end()) {
            script->second(*real_);
        }
    }

    HostValues read(TensorId tensor, Content content) const override {
        return real_->read(tensor, content);
    }
    void write(TensorId tensor, Content content, std::span<const float> values) override {
        real_->write(tensor, content, values);
    }

private:
    // Every step takes a millisecond of an imagined clock.
    Seconds run_steps(std::span<Seconds> times) {
        for (std::size_t step = 0; step < steps_.size(); ++step) {
            run_step(step);
            if (!times.empty()) {
                times[step] = Seconds{1e-3};
            }
        }
        return Seconds{1e-3 * static_cast<double>(steps_.size())};
    }

    std::unique_ptr<Executable> real_;
    std::vector<Step> steps_;
    std::map<std::size_t, Script> scripts_;
};

// A backend whose executables `direct` prepares for their part.
class ScriptedBackend final : public Backend {
public:
    explicit ScriptedBackend(std::function<void(ScriptedExecutable&)> direct)
        : direct_(std::move(direct)) {}

    BackendInfo info() const override { return {"scripted", "1", "the reference with a script"}; }

    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) override {
        auto executable = std::make_unique<ScriptedExecutable>(
            make_reference_backend()->prepare(graph, execution));
        direct_(*executable);
        return executable;
    }

private:
    std::function<void(ScriptedExecutable&)> direct_;
};

}  // namespace strata::testing
