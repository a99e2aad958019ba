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

// Longer convolutions are worth trying every plan.
constexpr double long_milliseconds = 0.1;

Event make_event() {
    cudaEvent_t event = nullptr;
    require_cuda(cudaEventCreate(&event), "making a time stamp");
    return Event(event);
}

}  // namespace

double time_unless_refused(const std::function<double()>& time_of) {
    try {
        return time_of();
    } catch (const DeviceError& error) {
        if (!is_refusal(error.trouble())) {
            throw;
        }
        return refused_time;
    }
}

std::size_t fastest_in(std::span<const double> times) {
    constexpr double margin = 0.95;
    std::size_t fastest = 0;
    double limit = margin * times.front();
    for (std::size_t way = 1; way < times.size(); ++way) {
        if (times[way] < limit) {
            fastest = way;
            limit = times[way];
        }
    }
    return fastest;
}

double best_time(const Queue& queue, const std::function<void()>& enqueue, double to_beat) {
    constexpr int rounds = 3;
    constexpr int times = 4;
    const Event begin = make_event();
    const Event end = make_event();
    const auto time_of = [&](int repetitions) {
        require_cuda(cudaEventRecord(begin.get(), queue.stream), "stamping the time");
        for (int i = 0; i < repetitions; ++i) {
            enqueue();
        }
        require_cuda(cudaEventRecord(end.get(), queue.stream), "stamping the time");
        queue.work->wait("trying what is fastest");
        float passed = 0;
        require_cuda(cudaEventElapsedTime(&passed, begin.get(), end.get()), "reading a time stamp");
        return static_cast<double>(passed) / repetitions;
    };
    enqueue();
    double minimum = time_of(1);
    for (int round = 0; round < rounds && minimum <= 2 * to_beat; ++round) {
        minimum = std::min(minimum, time_of(times));
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
    void try_plans(const Queue& queue, std::span<void* const> addresses,
                   std::vector<double>& times) const;

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

// Appends the times of the plans that have none yet. Each has its own scratch memory, which is
// freed after its trial: otherwise the largest would count as the network's.
void ConvolutionCall::try_plans(const Queue& queue, std::span<void* const> addresses,
                                std::vector<double>& times) const {
    while (times.size() < choice_->plans.size()) {
        const BuiltPlan& plan = *choice_->plans[times.size()];
        const double to_beat = times.empty() ? refused_time : std::ranges::min(times);
        const auto time_of = [&] {
            const Memory scratch = queue.allocate(plan.workspace);
            Queue trial = queue;
            trial.workspace = scratch.get();
            trial.workspace_bytes = plan.workspace;
            return best_time(
                queue, [&] { execute(plan, trial, addresses); }, to_beat);
        };
        times.push_back(time_unless_refused(time_of));
    }
}

// Chooses once for all calls of the problem. The plans that lose are freed.
void ConvolutionCall::choose(const Queue& queue, std::span<void* const> addresses) {
    if (!choice_->is_tried) {
        std::vector<double> times;
        try_plans(queue, addresses, times);
        if (choice_->further && std::ranges::min(times) > long_milliseconds) {
            std::ranges::move(choice_->further(), std::back_inserter(choice_->plans));
            try_plans(queue, addresses, times);
        }
        const std::size_t fastest = fastest_in(times);
        std::multimap<double, std::string> slower;
        for (std::size_t way = 0; way < times.size(); ++way) {
            if (way != fastest && times[way] < refused_time) {
                slower.emplace(times[way], name_of(choice_->plans[way]->traits));
            }
        }
        choice_->plans = {choice_->plans[fastest]};
        for (auto& [time, name] : slower) {
            choice_->slower.push_back(std::move(name));
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
