// SPDX-License-Identifier: MIT
#include "sweep/predicted.h"

#include "predict/network.h"
#include "run/modelled.h"
#include "store/load.h"
#include "store/observations.h"
#include "store/statement.h"
#include "store/sweeps.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

SweepSpec predicted_grid() {
    return parse_sweep(
        "batch = [1, 2, 4]\ndevice = [\"v100\", \"p100\"]\n"
        "[[network]]\nfamily = \"fc\"\nlayers = { from = 1, to = 12, step = 1 }\nnodes = [8, 16]\n",
        "small.toml");
}

class PredictedSweeps : public ::testing::Test {
protected:
    std::int64_t number(const std::string& sql) const {
        Statement statement(database_, sql);
        statement.start().next();
        return statement.integer(0);
    }

    TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.sqlite");
};

TEST_F(PredictedSweeps, StoreEveryPointOnceOnSeveralThreads) {
    const SweepSpec spec = predicted_grid();
    EXPECT_EQ(predict_sweep(spec, {}, database_, {.threads = 3}), ExitCode::done);
    EXPECT_EQ(number("SELECT count(*) FROM sweep_result WHERE outcome = 'ok'"), 144);
    EXPECT_EQ(number("SELECT count(DISTINCT run) FROM sweep_result"), 144);
    EXPECT_EQ(number("SELECT count(*) FROM run WHERE origin = 'modelled' AND state = 'complete'"),
              144);
    EXPECT_EQ(predict_sweep(spec, {}, database_, {.threads = 1}), ExitCode::done);
    EXPECT_EQ(number("SELECT count(*) FROM run"), 144);
}

TEST_F(PredictedSweeps, StoreTheSameRunAsPredictingThePointAlone) {
    const SweepSpec spec = predicted_grid();
    predict_sweep(spec, {}, database_, {.threads = 2});
    for (const std::int64_t index : {0, 77, 143}) {
        Job job = job_of(spec, point_of(spec, index));
        job.execution.engine.algorithm = ConvolutionAlgorithm::automatic;
        const auto device = model_of(find_description(point_of(spec, index).target));
        job = planned(job);
        const strata::Run alone =
            modelled_run(job, *device, predict_network(job.plan->graph, job.execution, *device));
        const strata::Run stored = load_run(
            database_,
            number("SELECT run FROM sweep_result WHERE position = " + std::to_string(index)));
        EXPECT_EQ(stored.whole.end_to_end.values, alone.whole.end_to_end.values);
        EXPECT_EQ(stored.settings.network, alone.settings.network);
        EXPECT_EQ(stored.steps.size(), alone.steps.size());
        EXPECT_EQ(stored.predicted_memory.value, alone.predicted_memory.value);
    }
}

TEST_F(PredictedSweeps, HaveTheirHyperparametersAsRows) {
    predict_sweep(predicted_grid(), {}, database_, {.threads = 1});
    EXPECT_EQ(number("SELECT count(*) FROM run_parameter WHERE family = 'fc'"), 4 * 144);
    EXPECT_EQ(number("SELECT sum(value) FROM run_parameter WHERE name = 'layers'"), 78 * 2 * 3 * 2);
}

TEST_F(PredictedSweeps, ContinueAfterAnInterrupt) {
    const SweepSpec spec = predicted_grid();
    std::atomic<bool> stop{false};
    const ExitCode code = predict_sweep(
        spec, {}, database_,
        {.threads = 1, .stop = &stop, .progress = [&](std::int64_t) { stop = true; }});
    EXPECT_EQ(code, ExitCode::interrupted);
    const std::int64_t before = number("SELECT count(*) FROM run");
    EXPECT_GT(before, 0);
    EXPECT_LT(before, 144);
    predict_sweep(spec, {}, database_, {.threads = 2});
    EXPECT_EQ(number("SELECT count(*) FROM run"), 144);
    EXPECT_EQ(number("SELECT count(DISTINCT position) FROM sweep_point"), 144);
}

TEST_F(PredictedSweeps, ShareTheirPointsBetweenShards) {
    const SweepSpec spec = predicted_grid();
    for (const std::int64_t index : {1, 2, 3}) {
        const std::int64_t before = number("SELECT count(*) FROM run");
        predict_sweep(spec, {.index = index, .count = 3}, database_, {.threads = 1});
        EXPECT_GT(number("SELECT count(*) FROM run"), before);
    }
    EXPECT_EQ(number("SELECT count(*) FROM run"), 144);
    EXPECT_EQ(number("SELECT count(DISTINCT position) FROM sweep_point"), 144);
}

TEST_F(PredictedSweeps, GiveNoTimeToANetworkThatDoesNotFitTheDevice) {
    const SweepSpec spec = parse_sweep(
        "batch = [64, 16384]\ndevice = \"v100\"\n"
        "[[network]]\nfamily = \"fc\"\nlayers = 128\nnodes = 8192\n",
        "large.toml");
    predict_sweep(spec, {}, database_, {.threads = 1});
    EXPECT_EQ(number("SELECT count(*) FROM run"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM sweep_result WHERE outcome = 'out-of-memory' "
                     "AND reason LIKE 'it needs % GB, and v100 has %'"),
              2);
}

TEST_F(PredictedSweeps, CanLeaveOutTheSteps) {
    predict_sweep(predicted_grid(), {}, database_, {.threads = 1, .steps = KeptSteps::none});
    EXPECT_EQ(number("SELECT count(*) FROM step"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM sweep_result WHERE median_s > 0"), 144);
}

TEST_F(PredictedSweeps, KnowTheWorkOfStepsThatTheyLeaveOut) {
    const SweepSpec spec = predicted_grid();
    predict_sweep(spec, {}, database_, {.threads = 1});
    const Database without = Database::open(directory_.path() / "without.sqlite");
    predict_sweep(spec, {}, without, {.threads = 1, .steps = KeptSteps::none});
    const Observations whole = load_observations(database_);
    const Observations light = load_observations(without);
    ASSERT_EQ(light.runs.size(), whole.runs.size());
    for (std::size_t i = 0; i < light.runs.size(); ++i) {
        EXPECT_GT(light.runs[i].flops, Flops{});
        EXPECT_EQ(light.runs[i].network, whole.runs[i].network);
        EXPECT_EQ(light.runs[i].flops, whole.runs[i].flops);
        EXPECT_EQ(light.runs[i].traffic, whole.runs[i].traffic);
    }
}

TEST_F(PredictedSweeps, RefuseAnUnknownDeviceBeforeAnythingIsStored) {
    SweepSpec spec = predicted_grid();
    spec.devices = {"v101"};
    EXPECT_THROW(predict_sweep(spec, {}, database_, {.threads = 2}), Error);
    EXPECT_EQ(number("SELECT count(*) FROM sweep_point"), 0);
}

}  // namespace
}  // namespace strata
