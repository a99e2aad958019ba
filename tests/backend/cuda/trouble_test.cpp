// SPDX-License-Identifier: MIT
#include "backend/cuda/device/trouble.h"

#include "backend/cuda/engine.h"
#include "backend/cuda/executable.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/host_machine.h"
#include "tests/backend/networks.h"
#include "tests/backend/verified.h"
#include "verify/verify.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace strata::testing {

namespace {

using cuda::Call;
using cuda::DeviceError;
using cuda::DeviceTrouble;

// The call of each kind, by number, at which the machine fails.
struct Script {
    std::optional<int> allocation = {};
    std::optional<int> settlement = {};
    std::optional<int> launch = {};
    std::optional<int> trial = {};
    DeviceTrouble trial_trouble = DeviceTrouble::kernel_failed;
    bool records = true;
};

class ScriptedMachine : public HostMachine {
public:
    explicit ScriptedMachine(const Script& script)
        : HostMachine(described_h200()), script_(script) {}

    cuda::Memory allocate(std::size_t bytes) override {
        fail_at(script_.allocation, DeviceTrouble::out_of_memory, "no memory is left");
        return HostMachine::allocate(bytes);
    }
    void finalize(const Call& call) override {
        if (std::holds_alternative<std::shared_ptr<cuda::LibraryCall>>(call.function)) {
            fail_at(script_.settlement, DeviceTrouble::library_refused, "the library refuses");
        }
    }
    void probe(const Call&, std::span<void* const>) override {
        fail_at(script_.trial, script_.trial_trouble, "an illegal address");
    }
    void enqueue(const Call& call, std::span<void* const> addresses) override {
        fail_at(script_.launch, DeviceTrouble::device_lost, "the device is gone");
        HostMachine::enqueue(call, addresses);
        ++launched;
    }
    std::unique_ptr<cuda::Replay> record(const std::function<void()>& enqueue_all) override {
        ++recordings;
        return script_.records ? HostMachine::record(enqueue_all) : nullptr;
    }

    int launched = 0;
    int recordings = 0;

private:
    static void fail_at(std::optional<int>& left, DeviceTrouble trouble, const char* sentence) {
        if (left && (*left)-- == 0) {
            throw DeviceError(trouble, sentence);
        }
    }

    Script script_;
};

std::unique_ptr<Executable> prepared(const Graph& graph, const Script& script) {
    return std::make_unique<cuda::CudaExecutable>(
        graph, cuda::prepare_program(graph, kept_execution(), described_h200()),
        std::make_shared<ScriptedMachine>(script));
}

TEST(Trouble, ExhaustedMemoryEndsThePreparation) {
    try {
        prepared(branching_network(), {.allocation = 7});
        FAIL() << "the eighth allocation fails";
    } catch (const DeviceError& error) {
        EXPECT_EQ(error.trouble(), DeviceTrouble::out_of_memory);
        EXPECT_EQ(error.code(), ExitCode::machine_cannot);
    }
}

TEST(Trouble, ALibrarysRefusalOnTheDeviceAffectsOneStep) {
    const Graph graph = branching_network();
    const auto executable = prepared(graph, {.settlement = 1});
    int refused = 0;
    for (const Step& step : executable->steps()) {
        refused += step.runs() ? 0 : 1;
        EXPECT_TRUE(step.runs() || step.refusal() == "the library refuses");
    }
    EXPECT_EQ(refused, 1);
    executable->run();  // the rest of the network still runs
}

TEST(Trouble, AFailingKernelIsAttributedToItsStep) {
    const Graph graph = branching_network();
    try {
        prepared(graph, {.trial = 4});
        FAIL() << "the fifth call fails";
    } catch (const StepFailure& failure) {
        EXPECT_EQ(failure.code(), ExitCode::failed);
        const std::string sentence = failure.what();
        EXPECT_TRUE(sentence.starts_with(graph.layers.at(failure.task().layer).name)) << sentence;
        EXPECT_NE(sentence.find("an illegal address"), std::string::npos) << sentence;
    }
}

TEST(Trouble, NoStepIsToBlameForALostDeviceOrAnUnknownError) {
    for (const DeviceTrouble trouble : {DeviceTrouble::device_lost, DeviceTrouble::not_ready,
                                        DeviceTrouble::recording_refused, DeviceTrouble::unknown}) {
        try {
            prepared(branching_network(), {.trial = 4, .trial_trouble = trouble});
            FAIL() << "the fifth call fails";
        } catch (const DeviceError& error) {
            EXPECT_EQ(error.trouble(), trouble);
            EXPECT_EQ(error.code(), ExitCode::machine_cannot);
        }
    }
}

TEST(Trouble, AHangingKernelIsAttributedToItsStep) {
    EXPECT_THROW(
        prepared(branching_network(), {.trial = 4, .trial_trouble = DeviceTrouble::timed_out}),
        StepFailure);
}

TEST(Trouble, ALaunchThatTheDeviceRefusesAffectsOneStep) {
    const auto executable =
        prepared(branching_network(), {.trial = 4, .trial_trouble = DeviceTrouble::launch_refused});
    EXPECT_EQ(
        std::ranges::count_if(executable->steps(), [](const Step& step) { return !step.runs(); }),
        1);
    executable->run();
}

// The process that continues after one that lost its device.
TEST(Trouble, AnOmittedStepIsRefusedAndTheRestOfTheNetworkRuns) {
    const Graph graph = branching_network();
    Execution execution = kept_execution();
    const Layer& layer = graph.layers.at(1);
    execution.scheduling.omissions = {{layer.name, Pass::forward, "failed before"}};
    cuda::CudaExecutable executable(graph,
                                    cuda::prepare_program(graph, execution, described_h200()),
                                    std::make_shared<ScriptedMachine>(Script{}));
    executable.run();
    for (const Step& step : executable.steps()) {
        const bool is_left_out = step.layer == 1 && step.pass != Pass::update;
        EXPECT_EQ(step.refusal().find("failed before") != std::string::npos, is_left_out)
            << graph.layers[step.layer].name << " " << name_of(step.pass) << step.refusal();
    }
}

TEST(Trouble, ALostDeviceEndsTheIteration) {
    const auto executable = prepared(branching_network(), {.launch = 5});
    EXPECT_THROW(executable->run(), DeviceError);
}

TEST(Trouble, AnIterationThatCannotBeRecordedIsLaunchedStepByStepAndSaysSo) {
    const Graph graph = branching_network();
    for (const bool records : {true, false}) {
        const auto machine = std::make_shared<ScriptedMachine>(Script{.records = records});
        cuda::CudaExecutable executable(
            graph, cuda::prepare_program(graph, kept_execution(), described_h200()), machine);
        executable.run();
        EXPECT_FALSE(executable.fails_to_record()) << "nothing was recorded yet";
        machine->launched = 0;
        executable.run();
        const int each = machine->launched;
        executable.run();
        EXPECT_EQ(executable.fails_to_record(), !records);
        EXPECT_GT(each, 0);
        EXPECT_EQ(machine->launched, 2 * each);
        EXPECT_EQ(machine->recordings, 1) << "what failed is not tried again and again";
    }
}

// What a network loads and compiles, it needs once: the first iteration of the other kind is
// already like the later ones, and may be a sample.
TEST(Trouble, OnlyOneIterationOfBothKindsIsUnrecorded) {
    const Graph graph = branching_network();
    const auto machine = std::make_shared<ScriptedMachine>(Script{});
    cuda::CudaExecutable executable(
        graph, cuda::prepare_program(graph, kept_execution(), described_h200()), machine);
    std::vector<Seconds> times(executable.steps().size());
    executable.run_timed(times);
    EXPECT_EQ(machine->recordings, 0);
    executable.run();
    EXPECT_EQ(machine->recordings, 1);
    executable.run_timed(times);
    EXPECT_EQ(machine->recordings, 2);
}

TEST(Trouble, EveryCodeIsASentenceWithItsFix) {
    EXPECT_NO_THROW(cuda::require_cuda(cudaSuccess, "nothing"));
    struct Case {
        int code;
        DeviceTrouble trouble;
        std::string fix;
    };
    const std::vector<Case> cases = {
        {cudaErrorNoDevice, DeviceTrouble::no_driver, "NVIDIA GPU"},
        {cudaErrorInsufficientDriver, DeviceTrouble::driver_too_old, "driver"},
        {cudaErrorNoKernelImageForDevice, DeviceTrouble::unsupported_device,
         "CMAKE_CUDA_ARCHITECTURES"},
        {cudaErrorUnsupportedPtxVersion, DeviceTrouble::driver_too_old, "newer driver"},
        {cudaErrorStubLibrary, DeviceTrouble::no_driver, "LD_LIBRARY_PATH"},
        {cudaErrorSystemNotReady, DeviceTrouble::not_ready, "nvidia-fabricmanager"},
        {cudaErrorSystemDriverMismatch, DeviceTrouble::driver_too_old, "reboot"},
        {cudaErrorCompatNotSupportedOnDevice, DeviceTrouble::not_ready, "cuda-compat"},
        {cudaErrorMpsConnectionFailed, DeviceTrouble::not_ready, "MPS"},
        {cudaErrorMemoryAllocation, DeviceTrouble::out_of_memory, "smaller batch"},
        {cudaErrorIllegalAddress, DeviceTrouble::kernel_failed, "compute-sanitizer"},
        {cudaErrorMisalignedAddress, DeviceTrouble::kernel_failed, "aligned"},
        {cudaErrorLaunchFailure, DeviceTrouble::kernel_failed, "Xid"},
        {cudaErrorStreamCaptureUnsupported, DeviceTrouble::recording_refused, "recorded"},
        {cudaErrorStreamCaptureInvalidated, DeviceTrouble::recording_refused, "recorded"},
        {cudaErrorDevicesUnavailable, DeviceTrouble::device_lost, "wait"},
        {cudaErrorUnknown, DeviceTrouble::unknown, "report"},
    };
    for (const Case& one : cases) {
        try {
            cuda::require_cuda(one.code, "running conv1");
            ADD_FAILURE() << one.code;
        } catch (const DeviceError& error) {
            EXPECT_EQ(error.trouble(), one.trouble);
            EXPECT_NE(std::string(error.what()).find("running conv1"), std::string::npos);
            EXPECT_NE(std::string(error.what()).find(one.fix), std::string::npos) << error.what();
        }
    }
}

}  // namespace

}  // namespace strata::testing
