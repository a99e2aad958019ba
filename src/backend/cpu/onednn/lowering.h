// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/program.h"

#include <set>

namespace strata::cpu {

// Scratch memory that a primitive uses while it runs.
inline Bytes scratchpad_of(const dnnl::primitive_desc_base& described) {
    return {static_cast<double>(described.scratchpad_desc().get_size())};
}

// A graph on its way to a program: where each tensor's value and gradient lie, in which layout, and
// the steps so far. Operators ask for their operands in the layout they want and reorders appear
// only where it is not there yet; each copy is made once and shared.
class Lowering {
public:
    Lowering(const Graph& graph, const Execution& execution, const dnnl::engine& engine);

    // Every task of the schedule, in order.
    Program run();

    const Graph& graph() const { return graph_; }
    const Execution& execution() const { return execution_; }
    const dnnl::engine& engine() const { return engine_; }
    const dnnl::primitive_attr& attributes() const { return attributes_; }
    bool trains() const { return execution_.mode == Mode::training; }
    bool keeps_memory() const { return execution_.memory == MemoryReuse::kept; }
    dnnl::prop_kind forward_kind() const {
        return trains() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
    }
    // Of activations that are numbers with a fraction.
    ElementType element_type() const {
        return execution_.dtype == DataType::bf16 ? ElementType::bf16 : ElementType::f32;
    }
    // Of this tensor: integers and booleans are f32 whatever activations are, exact to 2^24.
    ElementType element_type(TensorId tensor) const {
        return is_floating(graph_.tensors[tensor].tensor.dtype) ? element_type() : ElementType::f32;
    }
    dnnl::memory::dims extents(TensorId tensor) const {
        return extents_of(graph_.tensors[tensor].tensor);
    }

    // Whether a backward pass must contribute to this tensor's gradient.
    bool needs_gradient(TensorId tensor) const { return schedule_.needs_gradient[tensor]; }
    const Schedule& schedule() const { return schedule_; }

    // The value as it lies; after a reshape its extents may be those from before.
    Place value(TensorId tensor);
    // The value with the tensor's own extents, in whatever layout.
    Place shaped_value(TensorId tensor);
    // The value in exactly this layout. A tensor from outside that nobody has asked for yet is put
    // there from the start.
    Place value(TensorId tensor, const Desc& wanted);
    Place plain_value(TensorId tensor, ElementType type) {
        return value(tensor, plain(extents(tensor), type));
    }
    // Whether the value lies in exactly this layout already.
    bool has_value(TensorId tensor, const Desc& desc) const;
    Place make_value(TensorId tensor, const Desc& desc);
    // The output's value is what lies at `place` already.
    void share_value(TensorId tensor, const Place& place);
    // The value is overwritten; whoever computes in place says so.
    void forget_value(TensorId tensor);

    // The whole gradient of a tensor; contributions of several readers are added up by a step.
    Place gradient(TensorId tensor);
    Place shaped_gradient(TensorId tensor);
    Place gradient(TensorId tensor, const Desc& wanted);
    Place plain_gradient(TensorId tensor, ElementType type) {
        return gradient(tensor, plain(extents(tensor), type));
    }
    // Whether the last that reads what lies there may write over it.
    bool may_overwrite(const Place& place) const;

    // A place for one reader's contribution, and one that lies elsewhere already.
    Place make_gradient(TensorId tensor, const Desc& desc);
    void share_gradient(TensorId tensor, const Place& place);
    // Several gradients lie in one place: nobody may write over it.
    void protect(const Place& place) { protected_.insert(place.buffer); }

    // State between two passes of one layer, or within one.
    Place make_transient(const Desc& desc);
    // Memory that lives as long as the program.
    Place make_persistent(const Desc& desc, std::function<HostValues()> values);

    // The task's own step.
    void compute(StepText text, std::vector<Call> calls, Bytes workspace = {});
    // A step of one primitive.
    template <class Primitive>
    void compute(const typename Primitive::primitive_desc& described, std::string layout,
                 std::vector<std::pair<int, Place>> arguments, std::string algorithm = {}) {
        compute({described.impl_info_str(), std::move(layout), std::move(algorithm)},
                {call<Primitive>(described, std::move(arguments))}, scratchpad_of(described));
    }
    template <class Primitive>
    Call call(const typename Primitive::primitive_desc& described,
              std::vector<std::pair<int, Place>> arguments) {
        const Desc scratch = described.scratchpad_desc();
        reserve_scratchpad(scratch.get_size());
        arguments.emplace_back(DNNL_ARG_SCRATCHPAD, Place{scratchpad, scratch});
        return PrimitiveCall{Primitive(described), std::move(arguments)};
    }
    // A copy into another layout or type, for a step of several calls.
    Call reorder_call(const Place& from, const Place& to);
    // The sum of places that lie alike; `sum` may be the first of them.
    struct Described {
        StepText text;
        Bytes workspace;
        Call call;
    };
    Described sum_of(const std::vector<Place>& terms, const Place& sum);
    // The task is not executed on its own.
    void refuse(std::string reason);

private:
    static constexpr BufferId scratchpad = 0;

    struct TensorState {
        std::vector<Place> values;  // the first is the one that was computed
        std::vector<Place> gradients;
        std::vector<Place> contributions;
    };

    void lower(const Task& task, class LayerLowering& layer);
    void lower_guarded(const Task& task, class LayerLowering& layer);
    void give_up(const Task& task, const std::string& reason);
    void make_outputs_persistent(const Layer& layer);
    Place convert(std::vector<Place>& copies, const Desc& wanted);
    Place reordered(const Place& from, const Desc& wanted);
    bool never_changes(TensorId tensor) const;
    void place_from_outside(TensorId tensor, const Desc& wanted);
    void place_gradient_from_outside(TensorId tensor);
    Place accumulated(std::vector<Place> contributions);
    Place reshaped(const Place& place, std::vector<Place>& copies,
                   const dnnl::memory::dims& extents);
    BufferId add_buffer(std::size_t bytes, Life life);
    void add_step(StepKind kind, StepText text, Bytes workspace, Bytes moved,
                  std::vector<Call> calls);
    void touch(BufferId buffer);
    void reserve_scratchpad(std::size_t bytes);
    void keep_what_is_read();

    const Graph& graph_;
    Execution execution_;
    dnnl::engine engine_;
    dnnl::primitive_attr attributes_;
    Schedule schedule_;
    std::vector<TensorState> states_;
    std::vector<std::string> refusals_;  // by layer; empty: not refused
    std::set<BufferId> protected_;
    Task task_;
    bool once_ = false;  // copies are made before the first iteration, not in each
    Program program_;
};

}  // namespace strata::cpu
