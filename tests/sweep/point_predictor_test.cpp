// SPDX-License-Identifier: MIT
#include "sweep/point_predictor.h"

#include "record/identity.h"
#include "store/load.h"
#include "store/statement.h"
#include "sweep/predicted.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// The run that `strata predict` makes for a point, with the work of all steps; empty if it does not
// fit into the device's memory, or the device has no model of a layer.
std::optional<Run> the_long_way(const SweepSpec& spec, std::int64_t index) {
    const GridPlace place = place_of(spec, index);
    const auto model = model_of(find_description(spec.devices[place.target]));
    const Job job = planned(predicted_job(spec, place, model->device()));
    const NetworkPrediction prediction = predict_network(job.plan->graph, job.execution, *model);
    const ModelledMemory memory = memory_of(*job.plan, prediction, model->device());
    if (!memory.fits() || prediction.refused() > 0) {
        return std::nullopt;
    }
    return modelled_run(job, *model, prediction, memory, ModelledDetail::time);
}

void expect_points_of_the_long_way(const SweepSpec& spec, std::int64_t samples) {
    PointPredictor predictor(spec, KeptSteps::none);
    const ShuffledOrder order(count_points(spec), 7);
    const std::int64_t count = std::min(samples, order.count());
    std::int64_t refused = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t index = order.at(i);
        SCOPED_TRACE(point_of(spec, index).network + " batch " +
                     std::to_string(point_of(spec, index).batch));
        const PredictedPoint found = predictor.predicted(index);
        const std::optional<Run> run = the_long_way(spec, index);
        EXPECT_FALSE(found.run);
        ASSERT_EQ(found.whole.has_value(), run.has_value());
        if (run) {
            EXPECT_EQ(found.whole->time, run->whole.end_to_end.values.front());
            EXPECT_EQ(found.whole->memory, run->predicted_memory);
            EXPECT_EQ(found.whole->work, run->work);
        } else {
            refused += found.point.outcome == PointOutcome::failed ? 1 : 0;
            EXPECT_NE(found.point.outcome, PointOutcome::ok);
            EXPECT_FALSE(found.point.reason.empty());
        }
    }
    EXPECT_EQ(predictor.outlined() + refused, count);
    EXPECT_GT(predictor.outlined(), 0);
}

class PredictedPoints : public ::testing::TestWithParam<const char*> {};

TEST_P(PredictedPoints, EqualThoseFromAGraphToTheLastBit) {
    SweepSpec spec = find_sweep(GetParam());
    spec.backends.clear();
    spec.devices = {"v100", "tpu-v2-8", "skylake-8180"};
    expect_points_of_the_long_way(spec, 40);
}

TEST_P(PredictedPoints, AreTheSameInInference) {
    SweepSpec spec = find_sweep(GetParam());
    spec.backends.clear();
    spec.devices = {"v100"};
    spec.settings.front().execution.numerics.mode = Mode::inference;
    spec.settings.front().execution.numerics.dtype = DataType::f16;
    expect_points_of_the_long_way(spec, 20);
}

INSTANTIATE_TEST_SUITE_P(Grids, PredictedPoints,
                         ::testing::Values("paradnn-fc", "paradnn-residual", "paradnn-bottleneck",
                                           "paradnn-rnn", "paradnn-lstm", "paradnn-gru",
                                           "cpu-small"));

SweepSpec transformers() {
    return parse_sweep(
        "batch = [1, 8]\ndevice = [\"v100\", \"tpu-v3-8\"]\nmode = [\"training\", \"inference\"]\n"
        "dtype = [\"f32\", \"bf16\"]\n"
        "[[network]]\nfamily = \"transformer\"\nlayers = [1, 2, 3]\nembed = [64, 128]\n"
        "length = [16, 32]\nvocabulary = [64, 1000]\n",
        "transformers.toml");
}

TEST(PredictedTransformers, EqualThoseFromAGraphToTheLastBit) {
    expect_points_of_the_long_way(transformers(), 100);
}

TEST(PredictedPointsWithEqualSizes, AreNotConfusedBetweenStructures) {
    // If inputs, nodes and outputs are equal, layers that otherwise differ are equal.
    expect_points_of_the_long_way(
        parse_sweep("batch = [4, 16]\ndevice = \"v100\"\n[[network]]\nfamily = \"fc\"\n"
                    "layers = [1, 2, 5]\nnodes = [16, 32]\ninputs = [16, 32]\noutputs = [16, 32]\n",
                    "equal.toml"),
        48);
}

TEST(RefusedPoints, HaveTheReasonFromTheGraph) {
    const SweepSpec spec = parse_sweep(
        "device = \"v100\"\n[[network]]\nfamily = \"transformer\"\nembed = 64\nheads = [7, 8]\n",
        "heads.toml");
    PointPredictor predictor(spec, KeptSteps::none);
    const PredictedPoint refused = predictor.predicted(0);
    EXPECT_EQ(refused.point.outcome, PointOutcome::failed);
    EXPECT_EQ(refused.point.reason, "transformer: heads=7 does not divide embed=64; change one");
    EXPECT_EQ(predictor.predicted(1).point.outcome, PointOutcome::ok);
}

TEST(StoredPoints, HaveTheSettingsAndTheKeyOfAPredictionFromAGraph) {
    const TemporaryDirectory directory;
    const Database database = Database::open(directory.path() / "runs.sqlite");
    const SweepSpec spec = transformers();
    predict_sweep(spec, {}, database, {.threads = 1, .steps = KeptSteps::none});
    for (const std::int64_t index : {0, 9, 101, 191}) {
        const auto alone = the_long_way(spec, index);
        Statement find(database,
                       "SELECT run.id, run.key FROM sweep_point JOIN run ON run.id = run "
                       "WHERE position = ?");
        ASSERT_TRUE(find.start(index).next());
        const strata::Run stored = load_run(database, find.integer(0));
        EXPECT_EQ(find.text(1), key_of(alone->settings));
        EXPECT_EQ(key_of(stored.settings), key_of(alone->settings));
        EXPECT_EQ(stored.provenance, alone->provenance);
        EXPECT_EQ(to_toml(*stored.device), to_toml(*alone->device));
        EXPECT_EQ(stored.whole.end_to_end.values, alone->whole.end_to_end.values);
        EXPECT_EQ(stored.work, alone->work);
        EXPECT_EQ(stored.predicted_memory, alone->predicted_memory);
    }
}

}  // namespace
}  // namespace strata
