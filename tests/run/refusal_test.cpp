// SPDX-License-Identifier: MIT
#include "run/refusal.h"

#include "backend/reference/reference.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <new>

namespace strata {
namespace {

// A backend that cannot prepare anything.
class FullMachine final : public Backend {
public:
    explicit FullMachine(std::function<void()> fail) : fail_(std::move(fail)) {}
    BackendInfo info() const override { return {"full", "1", ""}; }
    std::unique_ptr<Executable> prepare(const Graph&, const Execution&) override {
        fail_();
        return nullptr;
    }

private:
    std::function<void()> fail_;
};

Job small_job() {
    Job job;
    job.backend = "full";
    job.request.network = "fully_connected(2x3) out_features=4";
    return job;
}

strata::Run refused_by(const std::function<void()>& fail) {
    FullMachine backend(fail);
    const Job job = small_job();
    return execute_or_refuse(job, graph_for(job), backend, {});
}

TEST(Refusal, ANetworkThatDoesNotFitIsACompleteRunOfSkippedSteps) {
    int begun = 0;
    FullMachine backend([] { throw Error("too large", ExitCode::machine_cannot); });
    const Job job = small_job();
    const Observer observer{.begun = [&](strata::Run&) { ++begun; }};
    const strata::Run run = execute_or_refuse(job, graph_for(job), backend, observer);
    EXPECT_EQ(run.state, RunState::complete);
    EXPECT_EQ(begun, 1);
    EXPECT_TRUE(run.whole.end_to_end.values.empty());
    ASSERT_EQ(run.steps.size(), 3U);  // forward, backward_weights, update
    for (const StepResult& step : run.steps) {
        EXPECT_EQ(std::get<Skipped>(step.time).reason, "too large");
    }
}

TEST(Refusal, ExhaustedMemoryIsARefusalToo) {
    const strata::Run run = refused_by([] { throw std::bad_alloc(); });
    EXPECT_EQ(std::get<Skipped>(run.steps[0].time).reason, "memory is exhausted");
}

TEST(Refusal, AnyOtherErrorIsOne) {
    EXPECT_THROW(refused_by([] { throw Error("broken file"); }), Error);
}

TEST(Refusal, WhatFitsIsExecuted) {
    Job job = small_job();
    job.policy = {.warmup = 1,
                  .min_time = Seconds{0},
                  .max_time = Seconds{0.5},
                  .min_samples = 3,
                  .precision = 10};
    const auto backend = make_reference_backend();
    const strata::Run run = execute_or_refuse(job, graph_for(job), *backend, {});
    EXPECT_FALSE(run.whole.end_to_end.values.empty());
}

}  // namespace
}  // namespace strata
