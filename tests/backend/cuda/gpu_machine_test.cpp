// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"

#include "backend/cuda/device/trouble.h"
#include "backend/cuda/executable.h"
#include "graph/builder.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/scripted_runtime.h"

#include <gtest/gtest.h>

#include <optional>

// Replaces CUDA's runtime by a scripted one (scripted_runtime.h).
namespace strata::testing {

namespace {

using cuda::Call;

class GpuMachine : public ::testing::Test {
protected:
    void SetUp() override { restart_scripted_runtime(); }

    // One piece of work between two stamps.
    void enqueue_stamped() {
        machine_->stamp(0);
        machine_->enqueue(Call{work_, {}}, {});
        machine_->stamp(1);
    }

    std::shared_ptr<Work> work_ = std::make_shared<Work>(1);
    std::shared_ptr<cuda::Machine> machine_ = cuda::open_gpu();
};

TEST_F(GpuMachine, GivesTheTimeBetweenStampsOnItsStream) {
    enqueue_stamped();
    EXPECT_NEAR(machine_->between(0, 1).value, 1e-3, 1e-9);
}

TEST_F(GpuMachine, ARecordingRunsOnlyWhenItIsRepeated) {
    const auto replay = machine_->record([&] { enqueue_stamped(); });
    work_->take(2);
    replay->enqueue();
    EXPECT_NEAR(machine_->between(0, 1).value, 2e-3, 1e-9);
}

// A stamp within a recording keeps the time of the previous repetition until the next one reaches
// it.
TEST_F(GpuMachine, TheTimeOfARepetitionIsItsOwn) {
    const auto replay = machine_->record([&] { enqueue_stamped(); });
    for (const double milliseconds : {5.0, 3.0, 7.0}) {
        work_->take(milliseconds);
        replay->enqueue();
        EXPECT_NEAR(machine_->between(0, 1).value, milliseconds * 1e-3, 1e-9);
    }
}

// The trouble of the DeviceError that is thrown; empty if none is.
template <class Doing>
std::optional<cuda::DeviceTrouble> trouble_of(const Doing& doing) {
    try {
        doing();
    } catch (const cuda::DeviceError& error) {
        return error.trouble();
    }
    return {};
}

// A failed capture is cleaned up, and the stream accepts work again.
TEST_F(GpuMachine, WorkThatCannotBeRecordedCanStillBeLaunched) {
    ScriptedRuntime& script = scripted_runtime();
    for (const cudaError_t error : {cudaErrorStreamCaptureInvalidated, cudaErrorMemoryAllocation}) {
        (error == cudaErrorMemoryAllocation ? script.answer_to_instantiation
                                            : script.answer_to_capture) = error;
        EXPECT_EQ(machine_->record([&] { enqueue_stamped(); }), nullptr);
        EXPECT_EQ(script.live_graphs, 0);
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        script.answer_to_capture = cudaSuccess;
        script.answer_to_instantiation = cudaSuccess;
        enqueue_stamped();
        EXPECT_NEAR(machine_->between(0, 1).value, 1e-3, 1e-9);
    }
}

TEST_F(GpuMachine, ALibrarysRefusalDuringRecordingEndsOnlyTheRecording) {
    const auto refuse = [&] {
        enqueue_stamped();
        throw cuda::DeviceError(cuda::DeviceTrouble::library_refused, "not while recording");
    };
    EXPECT_EQ(machine_->record(refuse), nullptr);
    EXPECT_EQ(scripted_runtime().live_graphs, 0);
    enqueue_stamped();
    EXPECT_NEAR(machine_->between(0, 1).value, 1e-3, 1e-9);
}

TEST_F(GpuMachine, ADeviceLostDuringRecordingIsLost) {
    const auto lose = [] {
        scripted_runtime().answer_to_capture = cudaErrorStreamCaptureInvalidated;
        scripted_runtime().sticky = cudaErrorECCUncorrectable;
    };
    EXPECT_EQ(trouble_of([&] { machine_->record(lose); }), cuda::DeviceTrouble::device_lost);
    EXPECT_EQ(trouble_of([&] { machine_->record([] {}); }), cuda::DeviceTrouble::device_lost)
        << "nor does it begin to record";
    EXPECT_EQ(scripted_runtime().live_graphs, 0);
    scripted_runtime().sticky = cudaSuccess;
}

// Recorded or not.
TEST_F(GpuMachine, AnEmptyStepTakesTheTimeOfItsStamps) {
    GraphBuilder builder("one");
    const TensorId x = builder.input("x", {{1, 2, 4, 4}});
    const Graph graph = builder.finish({builder.add("a", Activation{}, {x})});
    const Execution inference = {.numerics = {.mode = Mode::inference}};
    for (const cudaError_t recording : {cudaSuccess, cudaErrorStreamCaptureInvalidated}) {
        scripted_runtime().answer_to_capture = recording;
        scripted_runtime().milliseconds_of_stamps = 1.5e-3;
        cuda::CudaExecutable executable(
            graph, cuda::prepare_program(graph, inference, described_h200()), machine_);
        ASSERT_TRUE(executable.time_empty_step().has_value());
        EXPECT_NEAR(executable.time_empty_step()->value, 1.5e-6, 1e-9);
    }
}

TEST_F(GpuMachine, ReportsItsFreeMemory) {
    const auto before = machine_->free_memory();
    ASSERT_TRUE(before);
    const cuda::Memory memory = machine_->allocate(1000);
    EXPECT_EQ(machine_->free_memory(), *before - 1000);
    const BackendInfo info = cuda::make_backend()->info();
    EXPECT_EQ(info.free_device_memory, Bytes{static_cast<double>(*before - 1000)});
    EXPECT_GT(*info.device_memory, *info.free_device_memory);
}

// Libraries with their own copy of the runtime leave no error in ours.
TEST_F(GpuMachine, ALibrarysFailureOnADeadDeviceIsTheDevices) {
    const auto cudnn = [](int status) {
        return trouble_of([&] { cuda::require_cudnn(status, "running conv1"); });
    };
    const auto cublas = [](int status) {
        return trouble_of([&] { cuda::require_cublas(status, "running fc1"); });
    };
    EXPECT_EQ(cudnn(CUDNN_STATUS_EXECUTION_FAILED), cuda::DeviceTrouble::library_refused);
    EXPECT_EQ(cublas(CUBLAS_STATUS_EXECUTION_FAILED), cuda::DeviceTrouble::library_refused);
    scripted_runtime().sticky = cudaErrorLaunchFailure;
    EXPECT_EQ(cudnn(CUDNN_STATUS_EXECUTION_FAILED), cuda::DeviceTrouble::kernel_failed);
    EXPECT_EQ(cudnn(CUDNN_STATUS_EXECUTION_FAILED_CUDART), cuda::DeviceTrouble::kernel_failed);
    EXPECT_EQ(cublas(CUBLAS_STATUS_EXECUTION_FAILED), cuda::DeviceTrouble::kernel_failed);
    EXPECT_EQ(cudnn(CUDNN_STATUS_NOT_SUPPORTED), cuda::DeviceTrouble::library_refused);
}

TEST_F(GpuMachine, ALibrarysFailureOnALostDeviceIsNotAStepsFault) {
    scripted_runtime().sticky = cudaErrorECCUncorrectable;
    EXPECT_EQ(trouble_of([] {
                  cuda::require_cudnn(CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER, "running conv1");
              }),
              cuda::DeviceTrouble::device_lost);
}

}  // namespace

}  // namespace strata::testing
