// SPDX-License-Identifier: MIT
#include "run/execute.h"

#include "backend/reference/reference.h"
#include "base/error.h"
#include "base/npy.h"
#include "tests/support/scripted_backend.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace strata {
namespace {

// A network small enough for the reference backend, in its own file.
class Execute : public ::testing::Test {
protected:
    Execute() {
        std::ofstream(file()) << "graph tiny\n"
                                 "input x f32 2x3x8x8\n"
                                 "conv = convolution(x) out_channels=4 kernel=3x3\n"
                                 "relu = activation(conv)\n"
                                 "fc = fully_connected(relu) out_features=5\n"
                                 "output fc\n";
        job_.backend = "reference";
        job_.request.network = file().string();
        job_.policy = {.warmup = 1,
                       .min_time = Seconds{0},
                       .max_time = Seconds{0.5},
                       .min_samples = 3,
                       .precision = 10};
    }

    std::filesystem::path file() const { return folder_ / "tiny.graph"; }
    strata::Run run(const Observer& observer = {}, const std::optional<strata::Run>& earlier = {}) {
        return execute(planned(job_), *backend_, observer, earlier);
    }

    const TemporaryDirectory directory_;
    const std::filesystem::path folder_ = directory_.path();
    Job job_;
    std::unique_ptr<Backend> backend_ = make_reference_backend();
};

TEST_F(Execute, EveryStepIsSampledAndTheStepsMakeUpTheWhole) {
    const strata::Run done = run();
    EXPECT_EQ(done.state, RunState::complete);
    ASSERT_FALSE(done.steps.empty());
    double sum = 0;
    for (const StepResult& step : done.steps) {
        const auto& samples = std::get<Samples>(step.time).values;
        ASSERT_GE(samples.size(), 3U) << step.layer;
        sum += samples.front().value;
    }
    EXPECT_LE(sum, done.whole.instrumented.values.front().value * 1.0001);
    EXPECT_GE(done.whole.end_to_end.values.size(), 3U);
    EXPECT_GE(done.settings.threads(), 1);
    EXPECT_GT(done.predicted_memory.value, 0);
    EXPECT_FALSE(done.provenance.empty());
}

TEST_F(Execute, TheReferenceAgreesWithItself) {
    job_.verification = Verification::done;
    for (const StepResult& step : run().steps) {
        EXPECT_TRUE(std::holds_alternative<Samples>(step.time)) << step.layer;
    }
}

TEST_F(Execute, AVerifiedRunReportsTheComparedStepsAndTheirErrors) {
    EXPECT_FALSE(run().verified);
    job_.verification = Verification::done;
    const strata::Run done = run();
    ASSERT_TRUE(done.verified);
    EXPECT_EQ(done.verified->compared, done.steps.size());
    EXPECT_EQ(done.verified->without_reference, 0U);
    for (const StepResult& step : done.steps) {
        ASSERT_TRUE(step.verified) << step.layer;
        EXPECT_GT(step.verified->tolerance, step.verified->error);
    }
}

TEST_F(Execute, InferenceRunsForwardOnly) {
    job_.execution.numerics.mode = Mode::inference;
    for (const StepResult& step : run().steps) {
        EXPECT_EQ(step.pass, Pass::forward);
    }
}

TEST_F(Execute, AStopLeavesAPartialRunThatCanBeContinued) {
    const std::atomic<bool> stop{true};
    strata::Run partial = run({.progress = {},
                               .begun = [](strata::Run& r) { r.id = 7; },
                               .checkpoint = {},
                               .stop = &stop});
    EXPECT_EQ(partial.state, RunState::partial);
    const std::size_t before = partial.whole.end_to_end.values.size();
    std::size_t begun_with = 0;
    const Observer observer = {
        .progress = {},
        .begun = [&](strata::Run& r) { begun_with = r.whole.end_to_end.values.size(); },
        .checkpoint = {}};
    const strata::Run whole = run(observer, partial);
    EXPECT_EQ(begun_with, before) << "a store that begins anew would lose what it had";
    EXPECT_EQ(whole.state, RunState::complete);
    EXPECT_EQ(whole.id, 7);
    EXPECT_GT(whole.whole.end_to_end.values.size(), before);
}

TEST_F(Execute, ARunWithARefusedStepCanBeContinued) {
    strata::testing::ScriptedBackend backend(
        [](strata::testing::ScriptedExecutable& executable) { executable.refuse(1, "not here"); });
    const Job job = planned(job_);
    strata::Run earlier = execute(job, backend, {});
    ASSERT_TRUE(std::holds_alternative<Skipped>(earlier.steps[1].time));
    const std::size_t before = earlier.whole.instrumented.values.size();
    const strata::Run whole = execute(job, backend, {}, earlier);
    EXPECT_TRUE(std::holds_alternative<Skipped>(whole.steps[1].time));
    EXPECT_GT(std::get<Samples>(whole.steps[0].time).values.size(), before);
}

TEST_F(Execute, AnIterationThatCouldNotBeRecordedIsADoubt) {
    for (const bool fails : {false, true}) {
        strata::testing::ScriptedBackend backend(
            [&](strata::testing::ScriptedExecutable& executable) {
                if (fails) {
                    executable.fail_to_record();
                }
            });
        const strata::Run done = execute(planned(job_), backend, {});
        EXPECT_EQ(std::ranges::count(done.flags, DoubtKind::not_recorded, &Flag::kind),
                  fails ? 1 : 0);
    }
}

TEST_F(Execute, VariablesThatAffectLibrariesAreKeptWithTheRun) {
    ASSERT_EQ(::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1), 0);
    const strata::Run done = run();
    ::unsetenv("CUBLAS_WORKSPACE_CONFIG");
    EXPECT_EQ(done.provenance.at("variable.CUBLAS_WORKSPACE_CONFIG"), ":4096:8");
}

TEST_F(Execute, ASliceRunsAlone) {
    job_.slice = "conv";
    for (const StepResult& step : run().steps) {
        EXPECT_EQ(step.layer, "conv");
    }
}

TEST_F(Execute, TheUsersInputDecidesTheDumpedOutput) {
    job_.execution.numerics.mode = Mode::inference;
    write_npy(folder_ / "x.npy", Dims{2, 3, 8, 8}, std::vector<float>(2 * 3 * 8 * 8, 0.0F));
    job_.inputs["x"] = folder_ / "x.npy";
    job_.dump = Dump{folder_ / "out", "conv"};
    run();
    const NpyArray convolved = read_npy(folder_ / "out" / "conv.npy");
    EXPECT_EQ(convolved.dims, (Dims{2, 4, 6, 6}));
    for (const float value : convolved.values) {
        EXPECT_EQ(value, 0.0F);
    }
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "fc.npy"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / "relu.npy"));
}

TEST_F(Execute, AnInputOfOtherExtentsIsRefusedByName) {
    write_npy(folder_ / "x.npy", Dims{1, 3, 8, 8}, std::vector<float>(3 * 8 * 8, 0.0F));
    job_.inputs["x"] = folder_ / "x.npy";
    try {
        run();
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("1x3x8x8"), std::string::npos) << error.what();
    }
}

TEST_F(Execute, ABatchBeyondTheMachinesMemoryIsRefusedBeforeItIsAllocated) {
    job_.request.network = "convolution(1x1024x1024x1024) out_channels=1024 kernel=3x3";
    job_.request.batch = 1 << 20;
    try {
        run();
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::machine_cannot);
    }
}

TEST_F(Execute, ABatchBeyondTheMemoryLimitIsRefusedToo) {
    job_.memory = Bytes{1000};
    try {
        run();
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::machine_cannot);
        EXPECT_NE(std::string(error.what()).find("--memory gives 1.00 kB"), std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace strata
