// SPDX-License-Identifier: MIT
#include "store/observations.h"

#include "store/load.h"
#include "store/save.h"
#include "store/statement.h"
#include "tests/store/sample_run.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

class ObservationsTest : public ::testing::Test {
protected:
    TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.sqlite");
};

strata::Run small_run(std::string network, std::int64_t batch) {
    strata::Run run;
    run.created = "2026-11-21T13:15:00Z";
    run.settings.backend = "onednn";
    run.settings.network = std::move(network);
    run.settings.batch = batch;
    for (const double flops : {1e6, 2e6}) {
        StepResult& step = run.steps.emplace_back();
        step.layer = "fc";
        step.flops = Flops{flops};
        step.read = Bytes{1000};
        step.written = Bytes{500};
        step.time = Samples{{Seconds{1e-3}}};
    }
    run.whole.end_to_end.values = {Seconds{3e-3}, Seconds{4e-3}, Seconds{5e-3}};
    return run;
}

TEST_F(ObservationsTest, ARunIsOneObservationWithTheSumsOfItsSteps) {
    strata::Run run = small_run("fc:layers=4,nodes=64", 32);
    run.settings.dims = {{"tokens", 128}};
    run.settings.variables = {{"HIDDEN", "256"}, {"KIND", "lstm"}};
    run.device = Device{.name = "box", .model = "Box"};
    run.provenance["backend.version"] = "2.6.3";
    run.device->compute = {{"f32", {FlopRate{1e9}, "measured"}}};
    save_run(database_, run);
    const Observations all = load_observations(database_);
    ASSERT_EQ(all.runs.size(), 1u);
    const Observation& found = all.runs[0];
    EXPECT_EQ(found.run, run.id);
    EXPECT_EQ(found.family, "fc");
    EXPECT_EQ(found.version, "2.6.3");
    EXPECT_EQ(parameter_of(found, "nodes"), 64);
    EXPECT_EQ(parameter_of(found, "tokens"), 128);
    EXPECT_EQ(parameter_of(found, "HIDDEN"), 256);
    EXPECT_EQ(parameter_of(found, "KIND"), std::nullopt);
    EXPECT_EQ(found.flops, Flops{3e6});
    EXPECT_EQ(found.traffic, Bytes{3000});
    ASSERT_TRUE(found.time.has_value());
    EXPECT_DOUBLE_EQ(found.time->median.value, 4e-3);
    EXPECT_DOUBLE_EQ(found.time->low.value, 3e-3);
    ASSERT_NE(all.device_of(found), nullptr);
    EXPECT_EQ(all.device_of(found)->name, "box");
}

TEST_F(ObservationsTest, ARunThatDidNotRunHasAReasonInsteadOfATime) {
    strata::Run skipped = small_run("alexnet", 1), unmeasured = small_run("vgg-16", 1);
    skipped.steps[1].time = Skipped{"lrn: not in onednn"};
    unmeasured.whole = {};
    save_run(database_, skipped);
    save_run(database_, unmeasured);
    const Observations all = load_observations(database_);
    EXPECT_FALSE(all.runs.at(0).time.has_value());
    EXPECT_EQ(all.runs.at(0).reason, "lrn: not in onednn");
    EXPECT_FALSE(all.runs.at(1).time.has_value());
    EXPECT_EQ(all.runs.at(1).reason, "not measured");
}

// The same sums as in a completely loaded run.
TEST_F(ObservationsTest, ItsTimeAndWorkEqualTheRuns) {
    strata::Run run = sample_run();
    save_run(database_, run);
    const strata::Run loaded = load_run(database_, run.id);
    const Observation found = load_observations(database_).runs.at(0);
    Flops flops;
    for (const StepResult& step : loaded.steps) {
        flops += step.flops;
    }
    EXPECT_EQ(found.flops, flops);
    EXPECT_EQ(found.backend, loaded.settings.backend);
    EXPECT_EQ(found.batch, loaded.settings.batch);
    EXPECT_EQ(found.origin, loaded.origin);
}

TEST_F(ObservationsTest, ManyImportedRunsAreStoredOnce) {
    std::vector<strata::Run> runs;
    for (const std::int64_t batch : {1, 2, 3}) {
        runs.push_back(small_run("fc:layers=4,nodes=64", batch));
        runs.back().origin = Origin::imported;
    }
    EXPECT_EQ(save_imported(database_, runs), 3u);
    std::vector<strata::Run> again = runs;
    for (strata::Run& run : again) {
        run.id = 0;
    }
    again.push_back(small_run("fc:layers=8,nodes=64", 1));
    again.back().origin = Origin::imported;
    EXPECT_EQ(save_imported(database_, again), 1u);
    EXPECT_EQ(again[1].id, runs[1].id);
    EXPECT_EQ(load_observations(database_).runs.size(), 4u);
}

}  // namespace
}  // namespace strata
