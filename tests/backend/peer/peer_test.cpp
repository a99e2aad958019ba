// SPDX-License-Identifier: MIT
#include "backend/peer/peer.h"

#include "backend/inputs.h"
#include "backend/peer/process.h"
#include "run/campaign.h"
#include "tests/backend/networks.h"
#include "tests/backend/verified.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>

namespace strata {
namespace {

// A peer played by tests/backend/peer/scripted_peer.py, in its own temporary folder.
class ScriptedPeer : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::system("python3 -c pass 2>/dev/null") != 0) {
            GTEST_SKIP() << "there is no python3";
        }
        temporary_ =
            std::filesystem::temp_directory_path() / ("peer-test-" + std::to_string(::getpid()));
        std::filesystem::create_directory(temporary_);
        ::setenv("TMPDIR", temporary_.c_str(), 1);
        execution_.scheduling.device_timeout = Seconds{1};
    }

    // Nothing is left, whatever the peer did: no process, no file.
    void TearDown() override {
        ::unsetenv("TMPDIR");
        ::unsetenv("STRATA_SCRIPT");
        if (!temporary_.empty()) {
            EXPECT_TRUE(std::filesystem::is_empty(temporary_));
            EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
            std::filesystem::remove_all(temporary_);
        }
    }

    std::unique_ptr<Backend> backend(const char* script, const PeerLimits& limits = {},
                                     const PeerOptions& options = {}) {
        ::setenv("STRATA_SCRIPT", script, 1);
        return make_peer_backend({.name = "scripted", .framework = "Scripted"}, "python3",
                                 STRATA_SCRIPTED_PEER, limits, options);
    }

    // The error if a peer misbehaves when `use` needs it; empty if nothing is noticed.
    template <class Failure, class Use>
    std::string failure_of(const char* script, Use&& use) {
        const auto peer = backend(script);
        try {
            const auto executable = peer->prepare(graph_, execution_);
            use(*executable);
        } catch (const Failure& failure) {
            EXPECT_TRUE(loses_device(failure));
            return failure.what();
        }
        return {};
    }

    std::string failure_of_run(const char* script) {
        return failure_of<DeviceFailure>(script, [](Executable& one) { one.run(); });
    }

    std::string failure_of_prepare(const char* script) {
        return failure_of<DeviceFailure>(script, [](Executable&) {});
    }

    std::string refusal_to_start(const char* script, const PeerLimits& limits = {},
                                 const PeerOptions& options = {}) {
        try {
            backend(script, limits, options);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::machine_cannot);
            return error.what();
        }
        return {};
    }

    Graph graph_ = testing::residual_network();
    Execution execution_ = testing::kept_execution();
    std::filesystem::path temporary_;
};

TEST_F(ScriptedPeer, ReportsWhatItIsAndWhatItCannotRun) {
    const auto peer = backend("");
    EXPECT_EQ(peer->info().name, "scripted");
    EXPECT_EQ(peer->info().version, "1.2");
    EXPECT_EQ(peer->info().details, "no framework");
    EXPECT_EQ(peer->info().apart, "Nothing.");
    EXPECT_EQ(peer->refusal_of(execution_), "");
    Execution adam = execution_;
    adam.numerics.optimizer = Adam{};
    EXPECT_NE(peer->refusal_of(adam).find("no optimizer adam"), std::string::npos);
    Execution half = execution_;
    half.numerics.dtype = DataType::bf16;
    EXPECT_NE(peer->refusal_of(half).find("computes in f32"), std::string::npos);
    Execution last = execution_;
    last.engine.image_layout = ImageLayout::channels_last;
    EXPECT_NE(peer->refusal_of(last).find("nhwc"), std::string::npos);
    last.engine.image_layout = ImageLayout::channels_first;
    EXPECT_EQ(peer->refusal_of(last), "");
}

TEST_F(ScriptedPeer, AcceptsItsOptionsAndRefusesOthers) {
    const auto peer = backend("");
    const auto refusal = [&](const PeerOptions& options) {
        execution_.engine.peer_options = options;
        return peer->refusal_of(execution_);
    };
    EXPECT_EQ(refusal({{"inter-op", "2"}, {"jit", "on"}}), "");
    EXPECT_EQ(refusal({{"magic", "on"}}),
              "it has no option magic: --peer-option takes inter-op, jit");
    EXPECT_EQ(refusal({{"jit", "2"}}), "its option jit cannot be 2: choose [\"off\",\"on\"]");
    EXPECT_EQ(refusal({{"inter-op", "0"}}),
              "its option inter-op cannot be 0: choose a whole number of at least 1");
}

TEST_F(ScriptedPeer, OnAGpuSaysWhichAndComputesWhatItsAdapterLists) {
    const auto peer = backend("device", {}, options_for_gpu());
    EXPECT_EQ(peer->info().device_model, "Scripted GPU");
    EXPECT_EQ(peer->info().device_memory, Bytes{4e9});
    EXPECT_EQ(peer->info().free_device_memory, Bytes{3e9});
    execution_.engine.peer_options = options_for_gpu();
    execution_.numerics.dtype = DataType::bf16;
    execution_.numerics.single_precision = SinglePrecision::tf32;
    execution_.engine.algorithm = ConvolutionAlgorithm::fastest;
    EXPECT_EQ(peer->refusal_of(execution_), "");
    EXPECT_EQ(peer->prepare(graph_, execution_)->device_memory(), Bytes{5000});
    execution_.engine.algorithm = ConvolutionAlgorithm::winograd;
    EXPECT_EQ(peer->refusal_of(execution_), "it chooses its algorithms itself: omit --algorithm");
    execution_.numerics.dtype = DataType::f16;
    EXPECT_EQ(peer->refusal_of(execution_),
              "its adapter computes in f32, bf16 here: choose another --dtype");
}

TEST_F(ScriptedPeer, OnProcessorsSaysWhatOnlyAGpuComputes) {
    const auto peer = backend("device");
    EXPECT_EQ(peer->info().device_memory, std::nullopt);
    const std::string way = ", or compute on a GPU with --peer-option device=cuda";
    Execution half = execution_;
    half.numerics.dtype = DataType::bf16;
    EXPECT_EQ(peer->refusal_of(half),
              "its adapter computes in f32 here: choose another --dtype" + way);
    Execution narrow = execution_;
    narrow.numerics.single_precision = SinglePrecision::tf32;
    EXPECT_EQ(peer->refusal_of(narrow), "it has no TF32: omit --tf32" + way);
    Execution tried = execution_;
    tried.engine.algorithm = ConvolutionAlgorithm::fastest;
    EXPECT_EQ(peer->refusal_of(tried), "it chooses its algorithms itself: omit --algorithm" + way);
}

TEST_F(ScriptedPeer, OnAGpuThatItDoesNotDescribeIsRefused) {
    for (const char* script :
         {"", "device:nameless", "device:negative", "device:text", "device:list"}) {
        EXPECT_EQ(refusal_to_start(script, {}, options_for_gpu()),
                  "the adapter of Scripted does not say which GPU it computes on: omit "
                  "--peer-option device=cuda")
            << script;
    }
}

TEST_F(ScriptedPeer, ThatCannotComputeHereSaysWhy) {
    EXPECT_EQ(refusal_to_start("hello:error"), "Scripted cannot compute here: out of ?[2J luck");
    EXPECT_EQ(refusal_to_start("hello:error", {}, options_for_gpu()),
              "Scripted cannot compute on a GPU here: out of ?[2J luck");
}

TEST_F(ScriptedPeer, IsStartedWithTheOptionsOfTheRun) {
    const auto peer = backend("");
    execution_.engine.peer_options = {{"jit", "on"}};
    EXPECT_EQ(peer->prepare(graph_, execution_)->steps()[0].algorithm, "{\"jit\":\"on\"}");
    execution_.engine.peer_options = {};
    EXPECT_EQ(peer->prepare(graph_, execution_)->steps()[0].algorithm, "{}");
}

TEST_F(ScriptedPeer, HasAStepForEachTaskOfTheSchedule) {
    const auto executable = backend("")->prepare(graph_, execution_);
    const auto tasks = schedule_of(graph_, execution_).tasks;
    ASSERT_EQ(executable->steps().size(), tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        EXPECT_EQ(executable->steps()[i].layer, tasks[i].layer);
        EXPECT_EQ(executable->steps()[i].pass, tasks[i].pass);
        EXPECT_EQ(executable->steps()[i].implementation, name_of(tasks[i].pass));
    }
}

TEST_F(ScriptedPeer, GivesTimesOfStepsAndOfTheWhole) {
    const auto executable = backend("")->prepare(graph_, execution_);
    EXPECT_EQ(executable->run(), Seconds{0.5});
    std::vector<Seconds> times(executable->steps().size());
    const Seconds total = executable->run_timed(times);
    EXPECT_EQ(total, 0.25 * static_cast<double>(times.size()) * Seconds{1});
    EXPECT_EQ(times.back(), Seconds{0.25});
    EXPECT_EQ(executable->time_empty_step(), Seconds{0.125});
}

TEST_F(ScriptedPeer, WithoutSeparateStepsHasNoEmptyStep) {
    EXPECT_EQ(backend("run_empty_step:empty")->prepare(graph_, execution_)->time_empty_step(),
              std::nullopt);
}

TEST_F(ScriptedPeer, GetsBitIdenticalValuesAndReturnsWrittenOnes) {
    const auto executable = backend("")->prepare(graph_, execution_);
    const TensorId input = graph_.inputs.front();
    const TensorId weight = graph_.layers.front().inputs.at(1);
    for (const TensorId tensor : {input, weight}) {
        EXPECT_EQ(executable->read(tensor, Content::value),
                  initial_values(graph_, tensor, execution_.numerics.seed));
    }
    HostValues values = executable->read(input, Content::value);
    values.front() = 42;
    executable->write(input, Content::value, values);
    EXPECT_EQ(executable->read(input, Content::value), values);
}

TEST_F(ScriptedPeer, SaysWhichStepsAreIncludedInOthersOrRefused) {
    const auto executable = backend("included")->prepare(graph_, execution_);
    const auto steps = executable->steps();
    EXPECT_EQ(steps[1].within(), (Task{steps[0].layer, steps[0].pass}));
    EXPECT_EQ(steps[2].refusal(), "no such layer");
}

TEST_F(ScriptedPeer, WithAnotherVersionIsRefused) {
    EXPECT_NE(refusal_to_start("hello:old").find("version 0 of the protocol"), std::string::npos);
}

TEST_F(ScriptedPeer, WithoutItsFrameworkIsRefusedWithTheFix) {
    EXPECT_EQ(refusal_to_start("hello:absent"),
              "Scripted is not there (no such module): run scripts/peers scripted, or set "
              "STRATA_PEERS_PYTHON to an interpreter that has it");
}

TEST_F(ScriptedPeer, ThatDoesNotStartIsRefused) {
    EXPECT_NE(refusal_to_start("hello:exit").find("exit code 7; it last printed: the last words"),
              std::string::npos);
    EXPECT_NE(refusal_to_start("hello:hang", {.start = Seconds{1}}).find("did not answer in time"),
              std::string::npos);
    EXPECT_NE(refusal_to_start("hello:garbage").find("other than a JSON object"),
              std::string::npos);
    EXPECT_NE(refusal_to_start("hello:nested").find("version [[["), std::string::npos);
}

TEST_F(ScriptedPeer, ThatDoesNotExistIsRefused) {
    try {
        make_peer_backend({.name = "scripted", .framework = "Scripted"}, "/nowhere/python3",
                          STRATA_SCRIPTED_PEER, {});
        FAIL() << "it was started";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::machine_cannot);
    }
}

TEST_F(ScriptedPeer, ThatCrashesLosesItsDeviceWithTheSignalAndItsLastOutput) {
    for (const char* script : {"prepare:crash", "run:crash"}) {
        const std::string said = failure_of_run(script);
        EXPECT_NE(said.find("ended by signal 11"), std::string::npos) << said;
        EXPECT_NE(said.find("it last printed: the last words"), std::string::npos) << said;
    }
}

TEST_F(ScriptedPeer, ThatHangsIsEndedAfterTheLimit) {
    EXPECT_NE(failure_of_run("run:hang").find("did not answer in time"), std::string::npos);
    EXPECT_NE(failure_of_run("run:flood").find("did not answer in time"), std::string::npos);
    EXPECT_NE(failure_of_run("run:orphan").find("did not answer in time"), std::string::npos);
}

TEST_F(ScriptedPeer, ThatExhaustsMemoryIsEndedByTheLimit) {
    execution_.scheduling.device_timeout = Seconds{60};
    const auto peer = backend("run:eat", {.memory = Bytes{512e6}});
    const auto executable = peer->prepare(graph_, execution_);
    try {
        executable->run();
        FAIL() << "it ate all it wanted";
    } catch (const DeviceFailure& failure) {
        EXPECT_NE(std::string(failure.what()).find("MemoryError"), std::string::npos);
    }
}

TEST_F(ScriptedPeer, ThatAnswersNonsenseLosesItsDevice) {
    for (const char* script : {"run:garbage", "run:bytes", "run:list", "run:deep"}) {
        EXPECT_NE(failure_of_run(script).find("other than a JSON object"), std::string::npos)
            << script;
    }
    for (const char* script : {"run:empty", "run:negative", "run:text"}) {
        EXPECT_NE(failure_of_run(script).find("no time that a clock"), std::string::npos) << script;
    }
    for (const char* script : {"run:nan", "run:huge"}) {  // neither is JSON
        EXPECT_NE(failure_of_run(script), "") << script;
    }
    EXPECT_NE(failure_of_prepare("prepare:few_steps").find("prepared 0 steps"), std::string::npos);
    EXPECT_NE(failure_of_prepare("included_in_nothing").find("does not exist"), std::string::npos);
}

TEST_F(ScriptedPeer, ThatTimesAnotherNumberOfStepsLosesItsDevice) {
    const std::string said = failure_of<DeviceFailure>("run_timed:few", [](Executable& one) {
        std::vector<Seconds> times(one.steps().size());
        one.run_timed(times);
    });
    EXPECT_NE(said.find("timed 1 steps, but there are"), std::string::npos) << said;
}

TEST_F(ScriptedPeer, ThatReadsAnotherNumberOfElementsLosesItsDevice) {
    const std::string said = failure_of<DeviceFailure>(
        "short", [&](Executable& one) { one.read(graph_.inputs.front(), Content::value); });
    EXPECT_NE(said.find("another number of elements"), std::string::npos) << said;
}

TEST_F(ScriptedPeer, ThatFailsInAStepNamesTheTask) {
    const Task first = schedule_of(graph_, execution_).tasks[0];
    const auto peer = backend("run_step:exit");
    const auto executable = peer->prepare(graph_, execution_);
    try {
        executable->run_step(0);
        FAIL() << "it did not fail";
    } catch (const StepFailure& failure) {
        EXPECT_EQ(failure.task(), first);
    }
    EXPECT_NE(failure_of<StepFailure>("run:step", [](Executable& one) { one.run(); }), "");
}

TEST_F(ScriptedPeer, CannotControlTheTerminalByItsOutput) {
    EXPECT_NE(failure_of_run("run:error").find("failed: out of ?[2J luck"), std::string::npos);
}

TEST_F(ScriptedPeer, ThatCannotTakeTheNetworkSaysWhy) {
    const auto peer = backend("prepare:error");
    try {
        peer->prepare(graph_, execution_);
        FAIL() << "it took the network";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::machine_cannot);
        EXPECT_FALSE(loses_device(error));
    }
}

TEST_F(ScriptedPeer, ThatCrashesWhileItIsMeasuredLeavesAPartialRunThatSaysSo) {
    const auto peer = backend("run_timed:crash");
    EXPECT_EQ(peer->loss_scope(), LossScope::executable);
    Job job;
    job.backend = "scripted";
    job.execution = execution_;
    job.policy.max_time = Seconds{0.2};
    job.plan = plan_of(graph_, execution_.numerics);
    const strata::Run run = execute(job, *peer, {});
    EXPECT_EQ(run.state, RunState::partial);
    ASSERT_EQ(run.flags.size(), 1U);
    EXPECT_EQ(run.flags[0].kind, DoubtKind::device_lost);
    EXPECT_NE(run.flags[0].sentence.find("ended by signal 11"), std::string::npos);
}

TEST_F(ScriptedPeer, OnAGpuLeavesRunsOfThatGpu) {
    const auto peer = backend("device", {}, options_for_gpu());
    Job job;
    job.backend = "scripted";
    job.execution = execution_;
    job.execution.engine.peer_options = options_for_gpu();
    job.policy.max_time = Seconds{0.2};
    job.plan = plan_of(graph_, execution_.numerics);
    const strata::Run run = execute(job, *peer, {});
    EXPECT_EQ(run.ran_on, DeviceKind::gpu);
    EXPECT_EQ(run.provenance.at("gpu.name"), "Scripted GPU");
    EXPECT_EQ(run.measured_memory, Bytes{5000});
    EXPECT_FALSE(run.device);  // the processors' ceilings are not its own
}

TEST_F(ScriptedPeer, ThatCrashesLeavesTheOtherNetworksOfASweepMeasured) {
    const TemporaryDirectory folder;
    Database database = Database::open(folder.path() / "runs.db");
    ExperimentRequest request;
    request.common.backend = "scripted";
    request.common.policy = {.warmup = 0, .max_time = Seconds{0.2}, .min_samples = 3};
    request.networks = {"fc:layers=1,nodes=8", "fc:layers=2,nodes=8", "fc:layers=3,nodes=8"};
    request.batches = {2};
    std::vector<RunState> states;
    const CampaignHooks hooks = {.backend =
                                     [&](const Job& job) {
                                         const bool is_second =
                                             job.request.network.find("=2") != std::string::npos;
                                         return backend(is_second ? "run:crash" : "");
                                     },
                                 .show = [&](const std::vector<strata::Run>& runs,
                                             const auto&) { states.push_back(runs.at(0).state); }};
    EXPECT_EQ(run_campaign(experiment_of(request), database, hooks), ExitCode::failed);
    EXPECT_EQ(states, (std::vector{RunState::complete, RunState::partial, RunState::complete}));
}

// A python3 in $PATH that says that it has these packages.
class PythonInPathTest : public ::testing::Test {
protected:
    void SetUp() override {
        ::setenv("PATH", folder_.path().c_str(), 1);
        ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
        ::unsetenv("STRATA_PEERS_PYTHON");
    }
    void TearDown() override {
        ::setenv("PATH", path_.c_str(), 1);
        ::unsetenv("XDG_DATA_HOME");
    }

    void make_python(const std::string& script) {
        const auto file = folder_.write("python3", "#!/bin/sh\n" + script);
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    }

    TemporaryDirectory folder_;
    const std::string path_ = std::getenv("PATH");
};

TEST_F(PythonInPathTest, IsAskedForTheFrameworksPackages) {
    EXPECT_FALSE(peers_python_in_path());
    make_python(
        "for word; do [ \"$word\" != torch ] || echo torch >&2; done\n"
        "echo openvino >&2; echo libtorch >&2; echo Warning: odd >&2\n");
    const auto found = peers_python_in_path();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->program, folder_.path() / "python3");
    EXPECT_EQ(found->peers, (std::vector<std::string>{"pytorch", "openvino"}));
}

TEST_F(PythonInPathTest, IsNotUsedBesideOneForFrameworks) {
    make_python("echo torch >&2\n");
    ::setenv("STRATA_PEERS_PYTHON", "/nowhere/python", 1);
    EXPECT_FALSE(peers_python_in_path());
    ::unsetenv("STRATA_PEERS_PYTHON");
    EXPECT_TRUE(peers_python_in_path());
}

TEST_F(PythonInPathTest, ThatCannotBeStartedIsNone) {
    make_python("");
    folder_.write("python3", "no program");
    EXPECT_FALSE(peers_python_in_path());
}

TEST(PrivateFolder, ThoseLeftByKilledProcessesAreRemovedAndOthersKept) {
    namespace fs = std::filesystem;
    const TemporaryDirectory folder;
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    for (const char* name : {"strata-peer-killed", "strata-peer-young", "of-others"}) {
        fs::create_directories(folder.path() / name / "below");
    }
    const PrivateFolder living;
    const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(1);
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        if (!entry.path().string().ends_with("young")) {
            fs::last_write_time(entry.path(), old);
        }
    }
    const PrivateFolder other;
    EXPECT_FALSE(fs::exists(folder.path() / "strata-peer-killed"));
    EXPECT_TRUE(fs::exists(folder.path() / "strata-peer-young"));
    EXPECT_TRUE(fs::exists(folder.path() / "of-others"));
    EXPECT_TRUE(fs::exists(living.path()));
    remove_private_folders();
    EXPECT_FALSE(fs::exists(living.path()));
    EXPECT_FALSE(fs::exists(other.path()));
    ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace strata
