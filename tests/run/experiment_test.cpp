// SPDX-License-Identifier: MIT
#include "run/experiment.h"

#include "base/error.h"
#include "base/range.h"
#include "record/options.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <fstream>

namespace strata {
namespace {

ExperimentRequest asking_for(std::vector<std::string> networks) {
    ExperimentRequest request;
    request.common.backend = "reference";
    request.networks = std::move(networks);
    return request;
}

TEST(Experiment, NetworksAreOutermostThenBatchesThenSettings) {
    ExperimentRequest request = asking_for({"alexnet", "vgg-16"});
    request.batches = {1, 16};
    request.settings = with_values({Settings{}}, option_named("dtype"), {"f32", "bf16"});
    const Experiment experiment = experiment_of(request);
    ASSERT_EQ(experiment.groups.size(), 8U);
    EXPECT_EQ(count_jobs(experiment), 8U);
    EXPECT_EQ(experiment.settings.size(), 2U);
    const Job& fourth = experiment.groups[3].front();
    EXPECT_EQ(fourth.request.network, "alexnet");
    EXPECT_EQ(fourth.request.batch, 16);
    EXPECT_EQ(fourth.execution.numerics.dtype, DataType::bf16);
    EXPECT_EQ(experiment.groups[4].front().request.network, "vgg-16");
}

TEST(Experiment, WithoutBatchesEachNetworkKeepsItsOwn) {
    const Experiment experiment = experiment_of(asking_for({"alexnet"}));
    ASSERT_EQ(experiment.groups.size(), 1U);
    EXPECT_EQ(experiment.groups[0].front().request.batch, std::nullopt);
}

TEST(Experiment, AVariedNumberMakesOneGroupOfItsJobs) {
    ExperimentRequest request = asking_for({"lstm"});
    request.batches = {4};
    request.variations = {{"hidden", {8, 16, 32}}};
    const Experiment experiment = experiment_of(request);
    ASSERT_EQ(experiment.groups.size(), 1U);
    ASSERT_EQ(experiment.groups[0].size(), 3U);
    EXPECT_EQ(experiment.groups[0][1].request.network, "lstm:hidden=16");
    EXPECT_EQ(experiment.groups[0][1].request.batch, 4);
}

TEST(Experiment, TheFirstVariationIsTheOutermostLoop) {
    const auto values = combinations_of({{"batch", {1, 2}}, {"hidden", {8, 16}}});
    EXPECT_EQ(values, (std::vector<std::vector<std::int64_t>>{{1, 8}, {1, 16}, {2, 8}, {2, 16}}));
}

TEST(Experiment, TooManyCombinationsAreRefused) {
    const std::vector<std::int64_t> many(max_range_values / 2 + 1);
    EXPECT_NE(error_of([&] {
                  combinations_of({{"batch", many}, {"hidden", {8, 16}}});
              }).find("use fewer values"),
              std::string::npos);
}

TEST(Experiment, SeveralBatchesOfAnInferenceAreASweepAndOfTrainingSeparateRuns) {
    ExperimentRequest request = asking_for({"alexnet"});
    request.batches = {1, 2};
    EXPECT_EQ(experiment_of(request).groups.size(), 2U);
    request.common.execution.numerics.mode = Mode::inference;
    const Experiment sweep = experiment_of(request);
    ASSERT_EQ(sweep.groups.size(), 1U);
    EXPECT_EQ(sweep.groups[0][1].request.batch, 2);
    ASSERT_EQ(sweep.variations.size(), 1U);
    EXPECT_EQ(sweep.variations[0].name, "batch");
}

TEST(Experiment, AVariedBatchReplacesTheSeparateOnes) {
    ExperimentRequest request = asking_for({"alexnet"});
    request.batches = {1, 2};
    request.variations = {{"batch", {1, 2}}};
    EXPECT_EQ(experiment_of(request).groups.size(), 1U);
}

TEST(Experiment, ItsIdentityChangesWithAnyJobAndAnyFilesContent) {
    const TemporaryDirectory directory;
    const std::string file = (directory.path() / "tiny.graph").string();
    const auto identity_with = [&](const char* outputs) {
        std::ofstream(file) << "graph tiny\ninput x f32 2x3\nfc = fully_connected(x) out_features="
                            << outputs << "\noutput fc\n";
        return identity_of(experiment_of(asking_for({file})));
    };
    EXPECT_EQ(identity_with("5"), identity_with("5"));
    EXPECT_NE(identity_with("5"), identity_with("6"));
    ExperimentRequest request = asking_for({"alexnet"});
    const std::string plain = identity_of(experiment_of(request));
    request.batches = {1, 2};
    EXPECT_NE(identity_of(experiment_of(request)), plain);
}

}  // namespace
}  // namespace strata
