// SPDX-License-Identifier: MIT
#pragma once

#include "backend/lower/program.h"

#include <concepts>
#include <map>
#include <set>
#include <utility>

namespace strata {

// What an engine says of where its values lie. A layout is the extents, the element
// type and the order of the elements; a view is a layout in a buffer.
template <class Rules>
concept ViewRules = requires(const typename Rules::View& view, const typename Rules::Layout& layout,
                             const typename Rules::Call& call, const Dims& dims, BufferId buffer) {
    // A whole buffer, and what it needs.
    { Rules::view_in(buffer, layout) } -> std::same_as<typename Rules::View>;
    { Rules::bytes_of(layout) } -> std::same_as<std::size_t>;
    { Rules::layout_of(view) } -> std::convertible_to<typename Rules::Layout>;
    { Rules::dims_of(layout) } -> std::convertible_to<Dims>;
    // The same memory, read in another layout.
    { Rules::reinterpreted(view, layout) } -> std::same_as<typename Rules::View>;
    { layout == layout } -> std::same_as<bool>;
    // Whether the same elements lie at the same addresses in both; so they do in equal ones.
    { Rules::same_memory(layout, layout) } -> std::same_as<bool>;
    // Row-major, with the layout's element type.
    { Rules::rows_of(layout, dims) } -> std::same_as<typename Rules::Layout>;
    // Where values from outside are put for a reader who wants them so, and a parameter that
    // is trained: in f32, whatever its readers compute in.
    { Rules::stored_layout(layout) } -> std::convertible_to<typename Rules::Layout>;
    { Rules::trained_layout(layout) } -> std::convertible_to<typename Rules::Layout>;
    // Of the gradient of a tensor with these extents whose value lies so.
    { Rules::gradient_layout(layout, dims) } -> std::convertible_to<typename Rules::Layout>;
    // What the call reads and writes.
    { Rules::buffers_of(call) } -> std::same_as<std::vector<BufferId>>;
};

// A graph on its way to a program: where each tensor's value and gradient lie, in which layout, and
// the steps so far. Operators ask for their operands in the layout they want and reorders appear
// only where it is not there yet; each copy is made once and shared.
//
// An engine derives from it and adds what its operators ask for, and these:
//     std::unique_ptr<LoweringOfLayer<Engine>> make_layer(const Layer&) const;
//     Layout row_layout(TensorId) const;   of a row-major value of this tensor
//     Work reorder(const View& from, const View& to);
//     Work sum_of(const std::vector<View>& terms, const View& sum);   all lie alike; `sum` may
//                                                                       be the first of the terms
//     void lower_update(Engine&, LayerId);   a function beside the class: the layer's update
// and instantiates it in the one file that includes backend/lower/tasks.h and tensors.h.
template <class Engine, ViewRules Rules>
class GraphLowering {
public:
    using View = typename Rules::View;
    using Layout = typename Rules::Layout;
    using Call = typename Rules::Call;
    using Program = LoweredProgram<View, Call>;

    // What a step says of itself and does.
    struct Work {
        StepText text = {};
        Bytes workspace = {};
        std::vector<Call> calls = {};
    };

    // Every task of the schedule, in order.
    Program run();

    const Graph& graph() const { return graph_; }
    const Execution& execution() const { return execution_; }
    const Schedule& schedule() const { return schedule_; }
    bool trains() const { return execution_.numerics.mode == Mode::training; }
    bool keeps_memory() const { return execution_.scheduling.memory == MemoryReuse::kept; }
    // Whether a backward pass must contribute to this tensor's gradient.
    bool needs_gradient(TensorId tensor) const { return schedule_.needs_gradient[tensor]; }

    // The value as it lies; after a reshape its extents may be those from before.
    View value(TensorId tensor);
    // The value with the tensor's own extents, in whatever layout.
    View shaped_value(TensorId tensor);
    // The value in exactly this layout. A tensor from outside that nobody has asked for yet is put
    // there from the start.
    View value(TensorId tensor, const Layout& wanted);
    View make_value(TensorId tensor, const Layout& layout);
    // The output's value is what lies at `view` already.
    void share_value(TensorId tensor, const View& view) { states_[tensor].values = {view}; }
    // The value is overwritten; whoever computes in place says so.
    void forget_value(TensorId tensor);

    // The whole gradient of a tensor; contributions of several readers are added up by a step.
    View gradient(TensorId tensor);
    View shaped_gradient(TensorId tensor);
    View gradient(TensorId tensor, const Layout& wanted);

    // A view for one reader's contribution, and one that lies elsewhere already.
    View make_gradient(TensorId tensor, const Layout& layout);
    void share_gradient(TensorId tensor, const View& view);
    // Several gradients lie in one buffer: nobody may write over it.
    void protect(const View& view) { protected_.insert(view.buffer); }
    // Whether the last that reads what lies there may write over it.
    bool may_overwrite(const View& view) const;

    // State between two passes of one layer, or within one.
    View make_transient(const Layout& layout);
    // Memory that lives as long as the program; zero where no values are given.
    View make_persistent(const Layout& layout, std::function<HostValues()> values = {});

    // The task's own step.
    void compute(Work work) { add_step(StepKind::compute, std::move(work), {}); }
    // Before the first iteration and after each write of a value: what iterations do not change.
    void compute_once(Call call) { program_.preparations.push_back(std::move(call)); }
    // The task is not executed on its own.
    void refuse(std::string reason);
    // The task's step does the same pass of this layer, too, which comes later.
    void include(LayerId layer) { included_.emplace(Task{layer, task_.pass}, task_); }

protected:
    GraphLowering(const Graph& graph, const Execution& execution);

    LayerId current_layer() const { return task_.layer; }
    const std::vector<View>& copies_of_value(TensorId tensor) const {
        return states_[tensor].values;
    }
    BufferId add_buffer(std::size_t bytes, Life life);
    PlannedBuffer& buffer(BufferId id) { return program_.buffers[id]; }

    // Makes what a library throws where it cannot do something a Refusal; an engine whose library
    // throws hides it by its own.
    template <class Doing>
    static void refusing(const Doing& doing) {
        doing();
    }

private:
    struct TensorState {
        std::vector<View> values;  // the first is the one that was computed
        std::vector<View> gradients;
        std::vector<View> contributions;
    };

    Engine& engine() { return static_cast<Engine&>(*this); }

    void lower(LoweringOfLayer<Engine>& layer);
    void lower_guarded(LoweringOfLayer<Engine>& layer);
    void lower_pass(LoweringOfLayer<Engine>& layer);
    void include_in_data_pass();
    void add_included(const Task& fused_into);
    void give_up(const std::string& reason);
    void add_step(StepKind kind, Work work, Bytes moved);
    void bind_tensors();

    View convert(std::vector<View>& copies, const Layout& wanted);
    View reordered(const View& from, const Layout& wanted);
    View reshaped(const View& view, std::vector<View>& copies, const Dims& dims);
    bool never_changes(TensorId tensor) const;
    void place_initial_value(TensorId tensor, const Layout& wanted);
    void place_initial_gradient(TensorId tensor);
    View accumulated(std::vector<View> contributions);

    const Graph& graph_;
    Execution execution_;
    Schedule schedule_;
    std::vector<TensorState> states_;
    std::vector<std::string> refusals_;  // by layer; empty: not refused
    std::set<BufferId> protected_;
    std::map<Task, Task> included_;  // and the task whose step does it
    Task task_;
    bool once_ = false;  // copies are made before the first iteration, not in each
    Program program_;
};

}  // namespace strata
