// SPDX-License-Identifier: MIT
#include "backend/cuda/convolution.h"
#include "backend/cuda/device/stream.h"
#include "backend/cuda/device/trouble.h"
#include "backend/device_watch.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>

namespace strata::cuda {

namespace {

struct EventEnd {
    void operator()(cudaEvent_t event) const {
        if (!device_hangs()) {
            cudaEventDestroy(event);
        }
    }
};
using Event = std::unique_ptr<CUevent_st, EventEnd>;

Event make_event() {
    cudaEvent_t event = nullptr;
    require_cuda(cudaEventCreate(&event), "making a time stamp");
    return Event(event);
}

}  // namespace

std::size_t fastest_of(std::size_t count, const std::function<double(std::size_t)>& time_of) {
    constexpr double margin = 0.95;
    std::size_t fastest = 0;
    double limit = std::numeric_limits<double>::infinity();
    for (std::size_t way = 0; way < count; ++way) {
        try {
            const double time = time_of(way);
            fastest = time < limit ? way : fastest;
            limit = std::min(limit, way == 0 ? margin * time : time);
        } catch (const DeviceError& error) {
            if (!is_refusal(error.trouble())) {
                throw;
            }
        }
    }
    return fastest;
}

double best_time(const Queue& queue, const std::function<void()>& enqueue) {
    constexpr int rounds = 3;
    constexpr int times = 4;
    const Event begin = make_event();
    const Event end = make_event();
    double minimum = std::numeric_limits<double>::infinity();
    enqueue();
    for (int round = 0; round < rounds; ++round) {
        require_cuda(cudaEventRecord(begin.get(), queue.stream), "stamping the time");
        for (int i = 0; i < times; ++i) {
            enqueue();
        }
        require_cuda(cudaEventRecord(end.get(), queue.stream), "stamping the time");
        queue.work->wait("trying what is fastest");
        float passed = 0;
        require_cuda(cudaEventElapsedTime(&passed, begin.get(), end.get()), "reading a time stamp");
        minimum = std::min(minimum, static_cast<double>(passed) / times);
    }
    return minimum;
}

namespace {

class ConvolutionCall : public LibraryCall {
public:
    ConvolutionCall(const ConvolutionProblem& problem, std::shared_ptr<PlanChoice> choice)
        : problem_(problem),
          choice_(std::move(choice)),
          plan_(choice_->plans.front()),
          text_before_(text_of(*plan_)) {}

    void choose(const Queue& queue, std::span<void* const> addresses) override;
    bool take_next() override;
    std::optional<ChosenWay> chosen() const override;
    void enqueue(const Queue& queue, std::span<void* const> addresses) const override;
    LibraryWork work() const override { return &problem_; }
    std::size_t workspace() const override { return plan_->workspace; }

private:
    void execute(const BuiltPlan& plan, const Queue& queue, std::span<void* const> addresses) const;
    void take_chosen();

    ConvolutionProblem problem_;
    std::shared_ptr<PlanChoice> choice_;
    std::shared_ptr<const BuiltPlan>
        plan_;  // the one that runs, as chosen when this call was tried
    WayText text_before_;
    int refused_ = 0;
};

void ConvolutionCall::take_chosen() {
    plan_ = choice_->plans.front();
    refused_ = choice_->refused;
}

// Chooses once for all calls of the problem. The plans that lose are freed, and so is the scratch
// memory of each after its trial: otherwise the largest would count as the network's.
void ConvolutionCall::choose(const Queue& queue, std::span<void* const> addresses) {
    if (!choice_->is_tried) {
        std::multimap<double, std::string> by_time;
        const std::size_t fastest = fastest_of(choice_->plans.size(), [&](std::size_t way) {
            const BuiltPlan& plan = *choice_->plans[way];
            const Memory scratch = queue.allocate(plan.workspace);
            Queue trial = queue;
            trial.workspace = scratch.get();
            trial.workspace_bytes = plan.workspace;
            const double time = best_time(queue, [&] { execute(plan, trial, addresses); });
            by_time.emplace(time, name_of(plan.traits));
            return time;
        });
        choice_->plans = {choice_->plans[fastest]};
        for (auto& [time, name] : by_time) {
            if (name != name_of(choice_->plans.front()->traits)) {
                choice_->slower.push_back(std::move(name));
            }
        }
        choice_->is_tried = true;
    }
    take_chosen();
}

// The plan after the one in use; empty if there is none.
std::shared_ptr<const BuiltPlan> plan_after(PlanChoice& choice) {
    std::shared_ptr<const BuiltPlan> plan;
    while (!plan && choice.again && !choice.slower.empty()) {
        plan = choice.again(choice.slower.front());
        choice.slower.pop_front();
    }
    return !plan && choice.next ? choice.next() : plan;
}

// Another call of the problem may have moved on already.
bool ConvolutionCall::take_next() {
    if (plan_ == choice_->plans.front()) {
        auto next = plan_after(*choice_);
        if (!next) {
            return false;
        }
        choice_->plans = {std::move(next)};
        ++choice_->refused;
    }
    take_chosen();
    return true;
}

std::optional<ChosenWay> ConvolutionCall::chosen() const {
    WayText now = text_of(*plan_);
    if (refused_ > 0) {
        now.algorithm += fmt::format("{}after {} plan{} refused", now.algorithm.empty() ? "" : ", ",
                                     refused_, refused_ == 1 ? " was" : "s were");
    }
    return ChosenWay{text_before_, std::move(now), plan_->workspace};
}

void ConvolutionCall::enqueue(const Queue& queue, std::span<void* const> addresses) const {
    execute(*plan_, queue, addresses);
}

// Addresses are in the order of the tensors' numbers.
void ConvolutionCall::execute(const BuiltPlan& plan, const Queue& queue,
                              std::span<void* const> addresses) const {
    std::vector<std::int64_t> ids(addresses.size());
    std::iota(ids.begin(), ids.end(), static_cast<std::int64_t>(ConvolutionTensor::x));
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, std::ssize(addresses),
             addresses.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &queue.workspace);
    pack.finalize();
    const cudnnStatus_t status = cudnnBackendExecute(queue.cudnn, plan.plan.get(), pack.get());
    if (status != CUDNN_STATUS_SUCCESS) {
        require_cudnn(status, text_of(problem_));
    }
}

}  // namespace

std::shared_ptr<LibraryCall> convolution_call(const ConvolutionProblem& problem,
                                              std::shared_ptr<PlanChoice> choice) {
    return std::make_shared<ConvolutionCall>(problem, std::move(choice));
}

std::shared_ptr<LibraryCall> convolution_call(const ConvolutionProblem& problem,
                                              std::shared_ptr<const BuiltPlan> plan) {
    return convolution_call(problem, std::make_shared<PlanChoice>(
                                         PlanChoice{.plans = {std::move(plan)}, .is_tried = true}));
}

WayText text_of(const BuiltPlan& plan) {
    return {"cudnn:" + name_of(plan.traits), text_of(plan.traits.notes)};
}

}  // namespace strata::cuda
