// SPDX-License-Identifier: MIT
#pragma once

#include "backend/lower/program.h"
#include "graph/fuse.h"

#include <concepts>
#include <map>
#include <set>
#include <utility>

namespace strata {

// How an engine describes where its values are. A layout is the extents, the element type and the
// order of the elements; a view is a layout in a buffer.
template <class Rules>
concept ViewRules = requires(const typename Rules::View& view, const typename Rules::Layout& layout,
                             const typename Rules::Call& call, const Dims& dims, BufferId buffer) {
    // A view of a whole buffer, and the size it needs.
    { Rules::view_in(buffer, layout) } -> std::same_as<typename Rules::View>;
    { Rules::bytes_of(layout) } -> std::same_as<std::size_t>;
    { Rules::layout_of(view) } -> std::convertible_to<typename Rules::Layout>;
    { Rules::dims_of(layout) } -> std::convertible_to<Dims>;
    // The same memory, read in another layout.
    { Rules::reinterpreted(view, layout) } -> std::same_as<typename Rules::View>;
    { layout == layout } -> std::same_as<bool>;
    // Whether both layouts put the same elements at the same addresses; equal layouts do.
    { Rules::same_memory(layout, layout) } -> std::same_as<bool>;
    // Row-major, with the layout's element type.
    { Rules::rows_of(layout, dims) } -> std::same_as<typename Rules::Layout>;
    // The layout in which values from outside are stored for a reader that needs this layout, and
    // that of a trained parameter: in f32, whatever its readers compute in.
    { Rules::stored_layout(layout) } -> std::convertible_to<typename Rules::Layout>;
    { Rules::trained_layout(layout) } -> std::convertible_to<typename Rules::Layout>;
    // The layout of a gradient, given its tensor's extents and the layout of its value.
    { Rules::gradient_layout(layout, dims) } -> std::convertible_to<typename Rules::Layout>;
    // The buffers that the call reads and writes.
    { Rules::buffers_of(call) } -> std::same_as<std::vector<BufferId>>;
};

// A graph while it is lowered to a program: where each tensor's value and gradient are, in which
// layout, and the steps so far. Operators request their operands in the layout they want, and
// reorders are added only if an operand is not available in it; each copy is made once and shared.
//
// An engine derives from it and adds what its operators need, and these:
//     std::unique_ptr<LoweringOfLayer<Engine>> make_layer(const Layer&) const;
//     Layout row_layout(TensorId) const;   of a row-major value of this tensor
//     Work reorder(const View& from, const View& to);
//     Work sum_of(const std::vector<View>& terms, const View& sum);   equal layouts; `sum` may
//                                                                       be the first of the terms
//     void lower_update(Engine&, LayerId);   a free function: the layer's update
// and instantiates it in the one file that includes backend/lower/tasks.h and tensors.h.
template <class Engine, ViewRules Rules>
class GraphLowering {
public:
    using View = typename Rules::View;
    using Layout = typename Rules::Layout;
    using Call = typename Rules::Call;
    using Program = LoweredProgram<View, Call>;

    // A step's calls and its description.
    struct Work {
        StepText text = {};
        Bytes workspace = {};
        std::vector<Call> calls = {};
    };

    // Lowers every task of the schedule, in order.
    Program run();

    const Graph& graph() const { return graph_; }
    const Execution& execution() const { return execution_; }
    const Schedule& schedule() const { return schedule_; }
    bool trains() const { return execution_.numerics.mode == Mode::training; }
    bool keeps_memory() const { return execution_.scheduling.memory == MemoryReuse::kept; }
    // Whether a backward pass must contribute to this tensor's gradient.
    bool needs_gradient(TensorId tensor) const { return schedule_.needs_gradient[tensor]; }

    // The value in its current layout; after a reshape, its extents may still be those before it.
    View value(TensorId tensor);
    // The value with the tensor's own extents, in any layout.
    View shaped_value(TensorId tensor);
    // The value in exactly this layout. A tensor from outside that nobody has requested yet is
    // placed in it from the start.
    View value(TensorId tensor, const Layout& wanted);
    View make_value(TensorId tensor, const Layout& layout);
    // The output's value is already stored at `view`.
    void share_value(TensorId tensor, const View& view) { states_[tensor].values = {view}; }
    // Says that the value is overwritten; required of an in-place computation.
    void forget_value(TensorId tensor);

    // The whole gradient of a tensor; a step adds up the contributions of several readers.
    View gradient(TensorId tensor);
    View shaped_gradient(TensorId tensor);
    View gradient(TensorId tensor, const Layout& wanted);

    // Makes a view for one reader's contribution, or declares one that already exists elsewhere.
    View make_gradient(TensorId tensor, const Layout& layout);
    void share_gradient(TensorId tensor, const View& view);
    // Several gradients share one buffer, so nobody may overwrite it.
    void protect(const View& view) { protected_.insert(view.buffer); }
    // Whether the last reader of this memory may overwrite it.
    bool may_overwrite(const View& view) const;

    // Memory for state between two passes of one layer, or within one pass.
    View make_transient(const Layout& layout);
    // Memory that lives as long as the program; zero if no values are given.
    View make_persistent(const Layout& layout, std::function<HostValues()> values = {});

    // Adds the task's own step.
    void compute(Work work) { add_step(StepKind::compute, std::move(work), {}); }
    // Runs before the first iteration and after each write of a value: for values that do not
    // change between iterations.
    void compute_once(Call call) { program_.preparations.push_back(std::move(call)); }
    // Adds a refused step for the task.
    void refuse(std::string reason);
    // The layers that may be done in one operation with the task's layer, if fusion is requested.
    std::vector<LayerId> followers() const;
    // Whether the task's step may write its result over this value, which `reader` reads last: in
    // inference, if nothing else reads that memory in a later step or in this one.
    bool may_replace(const View& view, LayerId reader) const;
    // The task's step also does the same pass of this layer, which comes later.
    void include(LayerId layer) { included_.emplace(Task{layer, task_.pass}, task_); }

protected:
    GraphLowering(const Graph& graph, const Execution& execution);

    const std::vector<View>& copies_of_value(TensorId tensor) const {
        return states_[tensor].values;
    }
    BufferId add_buffer(std::size_t bytes, Life life);
    PlannedBuffer& buffer(BufferId id) { return program_.buffers[id]; }

    // Turns a library's exception for an unsupported operation into a Refusal; an engine whose
    // library throws hides this by its own version.
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
    std::vector<std::string> refusals_;  // by layer; empty if not refused
    std::vector<FusedChain> chains_;
    std::set<BufferId> protected_;
    std::map<Task, Task> included_;  // and the task whose step does it
    Task task_;
    bool once_ = false;  // copies are made before the first iteration, not in each
    Program program_;
};

}  // namespace strata
