// SPDX-License-Identifier: MIT Files written by the tools themselves (data/README.md), matched with
// the network that they ran.
#include "import/formats.h"
#include "import/run.h"

#include "analyze/compare.h"
#include "analyze/summary.h"
#include "networks/network.h"
#include "store/load.h"
#include "store/save.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace strata {
namespace {

const std::filesystem::path data = STRATA_IMPORT_DATA;

RecordedProfile recording_of(const std::filesystem::path& file) {
    ByteSource source(file);
    return format_for(file, "").read(source);
}

NetworkSteps network_of(Mode mode) {
    NetworkRequest request;
    request.network = (data / "net.graph").string();
    NetworkSteps network{.graph = load_network(request)};
    Execution execution;
    execution.numerics.mode = mode;
    for (const Task& task : schedule_of(network.graph, execution).tasks) {
        const Layer& layer = network.graph.layers[task.layer];
        StepResult& step = network.steps.emplace_back();
        step.layer = layer.name;
        step.pass = task.pass;
    }
    return network;
}

ImportedRun beside_network(const char* file) {
    const RecordedProfile recording = recording_of(data / file);
    const NetworkSteps network = network_of(recorded_mode(recording));
    return imported_run(recording,
                        {.file = file,
                         .network = "net",
                         .batch = 4,
                         .content = {{"recording", file}, {"network", "0123456789abcdef"}},
                         .created = "2026-11-23T05:00:00Z"},
                        &network);
}

// The steps of the network's layers: "conv1 forward by name".
std::set<std::string> attributed(const ImportedRun& imported) {
    std::set<std::string> all;
    for (std::size_t i = 0; i < imported.run.steps.size(); ++i) {
        const StepResult& step = imported.run.steps[i];
        if (imported.by[i] != "nothing" && step.kind == StepKind::compute) {
            all.insert(step.layer + " " + std::string(name_of(step.pass)) + " by " +
                       imported.by[i]);
        }
    }
    return all;
}

bool doubts_the_network(const ImportedRun& imported) {
    return std::ranges::any_of(imported.run.flags, [](const Flag& flag) {
        return flag.sentence.find("may be of another network") != std::string::npos;
    });
}

TEST(Recordings, ARecordingWithoutMostOfTheNetworksProductsIsDoubted) {
    EXPECT_FALSE(doubts_the_network(beside_network("onednn_2.log")));
    NetworkRequest request;
    request.network = "resnet-50";
    const NetworkSteps other{.graph = load_network(request)};
    EXPECT_TRUE(doubts_the_network(imported_run(recording_of(data / "onednn_2.log"), {}, &other)));
}

std::size_t samples_of(const StepResult& step) {
    const auto* samples = std::get_if<Samples>(&step.time);
    return samples == nullptr ? 0 : samples->values.size();
}

using Attributed = std::set<std::string>;

TEST(Recordings, PyTorchsOperatorsAreAttributedByShapeAndTheirGradientsByNumber) {
    const ImportedRun imported = beside_network("torch_training.json.gz");
    EXPECT_EQ(
        attributed(imported),
        (Attributed{"conv1 forward by operator and shape", "conv1 backward_weights by gradient of",
                    "relu1 forward by operator and shape", "relu1 backward_data by gradient of",
                    "pool1 forward by operator and shape", "pool1 backward_data by gradient of",
                    "flat forward by operator and shape", "flat backward_data by gradient of",
                    "fc forward by operator and shape", "fc backward_data by gradient of",
                    "fc backward_weights by gradient of"}));
    EXPECT_EQ(imported.run.origin, Origin::imported);
    EXPECT_EQ(imported.run.settings.execution.numerics.mode, Mode::training);
    EXPECT_EQ(imported.run.whole.instrumented.values.size(), 3u);
    EXPECT_TRUE(imported.run.whole.end_to_end.values.empty());
}

TEST(Recordings, ARangeNamedByTheModulesPathIsTheLayer) {
    const ImportedRun imported = beside_network("torch_ranges.json.gz");
    const Attributed all = attributed(imported);
    for (const char* layer : {"conv1", "relu1", "pool1", "fc"}) {
        EXPECT_TRUE(all.contains(std::string(layer) + " forward by name")) << layer;
    }
}

TEST(Recordings, UnattributedWorkHasItsOwnRowsAndTheTimesAddUp) {
    const RecordedProfile recording = recording_of(data / "torch_training.json.gz");
    const ImportedRun imported = beside_network("torch_training.json.gz");
    Seconds recorded, shown;
    for (const RecordedOperator& one : recording.operators) {
        recorded += seconds_of(one.time);
    }
    std::size_t unattributed = 0;
    for (const StepResult& step : imported.run.steps) {
        if (const auto* samples = std::get_if<Samples>(&step.time)) {
            for (const Seconds time : samples->values) {
                shown += time;
            }
        }
        unattributed += step.layer.starts_with("unattributed: ") ? 1U : 0U;
    }
    EXPECT_GT(unattributed, 0u);
    EXPECT_NEAR(shown.value, recorded.value, 1e-9);
}

TEST(Recordings, OnnxRuntimesNodesAreLayersByTheirModulePath) {
    const ImportedRun imported = beside_network("onnxruntime_off.json");
    EXPECT_EQ(attributed(imported),
              (Attributed{"conv1 forward by module path", "relu1 forward by module path",
                          "pool1 forward by module path", "flat forward by operator and shape",
                          "fc forward by module path"}));
    for (const StepResult& step : imported.run.steps) {
        EXPECT_EQ(samples_of(step), 4u) << step.layer;  // one for each model_run
    }
}

TEST(Recordings, ANodeFusedAndPaddedByOnnxRuntimeIsTheOnlyConvolutionLeft) {
    const ImportedRun imported = beside_network("onnxruntime_all.json");
    EXPECT_TRUE(attributed(imported).contains("conv1 forward by operator and order"));
    const auto reorder =
        std::ranges::find(imported.run.steps, StepKind::reorder, &StepResult::kind);
    ASSERT_NE(reorder, imported.run.steps.end());
    EXPECT_EQ(reorder->layer, "pool1");  // that runs after it
    EXPECT_TRUE(std::ranges::any_of(imported.run.flags, [](const Flag& flag) {
        return flag.sentence.find("(relu1)") != std::string::npos;
    }));
}

TEST(Recordings, TensorFlowsNodesAreLayersByTheirPathWithSeparateGradients) {
    const ImportedRun imported = beside_network("tensorflow_training.trace.json.gz");
    EXPECT_EQ(
        attributed(imported),
        (Attributed{"conv1 forward by module path", "conv1 backward_data by module path",
                    "conv1 backward_weights by module path", "pool1 forward by module path",
                    "pool1 backward_data by module path", "fc forward by module path",
                    "fc backward_data by module path", "fc backward_weights by module path"}));
    EXPECT_EQ(imported.run.whole.instrumented.values.size(), 3u);
}

TEST(Recordings, OnednnsPrimitivesAreLayersByTheirProblems) {
    for (const char* file : {"onednn_2.log", "onednn_2_timestamps.log"}) {
        const ImportedRun imported = beside_network(file);
        EXPECT_EQ(
            attributed(imported),
            (Attributed{"conv1 forward by operator and shape",
                        "conv1 backward_weights by gradient of",
                        "relu1 forward by operator and shape", "relu1 backward_data by gradient of",
                        "pool1 forward by operator and shape", "pool1 backward_data by gradient of",
                        "fc forward by operator and shape", "fc backward_data by gradient of",
                        "fc backward_weights by gradient of"}))
            << file;
        EXPECT_EQ(imported.run.provenance.at("backend.version"), "2.6.3");
        EXPECT_EQ(imported.run.settings.threads(), 2);
    }
}

TEST(Recordings, ALogOfOnednn3IsReadByItsTemplate) {
    const RecordedProfile recording = recording_of(data / "onednn_3.log");
    EXPECT_EQ(recording.version, "3.10.2");
    ASSERT_EQ(recording.operators.size(), 9u);  // a convolution between two reorders, three times
    EXPECT_EQ(recording.texts[recording.operators[1].name], "convolution");
    EXPECT_EQ(recording.texts[recording.operators[1].implementation], "jit:avx512_core");
    EXPECT_EQ(recording.texts[recording.operators[1].layout],
              "src:abcd wei:Acdb16a bia:a dst:aBcd16b");
}

TEST(Recordings, DurationsWithoutStartsGiveNoIterationLength) {
    EXPECT_TRUE(beside_network("onednn_2.log").run.whole.instrumented.values.empty());
    EXPECT_FALSE(beside_network("onednn_2_timestamps.log").run.whole.instrumented.values.empty());
}

TEST(Recordings, WithoutANetworkEveryOperatorIsALayer) {
    const RecordedProfile recording = recording_of(data / "torch_training.json.gz");
    const ImportedRun imported = imported_run(recording, {.network = "trace"}, nullptr);
    EXPECT_TRUE(std::ranges::any_of(imported.run.steps, [](const StepResult& step) {
        return step.layer == "aten::conv2d" && step.pass == Pass::forward;
    }));
    EXPECT_EQ(recorded_batch(recording), 4);
}

TEST(Recordings, AnImportedRunIsStoredOnceAndLoadsUnchanged) {
    const TemporaryDirectory directory;
    const Database database = Database::open(directory.path() / "runs.sqlite");
    ImportedRun first = beside_network("torch_training.json.gz");
    ImportedRun second = beside_network("torch_training.json.gz");
    EXPECT_EQ(save_imported(database, first.run), Stored::anew);
    EXPECT_EQ(save_imported(database, second.run), Stored::before);
    EXPECT_EQ(second.run.id, first.run.id);
    const strata::Run loaded = load_run(database, first.run.id);
    EXPECT_EQ(loaded.origin, Origin::imported);
    ASSERT_EQ(loaded.steps.size(), first.run.steps.size());
    EXPECT_EQ(loaded.steps[0].implementation, first.run.steps[0].implementation);
    EXPECT_FALSE(summarise(loaded).budget.end_to_end);
}

TEST(Recordings, AnImportedRunDiffersFromAnotherOnlyInWhatTheToolRecords) {
    const strata::Run imported = beside_network("onednn_2.log").run;
    strata::Run measured = imported;
    measured.origin = Origin::measured;
    measured.settings.backend = "onednn";
    measured.settings.content.erase("recording");
    measured.settings.execution.engine.algorithm = ConvolutionAlgorithm::direct;
    EXPECT_TRUE(compare(imported, measured).differences.empty());
    measured.settings.execution.scheduling.threads = 3;
    EXPECT_EQ(compare(imported, measured).differences,
              (std::vector<SettingDifference>{{"threads", "2", "3"}}));
    EXPECT_EQ(compare(beside_network("torch_training.json.gz").run, measured).differences,
              (std::vector<SettingDifference>{{"backend", "pytorch", "onednn"},
                                              {"threads", "unknown", "3"}}));
}

// The file of a killed profiler.
TEST(Recordings, ATruncatedTraceIsImportedUpToItsEndAndDoubted) {
    const TemporaryDirectory directory;
    std::ifstream whole(data / "onnxruntime_off.json");
    std::string text((std::istreambuf_iterator<char>(whole)), {});
    text.resize(text.size() / 2);
    std::ofstream(directory.path() / "cut.json") << text;
    const RecordedProfile recording = recording_of(directory.path() / "cut.json");
    EXPECT_GT(recording.operators.size(), 0u);
    ASSERT_EQ(recording.doubts.size(), 1u);
    EXPECT_NE(recording.doubts[0].find("ends in the middle of an event"), std::string::npos);
}

TEST(Recordings, ATruncatedPackedTraceIsImportedUpToItsEnd) {
    const TemporaryDirectory directory;
    std::ifstream whole(data / "torch_training.json.gz", std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(whole)), {});
    bytes.resize(bytes.size() / 2);
    std::ofstream(directory.path() / "cut.json.gz", std::ios::binary) << bytes;
    const RecordedProfile recording = recording_of(directory.path() / "cut.json.gz");
    EXPECT_GT(recording.operators.size(), 0u);
    EXPECT_EQ(recording.doubts.size(), 1u);
}

}  // namespace
}  // namespace strata
