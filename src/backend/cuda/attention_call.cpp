// SPDX-License-Identifier: MIT
#include "backend/cuda/attention.h"
#include "backend/cuda/cudnn/plan.h"
#include "backend/cuda/device/integers.h"
#include "backend/cuda/device/trouble.h"

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

}  // namespace strata::cuda
