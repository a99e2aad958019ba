// SPDX-License-Identifier: MIT
#include "backend/cuda/attention.h"

#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/cudnn/plan.h"
#include "backend/cuda/cudnn/run_time_compiler.h"
#include "backend/cuda/device/machine.h"
#include "backend/cuda/device/trouble.h"
#include "backend/cuda/device/values.h"

#include <algorithm>
#include <limits>

namespace strata::cuda {

namespace {

class AttentionCall : public LibraryCall {
public:
    AttentionCall(const AttentionProblem& problem, std::shared_ptr<const BuiltPlan> plan)
        : problem_(problem),
          plan_(std::move(plan)),
          scale_(static_cast<float>(problem.extents.scale)),
          queries_(static_cast<std::int32_t>(problem.extents.queries)),
          keys_(static_cast<std::int32_t>(problem.extents.keys)) {}

    void finalize(const Queue& queue) override;
    void enqueue(const Queue& queue, std::span<void* const> addresses) const override;
    LibraryWork work() const override { return &problem_; }
    std::size_t workspace() const override { return plan_->workspace; }

private:
    const void* scalar(AttentionTensor which) const;

    AttentionProblem problem_;
    std::shared_ptr<const BuiltPlan> plan_;
    float scale_;
    float minus_infinity_ = -std::numeric_limits<float>::infinity();
    float one_ = 1;
    std::int32_t queries_;
    std::int32_t keys_;
    Memory query_counts_;
    Memory key_counts_;
};

// The counts must exist before any pass is probed; the network's initial values come later.
void AttentionCall::finalize(const Queue& queue) {
    if (counts_positions(problem_)) {
        query_counts_ = repeated_integer(queue, queries_, problem_.extents.batch);
        key_counts_ = repeated_integer(queue, keys_, problem_.extents.batch);
    }
}

const void* AttentionCall::scalar(AttentionTensor which) const {
    switch (which) {
        case AttentionTensor::minus_infinity:
            return &minus_infinity_;
        case AttentionTensor::one:
            return &one_;
        case AttentionTensor::queries:
            return &queries_;
        case AttentionTensor::keys:
            return &keys_;
        default:
            return &scale_;
    }
}

void AttentionCall::enqueue(const Queue& queue, std::span<void* const> addresses) const {
    std::vector<std::int64_t> ids;
    std::vector<const void*> pointers(addresses.begin(), addresses.end());
    for (const AttentionTensor tensor : tensors_of(problem_)) {
        ids.push_back(static_cast<std::int64_t>(tensor));
    }
    if (counts_positions(problem_)) {
        ids.push_back(static_cast<std::int64_t>(AttentionTensor::query_counts));
        ids.push_back(static_cast<std::int64_t>(AttentionTensor::key_counts));
        pointers.insert(pointers.end(), {query_counts_.get(), key_counts_.get()});
    }
    for (const AttentionTensor which : scalars_of(problem_)) {
        ids.push_back(static_cast<std::int64_t>(which));
        pointers.push_back(scalar(which));
    }
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, std::ssize(pointers),
             pointers.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &queue.workspace);
    pack.finalize();
    const cudnnStatus_t status = cudnnBackendExecute(queue.cudnn, plan_->plan.get(), pack.get());
    if (status != CUDNN_STATUS_SUCCESS) {
        require_cudnn(status, text_of(problem_));
    }
}

}  // namespace

std::shared_ptr<LibraryCall> attention_call(const AttentionProblem& problem,
                                            std::shared_ptr<const BuiltPlan> plan) {
    return std::make_shared<AttentionCall>(problem, std::move(plan));
}

namespace {

enum Operand : std::size_t { query, key, value, mask };

// The first offered plan that can be built; empty if there is none.
std::shared_ptr<const BuiltPlan> make_plan(const DeviceProperties& properties,
                                           const AttentionProblem& problem) {
    for (const HeuristicMode mode : {HeuristicMode::a, HeuristicMode::fallback}) {
        try {
            const PlanTarget target(properties);
            for (const OfferedPlan& offered :
                 offered_plans(attention_graph(problem, target), target, mode)) {
                if (auto built = plan_if_built(offered, target)) {
                    return std::make_shared<BuiltPlan>(std::move(*built));
                }
            }
        } catch (const DeviceError&) {  // a graph that cuDNN does not support counts as no offer
        }
    }
    return nullptr;
}

std::shared_ptr<const BuiltPlan> plan_for(Lowering& lowering, const AttentionProblem& problem) {
    const std::string key = text_of(problem);
    std::shared_ptr<const BuiltPlan>& plan = lowering.plan(key);
    if (!plan && lowering.seeks_plan(key)) {
        plan = make_plan(lowering.properties(), problem);
    }
    return plan;
}

struct Plans {
    std::shared_ptr<const BuiltPlan> forward;
    std::shared_ptr<const BuiltPlan> backward;  // absent for inference
};

class FusedAttention : public LayerLowering {
public:
    FusedAttention(const Layer& layer, AttentionProblem problem, Plans plans)
        : LayerLowering(layer), problem_(std::move(problem)), plans_(std::move(plans)) {}

    void forward(Lowering& lowering) override {
        Views views = operands(lowering);
        y_ = lowering.make_value(output(), lowering.row_format(output()));
        views.emplace(AttentionTensor::y, *y_);
        if (problem_.trains) {
            lowering.protect(*y_);  // the backward pass reads y, unlike that of other attentions
            statistics_ = lowering.make_transient(by_query(1), {ElementType::f32});
            views.emplace(AttentionTensor::statistics, *statistics_);
        }
        add_step(lowering, problem_, plans_.forward, views);
    }

    void backward_data(Lowering& lowering) override {
        AttentionProblem problem = problem_;
        problem.pass = Pass::backward_data;
        Views views = operands(lowering);
        views.emplace(AttentionTensor::y, *y_);
        views.emplace(AttentionTensor::statistics, *statistics_);
        views.emplace(AttentionTensor::dy, lowering.row_gradient(output()));
        views.emplace(AttentionTensor::dot_products,
                      lowering.make_transient(by_query(1), {ElementType::f32}));
        views.emplace(
            AttentionTensor::dq_sums,
            lowering.make_transient(by_query(problem_.extents.width), {ElementType::f32}));
        views.emplace(AttentionTensor::dq, gradient_view(lowering, query));
        views.emplace(AttentionTensor::dk, gradient_view(lowering, key));
        views.emplace(AttentionTensor::dv, gradient_view(lowering, value));
        add_step(lowering, problem, plans_.backward, views);
    }

private:
    using Views = std::map<AttentionTensor, TensorView>;

    Dims by_query(std::int64_t width) const {
        const AttentionExtents& e = problem_.extents;
        return {e.batch, e.heads, e.queries, width};
    }

    Views operands(Lowering& lowering) const {
        Views views = {{AttentionTensor::query, lowering.row_value(input(query))},
                       {AttentionTensor::key, lowering.row_value(input(key))},
                       {AttentionTensor::value, lowering.row_value(input(value))}};
        if (!problem_.mask.empty()) {
            views.emplace(AttentionTensor::mask, lowering.row_value(input(mask)));
        }
        return views;
    }

    // The plan computes all three gradients, needed or not.
    TensorView gradient_view(Lowering& lowering, Operand operand) const {
        const Format format = lowering.row_format(input(operand));
        return lowering.needs_gradient(input(operand))
                   ? lowering.make_gradient(input(operand), format)
                   : lowering.make_transient(lowering.dims(input(operand)), format);
    }

    void add_step(Lowering& lowering, const AttentionProblem& problem,
                  const std::shared_ptr<const BuiltPlan>& plan, const Views& by_tensor) const {
        std::vector<TensorView> views;
        for (const AttentionTensor tensor : tensors_of(problem)) {
            views.push_back(by_tensor.at(tensor));
        }
        const bool forward = problem.pass == Pass::forward;
        lowering.compute({"cudnn:" + name_of(plan->traits), text_of(y_->dims, y_->format),
                          forward ? "fused" : "fused, atomic additions"},
                         {Call{attention_call(problem, plan), std::move(views)}});
    }

    AttentionProblem problem_;
    Plans plans_;
    std::optional<TensorView> y_;
    std::optional<TensorView> statistics_;
};

// A mask's extents, extended with 1s to the scores' four axes.
Dims mask_extents(const Dims& dims) {
    Dims extents(4 - dims.size(), 1);
    extents.insert(extents.end(), dims.begin(), dims.end());
    return extents;
}

AttentionProblem problem_of(const Lowering& lowering, const Layer& layer, const Attention& op) {
    const bool has_mask = layer.inputs.size() > mask;
    return {.extents = extents_of(op, signature_of(lowering.graph(), layer)),
            .type = lowering.element_type(),
            .causal = op.causal,
            .mask = has_mask ? mask_extents(lowering.dims(layer.inputs[mask])) : Dims{},
            .trains = lowering.trains()};
}

// Whether the operands share one layout: an integer mask has a different type.
bool has_same_layout(const Lowering& lowering, const Layer& layer) {
    return std::ranges::all_of(layer.inputs, [&](TensorId operand) {
        return lowering.element_type(operand) == lowering.element_type();
    });
}

}  // namespace

FusedLayer fused_attention(Lowering& lowering, const Layer& layer, const Attention& op) {
    const AttentionProblem problem = problem_of(lowering, layer, op);
    if (!may_be_fused(problem) || !has_same_layout(lowering, layer)) {
        return {};
    }
    if (std::string refusal = refusal_of_fusion(cudnnGetVersion()); !refusal.empty()) {
        return {nullptr, std::move(refusal)};
    }
    std::string no_compiler = refusal_of_run_time_compiler();
    Plans plans = {plan_for(lowering, problem), nullptr};
    if (plans.forward && problem.trains) {
        AttentionProblem backward = problem;
        backward.pass = Pass::backward_data;
        plans.backward = plan_for(lowering, backward);
    }
    if (!plans.forward || (problem.trains && !plans.backward)) {
        const bool has_engines =
            lowering.properties().compute_capability >= first_capability_with_fusion;
        return {nullptr, has_engines ? std::move(no_compiler) : std::string()};
    }
    return {std::make_unique<FusedAttention>(layer, problem, std::move(plans))};
}

namespace {

class AttentionLowering : public LayerLowering {
public:
    AttentionLowering(const Layer& layer, const Attention& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        FusedLayer fused;
        if (lowering.layer_form() == LayerForm::library) {
            fused = fused_attention(lowering, layer_, op_);
        }
        chosen_ =
            fused.made ? std::move(fused.made) : unfused_attention(layer_, op_, fused.refusal);
        chosen_->forward(lowering);
    }

    void backward_data(Lowering& lowering) override {
        if (layer_.inputs.size() > mask && lowering.needs_gradient(input(mask))) {
            throw Refusal{"the mask's gradient is not computed"};
        }
        chosen_->backward_data(lowering);
    }

private:
    const Attention& op_;
    Made chosen_;
};

}  // namespace

Made lower(const Layer& layer, const Attention& op) {
    return std::make_unique<AttentionLowering>(layer, op);
}

}  // namespace strata::cuda
