// SPDX-License-Identifier: MIT
#include "backend/cuda/device/trouble.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata::cuda {

namespace {

// Whether the process can still use the device.
enum class Afterwards { goes_on, sticks };

struct Known {
    cudaError_t code;
    DeviceTrouble trouble;
    std::string_view fix;
    Afterwards afterwards = Afterwards::goes_on;
};

constexpr std::string_view bug = "this is a bug in strata: please report the network and the GPU";
constexpr std::string_view sanitize = "run it under compute-sanitizer and report what it says";
constexpr std::string_view mps =
    "restart the MPS daemon (echo quit | nvidia-cuda-mps-control; nvidia-cuda-mps-control -d), or "
    "unset CUDA_MPS_PIPE_DIRECTORY";
constexpr std::string_view not_recorded =
    "a library does what cannot be recorded: update cuDNN and cuBLAS, and report it";
constexpr std::string_view replace = "check nvidia-smi -q and reset or replace the GPU";

constexpr std::array known = {
    // There is no GPU that CUDA can use.
    Known{cudaErrorNoDevice, DeviceTrouble::no_driver,
          "run it on a machine with an NVIDIA GPU, or let the container see it"},
    Known{cudaErrorStubLibrary, DeviceTrouble::no_driver,
          "libcuda.so.1 is the toolkit's stub: take its folder (stubs) out of LD_LIBRARY_PATH, so "
          "that the driver's own is found"},
    Known{cudaErrorInsufficientDriver, DeviceTrouble::driver_too_old,
          "install NVIDIA's driver, or one as new as the CUDA runtime that strata was built with"},
    Known{
        cudaErrorUnsupportedPtxVersion, DeviceTrouble::driver_too_old,
        "strata's kernels were compiled for this GPU by a compiler newer than the driver: install "
        "a newer driver, or build strata with CMAKE_CUDA_ARCHITECTURES of this GPU"},
    Known{cudaErrorSystemDriverMismatch, DeviceTrouble::driver_too_old,
          "reboot after the driver's update"},
    Known{
        cudaErrorCompatNotSupportedOnDevice, DeviceTrouble::not_ready,
        "this GPU's driver takes no forward compatibility: remove the package cuda-compat (or its "
        "folder from LD_LIBRARY_PATH), or install a newer driver"},
    Known{cudaErrorSystemNotReady, DeviceTrouble::not_ready,
          "start nvidia-fabricmanager (machines with NVSwitch) and nvidia-persistenced, and see "
          "whether nvidia-smi lists the GPU"},
    Known{cudaErrorMpsConnectionFailed, DeviceTrouble::not_ready, mps},
    Known{cudaErrorMpsRpcFailure, DeviceTrouble::not_ready, mps},
    Known{cudaErrorMpsServerNotReady, DeviceTrouble::not_ready, mps},
    Known{cudaErrorDevicesUnavailable, DeviceTrouble::device_lost,
          "wait for the process that holds the GPU, or choose another"},
    Known{cudaErrorNoKernelImageForDevice, DeviceTrouble::unsupported_device,
          "build strata with CMAKE_CUDA_ARCHITECTURES of this GPU"},
    // The device refuses and remains usable.
    Known{cudaErrorMemoryAllocation, DeviceTrouble::out_of_memory,
          "choose a smaller batch, or stop other processes on the GPU"},
    Known{cudaErrorInvalidConfiguration, DeviceTrouble::launch_refused, bug},
    Known{cudaErrorLaunchOutOfResources, DeviceTrouble::launch_refused, bug},
    Known{cudaErrorStreamCaptureUnsupported, DeviceTrouble::recording_refused, not_recorded},
    Known{cudaErrorStreamCaptureInvalidated, DeviceTrouble::recording_refused, not_recorded},
    // The device is unusable for this process.
    Known{cudaErrorLaunchTimeout, DeviceTrouble::timed_out,
          "use a GPU that drives no display, or a smaller batch", Afterwards::sticks},
    Known{cudaErrorIllegalAddress, DeviceTrouble::kernel_failed, sanitize, Afterwards::sticks},
    Known{
        cudaErrorMisalignedAddress, DeviceTrouble::kernel_failed,
        "a kernel wants its operands better aligned than they are: run it under compute-sanitizer "
        "and report which kernel it names",
        Afterwards::sticks},
    Known{
        cudaErrorLaunchFailure, DeviceTrouble::kernel_failed,
        "a kernel ended with an exception: run it under compute-sanitizer, look for Xid in dmesg, "
        "and report both",
        Afterwards::sticks},
    Known{cudaErrorAssert, DeviceTrouble::kernel_failed, sanitize, Afterwards::sticks},
    Known{cudaErrorHardwareStackError, DeviceTrouble::kernel_failed, sanitize, Afterwards::sticks},
    Known{cudaErrorIllegalInstruction, DeviceTrouble::kernel_failed, sanitize, Afterwards::sticks},
    Known{cudaErrorInvalidAddressSpace, DeviceTrouble::kernel_failed, sanitize, Afterwards::sticks},
    Known{cudaErrorInvalidPc, DeviceTrouble::kernel_failed, sanitize, Afterwards::sticks},
    Known{cudaErrorECCUncorrectable, DeviceTrouble::device_lost, replace, Afterwards::sticks},
    Known{cudaErrorNvlinkUncorrectable, DeviceTrouble::device_lost, replace, Afterwards::sticks},
    Known{cudaErrorMpsClientTerminated, DeviceTrouble::device_lost, mps, Afterwards::sticks},
};

const Known* find_known(int code) {
    const auto* found = std::ranges::find(known, static_cast<cudaError_t>(code), &Known::code);
    return found == known.end() ? nullptr : found;
}

// The device's own error, if it has one. A library with its own copy of the runtime leaves no error
// in ours, so a call that needs the device is made as well.
cudaError_t trouble_of_device() {
    const cudaError_t last = cudaPeekAtLastError();
    if (is_sticky(last)) {
        return last;
    }
    std::size_t free = 0;
    std::size_t total = 0;
    const cudaError_t now = cudaMemGetInfo(&free, &total);
    (void)cudaGetLastError();
    return is_sticky(now) ? now : cudaSuccess;
}

}  // namespace

void require_cuda(int code, std::string_view doing) {
    if (code == cudaSuccess) {
        return;
    }
    (void)cudaGetLastError();  // or the next call that queries the error would report it
    const auto error = static_cast<cudaError_t>(code);
    const Known* found = find_known(code);
    throw DeviceError(
        found ? found->trouble : DeviceTrouble::unknown,
        fmt::format("{}: {} ({}); {}", doing, cudaGetErrorString(error), cudaGetErrorName(error),
                    found ? found->fix : "try again, and report it if it persists"));
}

bool is_sticky(int code) {
    const Known* found = find_known(code);
    return found && found->afterwards == Afterwards::sticks;
}

void require_cudnn(int status, std::string_view doing) {
    if (status != CUDNN_STATUS_SUCCESS) {
        if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_EXECUTION_FAILED) {
            require_cuda(trouble_of_device(), doing);
        }
        std::array<char, 512> text = {};
        cudnnGetLastErrorString(text.data(), text.size());
        throw DeviceError(
            DeviceTrouble::library_refused,
            fmt::format("{}: cuDNN answers {} ({})", doing,
                        cudnnGetErrorString(static_cast<cudnnStatus_t>(status)), text.data()));
    }
}

void require_cublas(int status, std::string_view doing) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        if (status == CUBLAS_STATUS_EXECUTION_FAILED) {
            require_cuda(trouble_of_device(), doing);
        }
        throw DeviceError(DeviceTrouble::library_refused,
                          fmt::format("{}: cuBLAS answers {}", doing,
                                      cublasLtGetStatusName(static_cast<cublasStatus_t>(status))));
    }
}

}  // namespace strata::cuda
