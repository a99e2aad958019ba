// SPDX-License-Identifier: MIT
#include "run/modelled.h"

#include "analyze/bottleneck.h"
#include "analyze/compare.h"
#include "analyze/next_command.h"
#include "analyze/what_if.h"
#include "base/error.h"
#include "record/completeness.h"
#include "record/identity.h"
#include "run/execute.h"
#include "store/load.h"
#include "store/save.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

Job job_for(const std::string& device, std::int64_t batch = 4) {
    Job job;
    job.backend = modelled_backend(device);
    job.request = {.network = "alexnet", .batch = batch, .dims = {}, .variables = {}};
    return job;
}

Run predicted(Job job, const DeviceChanges& changes = {}) {
    const auto device = model_of(find_description(*modelled_device(job.backend)), changes);
    job = planned(job);
    return modelled_run(job, *device, predict_network(job.plan->graph, job.execution, *device));
}

TEST(Modelled, IsAModelledRunWithATimeForEveryStepAndTheirSum) {
    const strata::Run run = predicted(job_for("v100"));
    EXPECT_EQ(run.origin, Origin::modelled);
    EXPECT_FALSE(is_incomplete(run));
    Seconds sum;
    for (const StepResult& step : run.steps) {
        if (const auto* samples = std::get_if<Samples>(&step.time)) {
            ASSERT_EQ(samples->values.size(), 1U);
            sum += samples->values.front();
        }
    }
    ASSERT_EQ(run.whole.end_to_end.values.size(), 1U);
    EXPECT_DOUBLE_EQ(run.whole.end_to_end.values.front().value, sum.value);
    EXPECT_GT(run.predicted_memory, Bytes{});
}

TEST(Modelled, StatesItsDeviceAndRates) {
    const strata::Run run = predicted(job_for("v100"));
    EXPECT_EQ(run.provenance.at("gpu.name"), "NVIDIA Tesla V100 SXM2");
    EXPECT_NE(run.provenance.at("device.l2").find("whitepaper"), std::string::npos);
    EXPECT_NE(run.provenance.at("rates.linear").find("shipped"), std::string::npos);
    EXPECT_NE(run.provenance.at("rates.add").find("v100-pcie"), std::string::npos);
    EXPECT_NE(run.provenance.at("model.basis").find("% off"), std::string::npos);
    EXPECT_NE(run.provenance.at("model.interval").find("network on a gpu"), std::string::npos);
    const strata::Run similar = predicted(job_for("h100"));
    EXPECT_NE(similar.provenance.at("rates.linear").find("related: 'linear' of a100-40"),
              std::string::npos);
    const strata::Run unknown = predicted(job_for("vega-fe"));
    EXPECT_EQ(unknown.provenance.at("rates.linear").substr(0, 7), "shipped");
    EXPECT_EQ(unknown.provenance.at("rates.add").substr(0, 5), "prior");
}

// On a device with TF32; f32 means one thing on the others.
TEST(Modelled, SaysHowF32IsMultiplied) {
    Job job = job_for("h100");
    const auto told = [](const strata::Run& run) {
        return run.provenance.at("model.single_precision");
    };
    EXPECT_TRUE(told(predicted(job)).starts_with("products and convolutions in f32; "));
    job.device_changes = {{"tf32", "convolutions"}};
    EXPECT_TRUE(told(predicted(job, {"tf32=convolutions"})).starts_with("convolutions in TF32"));
    job.device_changes.clear();
    job.execution.numerics.single_precision = SinglePrecision::tf32;
    EXPECT_EQ(told(predicted(job)), "products and convolutions in TF32");
    EXPECT_FALSE(predicted(job_for("v100")).provenance.contains("model.single_precision"));
}

TEST(Modelled, LoadsFromADatabaseUnchanged) {
    const TemporaryDirectory folder;
    const Database database = Database::open(folder.path() / "runs.sqlite");
    Job job = job_for("v100");
    job.device_changes = {{"dram_bandwidth", "2x"}};
    strata::Run run = predicted(job, {"dram_bandwidth=2x"});
    save_run(database, run);
    const strata::Run loaded = load_run(database, run.id);
    EXPECT_EQ(loaded.origin, Origin::modelled);
    EXPECT_EQ(loaded.settings.backend, "modelled:v100");
    EXPECT_EQ(loaded.settings.device_changes, job.device_changes);
    EXPECT_EQ(key_of(loaded.settings), key_of(run.settings));
    EXPECT_NE(key_of(loaded.settings), key_of(predicted(job_for("v100")).settings));
    ASSERT_EQ(loaded.steps.size(), run.steps.size());
    EXPECT_NEAR(loaded.steps.front().launch->value, run.steps.front().launch->value, 1e-9);
    EXPECT_EQ(job_of(loaded).device_changes, job.device_changes);
    ASSERT_TRUE(loaded.interval && loaded.steps.front().interval);
    EXPECT_NEAR(loaded.interval->high / run.interval->high, 1, 1e-6);
    EXPECT_EQ(loaded.steps.front().interval->basis, run.steps.front().interval->basis);
}

// What is told of the first convolution's interval on a device.
std::string basis_on(const DeviceDescription& device, const DeviceChanges& changes = {}) {
    Job job = planned(job_for("v100"));
    for (const std::string& change : changes) {
        job.device_changes.emplace(change.substr(0, change.find('=')), "changed");
    }
    const auto model = model_of(device, changes);
    return modelled_run(job, *model, predict_network(job.plan->graph, job.execution, *model))
        .steps.front()
        .interval->basis;
}

// The numbers decide, not who changed them or what the device is called.
TEST(Modelled, ADeviceOfChangedNumbersHasTheIntervalsOfOneThatWasNotMeasured) {
    const DeviceDescription v100 = find_description("v100");
    EXPECT_TRUE(basis_on(v100).ends_with(" on v100")) << basis_on(v100);
    DeviceDescription edited = v100;
    edited.price = {};
    EXPECT_EQ(basis_on(edited), basis_on(v100));
    edited.name = "my-v100";
    EXPECT_EQ(basis_on(edited), basis_on(v100));
    edited.dram_bandwidth->value = 2 * edited.dram_bandwidth->value;
    EXPECT_TRUE(basis_on(edited).starts_with("left-out, ")) << basis_on(edited);
    EXPECT_EQ(basis_on(v100, {"dram_bandwidth=2x"}), basis_on(edited));
    EXPECT_EQ(basis_on(v100, {"dram_bandwidth=1x"}), basis_on(v100));
    EXPECT_EQ(basis_on(v100, {"launch=0.5x"}), basis_on(edited));
}

TEST(Modelled, TwoDevicesAreComparedExactly) {
    const Comparison found = compare(predicted(job_for("k40")), predicted(job_for("v100")));
    EXPECT_TRUE(found.refusal.empty()) << found.refusal;
    ASSERT_TRUE(found.whole.ratio);
    EXPECT_EQ(found.whole.verdict, Verdict::faster);
    EXPECT_EQ(found.whole.ratio->low, found.whole.ratio->high);
    ASSERT_EQ(found.differences.size(), 1U);
    EXPECT_EQ(found.differences.front().name, "backend");
}

TEST(Modelled, ANetworkThatDoesNotFitIsPredictedWithADoubt) {
    const strata::Run run = predicted(job_for("gtx-1080", 4096));
    ASSERT_EQ(run.flags.size(), 1U);
    EXPECT_NE(run.flags.front().sentence.find("will not fit in the 8 GB"), std::string::npos)
        << run.flags.front().sentence;
    EXPECT_FALSE(run.whole.end_to_end.values.empty());
    EXPECT_TRUE(predicted(job_for("gtx-1080")).flags.empty());
}

TEST(Modelled, ImpossiblePredictionsAreRefused) {
    EXPECT_THROW(predicted(job_for("v100"), {"lanes=1e-300"}), Error);
    EXPECT_THROW(predicted(job_for("v100"), {"dram_bandwidth=1e-300B/s"}), Error);
    EXPECT_THROW(predicted(job_for("v100"), {"sms=1e300"}), Error);
    EXPECT_THROW(predicted(job_for("v100"), {"dram_bandwidth=1e300B/s"}), Error);
    EXPECT_THROW(predicted(job_for("v100", 1'000'000'000'000)), Error);
}

TEST(Modelled, PredictsTheSavingByFusion) {
    const Job job = job_for("v100", 32);
    const strata::Run run = predicted(job);
    const FusionForecast found =
        forecast_of_fusion(run, planned(job).plan->graph, FusionScope::all, FusionMethod::traffic);
    ASSERT_TRUE(found.gain);
    EXPECT_GT(found.gain->median, Seconds{});
}

TEST(Modelled, TheNextCommandExplainsALayerOnTheSameDevice) {
    Job job = job_for("v100");
    job.device_changes = {{"sms", "200"}};
    const strata::Run run = predicted(job, {"sms=200"});
    EXPECT_EQ(advice_for(run, 0, bounds_of(run).front(), Seconds{1}).command,
              "strata predict alexnet --batch 4 --device v100 --set sms=200 --explain conv1");
}

TEST(Modelled, WaitingForTheHostIsToldAndSharedByALargerBatch) {
    const strata::Run run = predicted(job_for("v100"));
    const auto bounds = bounds_of(run);
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const auto* samples = std::get_if<Samples>(&run.steps[i].time);
        ASSERT_EQ(run.steps[i].launch.has_value(), samples != nullptr);
        if (samples != nullptr) {
            EXPECT_LE(*run.steps[i].launch, samples->values.front() * (1 + 1e-12));
        }
        if (bounds[i].verdict == Bottleneck::overhead) {
            EXPECT_EQ(bounds[i].fixed, run.steps[i].launch);
            const Advice advice = advice_for(run, i, bounds[i], samples->values.front());
            EXPECT_EQ(advice.command, "strata predict alexnet --device v100 --vary batch=4..16");
            EXPECT_DOUBLE_EQ(advice.saving->value, 0.75 * run.steps[i].launch->value);
            ++waiting;
        }
    }
    EXPECT_GT(waiting, 0U);
    EXPECT_FALSE(predicted(job_for("epyc-7763")).steps.front().launch);
}

TEST(Modelled, NextToAnotherARunIsNamedByItsDevice) {
    const std::array sides = {predicted(job_for("k40")).settings,
                              predicted(job_for("v100")).settings};
    EXPECT_EQ(names_of_sides(sides), (std::vector<std::string>{"modelled:k40", "modelled:v100"}));
}

TEST(Modelled, OnlyAModelledBackendNamesADevice) {
    EXPECT_EQ(modelled_device("modelled:h100"), "h100");
    EXPECT_FALSE(modelled_device("onednn"));
}

}  // namespace
}  // namespace strata
