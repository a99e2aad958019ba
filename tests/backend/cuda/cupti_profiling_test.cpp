// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti_profiling.h"

#include "backend/cuda/engine.h"
#include "networks/network.h"
#include "tests/backend/cuda/cupti/scripted_counter.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/host_machine.h"
#include "trace/attribute.h"
#include "trace/iterations.h"

#include <gtest/gtest.h>

#include <set>

namespace strata::cuda {
namespace {

// A tracer that sees a kernel for each call of a machine, in the range that the call is made in.
class ScriptedActivity : public ActivityCalls {
public:
    explicit ScriptedActivity(Trace& trace) : trace_(trace) {}
    void start() override { trace_ = {}; }
    void enable(Recorded) override {}
    void enter(std::uint64_t range) override { range_ = range; }
    void leave(std::uint64_t outer) override { range_ = outer; }
    Trace collect() override { return std::exchange(trace_, {}); }
    void stop() noexcept override { range_ = 0; }

    static inline std::uint64_t range_ = 0;

private:
    Trace& trace_;
};

class TracedMachine : public strata::testing::HostMachine {
public:
    explicit TracedMachine(Trace& trace)
        : HostMachine(strata::testing::described_h200()), trace_(trace) {}

    void enqueue(const Call& call, std::span<void* const> addresses) override {
        HostMachine::enqueue(call, addresses);
        const auto number = static_cast<std::uint32_t>(trace_.spans.size() + 1);
        trace_.spans.push_back({.name = "kernel",
                                .start = Nanoseconds(10 * number),
                                .end = Nanoseconds(10 * number + 5),
                                .correlation = number});
        if (ScriptedActivity::range_ != 0) {
            trace_.calls.push_back({number, ScriptedActivity::range_});
        }
    }

private:
    Trace& trace_;
};

class CuptiProfilings : public ::testing::Test {
protected:
    CuptiProfilings()
        : executable_(graph_, prepare_program(graph_, {}, strata::testing::described_h200()),
                      std::make_shared<TracedMachine>(trace_)) {}

    CuptiLibrary library() {
        return {.warning = [] { return std::string("known to fail"); },
                .open_activity = [this] { return std::make_unique<ScriptedActivity>(trace_); },
                .open_device = [this]() -> CountingDevice {
                    require_cupti(device_code_, "count");
                    return {.chip = "GH100"};
                },
                .make_counter = [](const CountingDevice&, const CounterConfig&,
                                   std::size_t) { return std::make_unique<ScriptedCounter>(); },
                .is_attached = [] { return false; }};
    }

    std::vector<CountedStep> count(std::span<const MetricSet> sets) {
        std::vector<CountedStep> kept;
        CuptiProfiling(executable_, library())
            .count({.sets = sets,
                    .announce = [this](const CountingPlan& plan) { plan_ = plan; },
                    .is_known = [](std::size_t) { return false; },
                    .is_stopped = [] { return false; },
                    .keep = [&](const CountedStep& step) { kept.push_back(step); }});
        return kept;
    }

    Trace trace_;
    Graph graph_ = load_network({.network = "fc:layers=3,nodes=8,inputs=8,outputs=8",
                                 .batch = 2,
                                 .dims = {},
                                 .variables = {}});
    CudaExecutable executable_;
    CountingPlan plan_;
    int device_code_ = 0;
};

TEST_F(CuptiProfilings, EveryStepOfEveryIterationIsRecordedInItsOwnRange) {
    const Recording recording = CuptiProfiling(executable_, library()).record(3);
    EXPECT_EQ(recording.device, "NVIDIA H200");
    EXPECT_EQ(recording.warning, "known to fail");
    ASSERT_EQ(recording.iterations.size(), 3u);
    EXPECT_EQ(recording.times.size(), 3u);
    const auto attributions = attribute(recording.trace);
    const auto iterations = spans_by_iteration(recording.trace, recording.iterations);
    for (const auto& spans : iterations) {
        std::set<std::pair<LayerId, Pass>> tasks;
        for (const std::size_t span : spans) {
            ASSERT_TRUE(attributions[span].task);
            tasks.emplace(attributions[span].task->layer, attributions[span].task->pass);
        }
        for (const Step& step : executable_.steps()) {
            EXPECT_TRUE(step.implementation == "alias" || tasks.contains({step.layer, step.pass}))
                << graph_.layers[step.layer].name;
        }
        EXPECT_EQ(spans.size(), iterations.front().size());
    }
}

TEST_F(CuptiProfilings, TheWatchIsRemovedAfterwards) {
    CuptiProfiling(executable_, library()).record(1);
    trace_ = {};
    executable_.run();
    EXPECT_FALSE(trace_.spans.empty());
    EXPECT_TRUE(trace_.calls.empty());
}

TEST_F(CuptiProfilings, CountsEachStepThatHasCallsInThePassesOfTheChip) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "CUPTI opens its host part in a way that the address sanitizer forbids";
#endif
    const auto sets = default_sets(metric_catalogue());
    const auto kept = count(sets);
    EXPECT_EQ(kept.size(), executable_.working_steps().size());
    EXPECT_TRUE(plan_.refusal.empty());
    EXPECT_GE(plan_.passes, 1u);
    EXPECT_GT(plan_.counters, 10u);
}

TEST_F(CuptiProfilings, IfCountersAreDeniedEveryMetricSaysWhy) {
    device_code_ = 35;  // CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
    const auto sets = default_sets(metric_catalogue());
    const auto kept = count(sets);
    EXPECT_FALSE(plan_.refusal.empty());
    ASSERT_EQ(kept.size(), executable_.working_steps().size());
    for (const EvaluatedMetric& metric : kept[0].metrics) {
        EXPECT_EQ(std::get<NoValue>(metric.value).reason, plan_.refusal) << metric.metric.name;
    }
}

}  // namespace
}  // namespace strata::cuda
