// SPDX-License-Identifier: MIT
#include "run/profile.h"

#include "networks/network.h"
#include "tests/support/scripted_backend.h"
#include "tests/support/scripted_profiling.h"
#include "trace/budget.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

// Four fully connected layers, of which the inner ones are equal, on a device that can be profiled.
class Profile : public ::testing::Test {
protected:
    Profile() {
        job_.request = {.network = "fc:layers=4,nodes=8,inputs=8,outputs=8",
                        .batch = 2,
                        .dims = {},
                        .variables = {}};
        job_.backend = "scripted";
        job_.policy = {.warmup = 0,
                       .min_time = Seconds{0},
                       .max_time = Seconds{0.2},
                       .min_samples = 3,
                       .precision = 10};
        job_.tracing = Tracing::done;
        job_.counters = default_sets(metric_catalogue());
    }

    strata::Run run(const Observer& observer = {}, const std::optional<strata::Run>& earlier = {}) {
        strata::testing::ScriptedBackend backend(
            [&](strata::testing::ScriptedExecutable& executable) {
                auto profiling =
                    std::make_unique<strata::testing::ScriptedProfiling>(executable.steps());
                script_(*profiling);
                executable.profile_with(std::move(profiling));
            });
        return execute(planned(job_), backend, observer, earlier);
    }

    static bool has_flag(const strata::Run& run, const std::string& kind) {
        return std::ranges::find(run.flags, kind, kind_text) != run.flags.end();
    }

    Job job_;
    std::function<void(strata::testing::ScriptedProfiling&)> script_ =
        [](strata::testing::ScriptedProfiling&) {};
};

TEST_F(Profile, EveryStepHasItsKernelAndTheTracesBudgetCloses) {
    const strata::Run done = run();
    ASSERT_TRUE(done.trace);
    EXPECT_EQ(done.trace->spans.size(), done.steps.size());
    EXPECT_EQ(done.trace->recorded.values.size(), done.trace->windows.values.size());
    const TraceBudget budget = budget_of(*done.trace).budget;
    EXPECT_EQ(budget.attributed + budget.gaps, budget.window);
    EXPECT_EQ(budget.unattributed, Nanoseconds(0));
}

TEST_F(Profile, EveryStepHasItsOwnCounters) {
    const strata::Run done = run();
    for (std::size_t i = 0; i < done.steps.size(); ++i) {
        EXPECT_EQ(done.steps[i].counted_at, i);
        ASSERT_FALSE(done.steps[i].metrics.empty());
        EXPECT_EQ(done.steps[i].metrics[0].value, static_cast<double>(i + 1));
    }
}

TEST_F(Profile, TheCostOfCountingIsAnnouncedFirst) {
    std::string said;
    run({.say = [&](const std::string& sentence) { said = sentence; }});
    EXPECT_NE(said.find("takes 2 iterations"), std::string::npos) << said;
    EXPECT_NE(said.find("unobserved"), std::string::npos) << said;
}

TEST_F(Profile, ATraceThatDiffersFromTheTimedIterationsIsDoubted) {
    EXPECT_TRUE(has_flag(run(), "traced-differs"));
    // As long as the scripted executable's steps.
    script_ = [](strata::testing::ScriptedProfiling& p) { p.kernel_ns = 1'000'000; };
    EXPECT_FALSE(has_flag(run(), "traced-differs"));
}

TEST_F(Profile, AProfilerWithAKnownDefectIsDoubted) {
    script_ = [](strata::testing::ScriptedProfiling& p) { p.warning = "It can deadlock."; };
    EXPECT_TRUE(has_flag(run(), "faulty-profiler"));
}

TEST_F(Profile, ARefusedTraceIsADoubtAndTheTimesStay) {
    script_ = [](strata::testing::ScriptedProfiling& p) { p.trace_refusal = "nsys is attached"; };
    const strata::Run done = run();
    EXPECT_FALSE(done.trace);
    EXPECT_TRUE(has_flag(done, "not-traced"));
    EXPECT_EQ(done.state, RunState::complete);
    EXPECT_TRUE(std::holds_alternative<Samples>(done.steps[0].time));
    EXPECT_TRUE(done.steps[0].counted_at) << "counting does not need tracing";
}

TEST_F(Profile, DeniedCountersAreNeverZero) {
    script_ = [](strata::testing::ScriptedProfiling& p) { p.count_refusal = "not allowed here"; };
    const strata::Run done = run();
    EXPECT_TRUE(has_flag(done, "not-counted"));
    for (const MetricResult& metric : done.steps[0].metrics) {
        EXPECT_FALSE(metric.value) << metric.name;
        EXPECT_FALSE(metric.reason.empty()) << metric.name;
    }
}

TEST_F(Profile, StallsHaveTheirTenCategoriesToo) {
    job_.counters = {find_metric_set(metric_catalogue(), "stalls")};
    const strata::Run done = run();
    const auto& metrics = done.steps[0].metrics;
    EXPECT_EQ(std::ranges::count_if(
                  metrics, [](const MetricResult& m) { return m.name.starts_with("stalls: "); }),
              10);
}

TEST_F(Profile, AnInterruptedCountContinuesWhereItStopped) {
    strata::Run earlier = run();
    earlier.steps.back().metrics.clear();
    earlier.steps.back().counted_at.reset();
    earlier.trace->device = "kept";
    const strata::Run whole = run({}, earlier);
    for (std::size_t i = 0; i + 1 < whole.steps.size(); ++i) {
        EXPECT_EQ(whole.steps[i].metrics, earlier.steps[i].metrics);
    }
    EXPECT_EQ(whole.steps.back().metrics.at(0).value, 1.0) << "nothing else was counted again";
    EXPECT_EQ(whole.trace->device, "kept");
    EXPECT_TRUE(whole.steps.back().counted_at);
}

TEST_F(Profile, TimesWithAnAttachedProfilerAreDoubted) {
    EXPECT_FALSE(has_flag(run(), "profiler-attached"));
    job_.tracing = Tracing::omitted;
    job_.counters = {};
    script_ = [](strata::testing::ScriptedProfiling& p) { p.attached = true; };
    EXPECT_TRUE(has_flag(run(), "profiler-attached"));
}

TEST_F(Profile, AStopLeavesAPartialRunWithoutRecording) {
    const std::atomic<bool> stop{true};
    const strata::Run partial = run({.stop = &stop});
    EXPECT_EQ(partial.state, RunState::partial);
    EXPECT_FALSE(partial.trace);
}

TEST_F(Profile, ABackendWithoutAProfilerIsReported) {
    strata::testing::ScriptedBackend backend([](strata::testing::ScriptedExecutable&) {});
    EXPECT_TRUE(has_flag(execute(planned(job_), backend, {}), "not-traced"));
}

TEST(IterationsToRecord, AreFewerIfOneTakesLong) {
    EXPECT_EQ(iterations_to_record(Seconds{1e-3}), 11u);
    EXPECT_EQ(iterations_to_record(Seconds{0.5}), 4u);
    EXPECT_EQ(iterations_to_record(Seconds{10}), 3u);
}

}  // namespace
}  // namespace strata
