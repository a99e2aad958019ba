// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/reference/operators.h"
#include "backend/reference/update.h"

namespace strata {

// A network executed by the reference operators, one step for each task of its schedule.
class ReferenceExecutable final : public Executable {
public:
    ReferenceExecutable(const Graph& graph, const Execution& execution);

    std::span<const Step> steps() const override { return steps_; }
    Seconds run() override;
    Seconds run_timed(std::span<Seconds> times) override;
    void run_step(std::size_t step) override;
    bool report_to(WaitWatch* watch) override {
        watch_ = watch;
        return true;
    }
    HostValues read(TensorId tensor, Content content) const override;
    void write(TensorId tensor, Content content, std::span<const float> values) override;

private:
    void allocate();
    void describe_steps();
    ReferenceOperands operands_of(const Task& task);
    void forward(const Task& task);
    void backward(std::size_t task);
    void receive(TensorId tensor, std::span<const float> contribution, bool is_first);
    void update(const Task& task);

    Graph graph_;
    Execution execution_;
    Schedule schedule_;
    std::vector<Signature> signatures_;               // by layer
    std::vector<std::vector<bool>> first_gradients_;  // by task and operand
    std::vector<Step> steps_;                         // by task
    std::vector<HostValues> values_;                  // by tensor
    std::vector<HostValues> gradients_;               // by tensor; empty if none is needed
    std::vector<OptimizerState> states_;              // by tensor; empty if not trained
    WaitWatch* watch_ = nullptr;
};

}  // namespace strata
