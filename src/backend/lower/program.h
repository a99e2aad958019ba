// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "graph/memory.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// What backends that lower a graph to steps of calls have in common, wherever values lie and
// whatever a call is.
namespace strata {

// A piece of memory that a program uses: index into its buffers.
using BufferId = std::size_t;

// Whether a buffer is needed all the time or only between its first and its last step.
enum class Life { persistent, transient };

// What is known of a buffer before it has an address.
struct PlannedBuffer {
    std::size_t bytes = 0;
    Life life = Life::transient;
    std::size_t first_step = 0;
    std::size_t last_step = 0;
    bool used = false;

    // Is read or written by a step. Requires: steps in ascending order.
    void use(std::size_t step) {
        first_step = used ? first_step : step;
        last_step = step;
        used = true;
    }
};

// When each buffer of a program with so many steps is needed; persistent ones throughout.
std::vector<Lifetime> lifetimes_of(std::span<const PlannedBuffer> buffers, std::size_t steps);

// Why a layer or a pass cannot be done; it becomes a step with a refusal.
struct Refusal {
    std::string reason;
};

// Throws Refusal where the execution leaves the layer's pass out.
void refuse_omitted(const Execution& execution, const Layer& layer, Pass pass);

// What a step says of itself.
struct StepText {
    std::string implementation = {};
    std::string layout = {};
    std::string algorithm = {};
};

// A step of a task's layer and pass.
Step step_of(const Task& task, StepKind kind, StepText text, Bytes workspace, Bytes moved);

// A graph lowered to calls over buffers that have no addresses yet. A view says where values lie
// and how: at least the buffer.
template <class View, class Call>
struct LoweredProgram {
    // A step and what it executes: nothing where it is refused.
    struct PlannedStep {
        Step step;
        std::vector<Call> calls;
    };
    // The values that a persistent view has before the first iteration; made one after the other,
    // so that no two exist beside the views themselves.
    struct Initialization {
        View view;
        std::function<HostValues()> values;
    };
    // Where a tensor can be read and written between steps.
    struct TensorViews {
        std::optional<View> value;
        std::optional<View> gradient;
    };

    std::vector<PlannedBuffer> buffers;
    std::vector<PlannedStep> steps;
    std::vector<Initialization> initializations;
    // Copies of what inference never changes, made once: after the initial values and each write.
    std::vector<Call> preparations;
    std::vector<TensorViews> tensors;
};

// One layer's operator and what its passes must know of each other. Each function adds the steps of
// one pass; it throws Refusal or a library's error where it cannot, before it has added a compute
// step.
template <class Lowering>
class LoweringOfLayer {
public:
    explicit LoweringOfLayer(const Layer& layer) : layer_(layer) {}
    virtual ~LoweringOfLayer() = default;
    LoweringOfLayer(const LoweringOfLayer&) = delete;
    LoweringOfLayer& operator=(const LoweringOfLayer&) = delete;

    virtual void forward(Lowering& lowering) = 0;
    virtual void backward_data(Lowering&) { throw Refusal{"no backward pass for the data"}; }
    virtual void backward_weights(Lowering&) { throw Refusal{"no backward pass for the weights"}; }

protected:
    TensorId input(std::size_t operand) const { return layer_.inputs[operand]; }
    TensorId output() const { return layer_.outputs.front(); }
    const Layer& layer_;
};

}  // namespace strata
