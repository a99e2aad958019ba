// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "graph/memory.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Shared by all backends that lower a graph to steps of calls, whatever a view or a call is.
namespace strata {

// A piece of memory that a program uses: index into its buffers.
using BufferId = std::size_t;

// Whether a buffer is needed all the time or only from its first to its last step.
enum class Life { persistent, transient };

// What is known about a buffer before it has an address.
struct PlannedBuffer {
    std::size_t bytes = 0;
    Life life = Life::transient;
    std::size_t first_step = 0;
    std::size_t last_step = 0;
    bool used = false;

    // Marks a read or write by a step. Requires: steps in ascending order.
    void use(std::size_t step) {
        first_step = used ? first_step : step;
        last_step = step;
        used = true;
    }
};

// The lifetime of each buffer of a program with this many steps; persistent ones live throughout.
std::vector<Lifetime> lifetimes_of(std::span<const PlannedBuffer> buffers, std::size_t steps);

// Why a layer or a pass is not supported; it becomes a refused step.
struct Refusal {
    std::string reason;
};

// Throws Refusal if the execution omits this pass of the layer.
void refuse_omitted(const Execution& execution, const Layer& layer, Pass pass);

// A step's description.
struct StepText {
    std::string implementation = {};
    std::string layout = {};
    std::string algorithm = {};
    StepChoice choice = {};
    std::optional<Operations> operations = {};
};

// A step of a task's layer and pass.
Step step_of(const Task& task, StepKind kind, StepText text, Bytes workspace, Bytes moved);

// A graph lowered to calls on buffers that have no addresses yet. A view says where values are and
// in what layout: at least it names the buffer.
template <class View, class Call>
struct LoweredProgram {
    // A step and its calls: none if it is refused.
    struct PlannedStep {
        Step step;
        std::vector<Call> calls;
    };
    // The initial values of a persistent view. They are made one at a time, so that no two sets
    // exist in addition to the views themselves.
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
    // Copies of values that inference never changes, made once: after initialization and after each
    // write.
    std::vector<Call> preparations;
    std::vector<TensorViews> tensors;
};

// One layer's operator, and the state that its passes share. Each function adds the steps of one
// pass. If it cannot, it throws Refusal or a library's error before it has added a compute step.
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
