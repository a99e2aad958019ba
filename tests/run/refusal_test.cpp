// SPDX-License-Identifier: MIT
#include "run/refusal.h"

#include "backend/reference/reference.h"
#include "base/error.h"
#include "graph/builder.h"
#include "tests/support/error_message.h"
#include "tests/support/scripted_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
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
    return execute_or_refuse(planned(job), backend, {});
}

TEST(Refusal, ANetworkThatDoesNotFitIsACompleteRunOfSkippedSteps) {
    int begun = 0;
    FullMachine backend([] { throw Error("too large", ExitCode::machine_cannot); });
    const Job job = small_job();
    const Observer observer{.begun = [&](strata::Run&) { ++begun; }};
    const strata::Run run = execute_or_refuse(planned(job), backend, observer);
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

TEST(Refusal, AnyOtherErrorIsRaised) {
    EXPECT_THROW(refused_by([] { throw Error("broken file"); }), Error);
}

TEST(Refusal, ANetworkThatFitsIsExecuted) {
    Job job = small_job();
    job.policy = {.warmup = 1,
                  .min_time = Seconds{0},
                  .max_time = Seconds{0.5},
                  .min_samples = 3,
                  .precision = 10};
    const auto backend = make_reference_backend();
    const strata::Run run = execute_or_refuse(planned(job), *backend, {});
    EXPECT_FALSE(run.whole.end_to_end.values.empty());
}

Graph three_layers() {
    GraphBuilder builder("three");
    const TensorId x =
        builder.add("a", FullyConnected{.out_features = 4}, {builder.input("x", {{2, 3}})});
    builder.add("c", Activation{}, {builder.add("b", FullyConnected{.out_features = 4}, {x})});
    return builder.finish();
}

TEST(Refusal, AMostlyUnsupportedNetworkIsRefusedByKindAndNumber) {
    const Graph graph = three_layers();
    const std::vector<Step> half = {
        {.layer = 0, .state = Refused{"fully_connected: no kernel"}}, {.layer = 1}, {.layer = 2}};
    EXPECT_NO_THROW(require_max_layers(graph, half));
    std::vector<Step> maximum = half;
    maximum[1].state = Refused{"no kernel either"};
    maximum.push_back(
        {.layer = 1, .pass = Pass::backward_data, .state = Refused{"no kernel either"}});
    EXPECT_EQ(error_of([&] { require_max_layers(graph, maximum); }),
              "three: 2 of 3 layers cannot run here: 2 fully_connected (no kernel); "
              "--allow-incomplete measures the rest");
}

TEST(Refusal, AnIncludedStepIsNotMissing) {
    std::vector<Step> steps = {{.layer = 0}};
    for (const LayerId layer : {LayerId{1}, LayerId{2}}) {
        steps.push_back({.layer = layer, .state = IncludedIn{Task{0, Pass::forward}}});
    }
    EXPECT_NO_THROW(require_max_layers(three_layers(), steps));
}

TEST(Refusal, AMostlyUnsupportedNetworkIsMeasuredIfAllowed) {
    Job job = small_job();
    job.policy = {.warmup = 0,
                  .min_time = Seconds{0},
                  .max_time = Seconds{0.1},
                  .min_samples = 3,
                  .precision = 10};
    strata::testing::ScriptedBackend backend(
        [](strata::testing::ScriptedExecutable& executable) { executable.refuse(0, "not here"); });
    try {
        execute(planned(job), backend, {});
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::machine_cannot);
    }
    job.remainder = Remainder::measured;
    const strata::Run run = execute(planned(job), backend, {});
    EXPECT_TRUE(std::holds_alternative<Skipped>(run.steps[0].time));
    EXPECT_FALSE(std::get<Samples>(run.steps[1].time).values.empty());
}

// Two fully connected layers on a device that one of them kills.
class LostDevice : public ::testing::Test {
protected:
    LostDevice() {
        job_.request = {.network = "fc:layers=2,nodes=8", .batch = 2, .dims = {}, .variables = {}};
        job_.backend = "scripted";
        job_.policy = {.warmup = 0,
                       .min_time = Seconds{0},
                       .max_time = Seconds{0.1},
                       .min_samples = 3,
                       .precision = 10};
        job_ = planned(job_);
    }

    const StepResult& step(const strata::Run& run, const Task& task) const {
        return *std::ranges::find_if(run.steps, [&](const StepResult& one) {
            return one.layer == job_.plan->graph.layers[task.layer].name && one.pass == task.pass;
        });
    }

    strata::Run failing(const Task& task, const std::optional<strata::Run>& earlier = {}) {
        strata::testing::ScriptedBackend backend([&](strata::testing::ScriptedExecutable&) {
            throw StepFailure(task, "an illegal address");
        });
        return execute(job_, backend, {}, earlier);
    }

    Job job_;
    static constexpr Task culprit = {.layer = 1, .pass = Pass::forward};
};

TEST_F(LostDevice, TheCausingStepHasFailedAndNoOtherIsMeasured) {
    const strata::Run run = failing(culprit);
    EXPECT_EQ(run.state, RunState::partial);
    EXPECT_TRUE(lost_its_device(run));
    EXPECT_EQ(std::get<Failed>(step(run, culprit).time).reason, "an illegal address");
    for (const StepResult& one : run.steps) {
        if (&one != &step(run, culprit)) {
            EXPECT_NE(std::get<Skipped>(one.time).reason.find(job_.plan->graph.layers[1].name),
                      std::string::npos);
        }
    }
}

TEST_F(LostDevice, TheSameCommandLeavesItOutAndMeasuresTheRest) {
    const strata::Run earlier = failing(culprit);
    strata::testing::ScriptedBackend backend([&](strata::testing::ScriptedExecutable&) {});
    const strata::Run run = execute(job_, backend, {}, earlier);
    ASSERT_EQ(backend.asked.scheduling.omissions.size(), 1u);
    EXPECT_EQ(backend.asked.scheduling.omissions[0].layer, job_.plan->graph.layers[1].name);
    EXPECT_EQ(backend.asked.scheduling.omissions[0].pass, Pass::forward);
    EXPECT_EQ(run.state, RunState::complete);
    EXPECT_FALSE(lost_its_device(run));
    EXPECT_EQ(std::get<Failed>(step(run, culprit).time).reason, "an illegal address");
    EXPECT_TRUE(std::holds_alternative<Samples>(step(run, {0, Pass::forward}).time));
}

TEST_F(LostDevice, ASecondCulpritJoinsTheFirst) {
    const Task second = {.layer = 0, .pass = Pass::update};
    const strata::Run run = failing(second, failing(culprit));
    const auto omissions = omissions_of(run);
    ASSERT_EQ(omissions.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<Failed>(step(run, culprit).time));
    EXPECT_TRUE(std::holds_alternative<Failed>(step(run, second).time));
}

TEST_F(LostDevice, AWrongStepBeforeAHangIsNotLeftOutNextTime) {
    strata::Run run = failing(culprit);
    for (StepResult& one : run.steps) {
        one.verified = {.error = 1, .tolerance = 0.1};
    }
    EXPECT_TRUE(omissions_of(run).empty());
}

TEST_F(LostDevice, AStepWithOnlyWrongValuesIsNotLeftOutNextTime) {
    strata::Run run = failing(culprit);
    run.flags.clear();
    EXPECT_TRUE(omissions_of(run).empty());
}

}  // namespace
}  // namespace strata
