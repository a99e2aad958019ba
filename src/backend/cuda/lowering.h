// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/program.h"
#include "backend/cuda/properties.h"
#include "graph/fuse.h"

#include <map>
#include <memory>
#include <set>

namespace strata::cuda {

struct BuiltPlan;
struct PlanChoice;

// Whether attention and recurrent layers are left to what cuDNN has for a whole layer, where it
// computes the same, or composed of products and kernels.
enum class LayerForm { library, composed };

// A graph on its way to a program: where each tensor's value and gradient lie, in which format, and
// the steps so far. Operators ask for their operands in the format they want and reorders appear
// only where it is not there yet; each copy is made once and shared. Needs no GPU: only what
// `properties` says of one.
class Lowering {
public:
    Lowering(const Graph& graph, const Execution& execution, const DeviceProperties& properties,
             LayerForm layer_form = LayerForm::library);

    // Every task of the schedule, in order.
    Program run();

    const Graph& graph() const { return graph_; }
    const Execution& execution() const { return execution_; }
    const DeviceProperties& properties() const { return properties_; }
    const Schedule& schedule() const { return schedule_; }
    LayerForm layer_form() const { return layer_form_; }
    bool trains() const { return execution_.mode == Mode::training; }
    bool keeps_memory() const { return execution_.memory == MemoryReuse::kept; }

    const Dims& dims(TensorId tensor) const { return graph_.tensors[tensor].tensor.dims; }
    // Of activations that are numbers with a fraction.
    ElementType element_type() const;
    // Of this tensor's value where a layer computes it: integers and booleans are f32.
    ElementType element_type(TensorId tensor) const;
    // The format of a row-major value of this tensor.
    Format row_format(TensorId tensor) const { return {element_type(tensor), Order::rows}; }
    // Whether a backward pass must contribute to this tensor's gradient.
    bool needs_gradient(TensorId tensor) const { return schedule_.needs_gradient[tensor]; }

    // The value as it lies; after a reshape its extents may be those from before.
    Place value(TensorId tensor);
    // The value with the tensor's own extents, in whatever format.
    Place shaped_value(TensorId tensor);
    // The value with the tensor's own extents in exactly this format. A tensor from outside that
    // nobody has asked for yet is put there from the start.
    Place value(TensorId tensor, Format wanted);
    Place row_value(TensorId tensor) { return value(tensor, row_format(tensor)); }
    Place make_value(TensorId tensor, Format format);
    // The output's value is what lies at `place` already.
    void share_value(TensorId tensor, const Place& place);
    // The value is overwritten; whoever computes in place says so.
    void forget_value(TensorId tensor);

    // The whole gradient of a tensor; contributions of several readers are added up by a step.
    Place gradient(TensorId tensor);
    Place shaped_gradient(TensorId tensor);
    Place gradient(TensorId tensor, Format wanted);
    Place row_gradient(TensorId tensor) { return gradient(tensor, row_format(tensor)); }
    // Whether the last that reads what lies there may write over it.
    bool may_overwrite(const Place& place) const;

    // A place for one reader's contribution, and one that lies elsewhere already.
    Place make_gradient(TensorId tensor, Format format);
    void share_gradient(TensorId tensor, const Place& place);
    // Several gradients lie in one place: nobody may write over it.
    void protect(const Place& place) { protected_.insert(place.buffer); }

    // State between two passes of one layer, or within one.
    Place make_transient(Dims dims, Format format);
    // Memory that lives as long as the program; zero where no values are given.
    Place make_persistent(Dims dims, Format format, std::function<HostValues()> values = {});

    // The task's own step.
    void compute(StepText text, std::vector<Call> calls);
    // The same of one kernel, which gives the step its name.
    void compute(Kernel kernel, std::vector<Place> places);
    // Before the first iteration and after each write of a value: what iterations do not change.
    void compute_once(Call call) { program_.preparations.push_back(std::move(call)); }
    // The task is not executed on its own.
    void refuse(std::string reason);

    // The layers that may be done in one operation with the task's layer, where that is asked for.
    std::vector<LayerId> followers() const;
    // The task's step does the same pass of this layer, too, which comes later.
    void include(LayerId layer) { included_.emplace(Task{layer, task_.pass}, task_); }

    // The library's plan of this name, made once for all layers with the same problem; empty until
    // the first has made it.
    std::shared_ptr<const BuiltPlan>& plan(const std::string& key) { return plans_[key]; }
    // The same where a device may choose among several.
    std::shared_ptr<PlanChoice>& plan_choice(const std::string& key) { return plan_choices_[key]; }
    // Whether this plan is asked for the first time: what there is not need not be sought again.
    bool seeks_plan(const std::string& key) { return sought_plans_.insert(key).second; }
    // What the optimizer counts over all parameters; made by the first that asks for it.
    std::optional<Place>& optimizer_state() { return optimizer_state_; }

private:
    struct TensorState {
        std::vector<Place> values;  // the first is the one that was computed
        std::vector<Place> gradients;
        std::vector<Place> contributions;
    };

    void add_included(const Task& doer);
    void lower(const Task& task, class LayerLowering& layer);
    void lower_guarded(const Task& task, class LayerLowering& layer);
    void give_up(const Task& task, const std::string& reason);
    void make_outputs_persistent(const Layer& layer);
    Place convert(std::vector<Place>& copies, const Dims& dims, Format wanted);
    Place reordered(const Place& from, Format wanted);
    Place reshaped(const Place& place, std::vector<Place>& copies, const Dims& dims);
    bool never_changes(TensorId tensor) const;
    void place_from_outside(TensorId tensor, Format wanted);
    void place_gradient_from_outside(TensorId tensor);
    Place accumulated(std::vector<Place> contributions);
    BufferId add_buffer(std::size_t bytes, Life life);
    void add_step(StepKind kind, StepText text, Bytes moved, std::vector<Call> calls);
    void touch(BufferId buffer);
    void keep_what_is_read();

    const Graph& graph_;
    Execution execution_;
    DeviceProperties properties_;
    LayerForm layer_form_;
    Schedule schedule_;
    std::vector<TensorState> states_;
    std::vector<std::string> refusals_;  // by layer; empty: not refused
    std::set<BufferId> protected_;
    Task task_;
    std::vector<FusedChain> chains_;
    std::map<Task, Task> included_;  // and the task whose step does it
    std::map<std::string, std::shared_ptr<const BuiltPlan>> plans_;
    std::map<std::string, std::shared_ptr<PlanChoice>> plan_choices_;
    std::set<std::string> sought_plans_;
    std::optional<Place> optimizer_state_;
    bool once_ = false;  // copies are made before the first iteration, not in each
    Program program_;
};

}  // namespace strata::cuda
