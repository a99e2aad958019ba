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

struct Known {
    cudaError_t code;
    DeviceTrouble trouble;
    std::string_view fix;
};
constexpr std::array known = {
    Known{cudaErrorNoDevice, DeviceTrouble::no_driver,
          "run it on a machine with an NVIDIA GPU, or let the container see it"},
    Known{cudaErrorInsufficientDriver, DeviceTrouble::driver_too_old,
          "install NVIDIA's driver, or one as new as the CUDA runtime that strata was built with"},
    Known{cudaErrorSystemDriverMismatch, DeviceTrouble::driver_too_old,
          "reboot after the driver's update"},
    Known{cudaErrorNoKernelImageForDevice, DeviceTrouble::unsupported_device,
          "build strata with CMAKE_CUDA_ARCHITECTURES of this GPU"},
    Known{cudaErrorMemoryAllocation, DeviceTrouble::out_of_memory,
          "choose a smaller batch, or stop other processes on the GPU"},
    Known{cudaErrorInvalidConfiguration, DeviceTrouble::launch_refused,
          "this is a bug in strata: please report the network and the GPU"},
    Known{cudaErrorLaunchOutOfResources, DeviceTrouble::launch_refused,
          "this is a bug in strata: please report the network and the GPU"},
    Known{cudaErrorLaunchTimeout, DeviceTrouble::timed_out,
          "use a GPU that drives no display, or a smaller batch"},
    Known{cudaErrorIllegalAddress, DeviceTrouble::kernel_failed,
          "run it under compute-sanitizer and report what it says"},
    Known{cudaErrorECCUncorrectable, DeviceTrouble::device_lost,
          "check nvidia-smi -q and reset or replace the GPU"},
    Known{cudaErrorDevicesUnavailable, DeviceTrouble::device_lost,
          "wait for the process that holds the GPU, or choose another"},
};

DeviceTrouble trouble_of(const Known* found) {
    return found == known.end() ? DeviceTrouble::kernel_failed : found->trouble;
}

std::string_view fix_of(const Known* found) {
    return found == known.end() ? "try again, and report it if it persists" : found->fix;
}

}  // namespace

void require_cuda(int code, std::string_view doing) {
    if (code == cudaSuccess) {
        return;
    }
    (void)cudaGetLastError();  // or the next call that queries the error would report it
    const auto error = static_cast<cudaError_t>(code);
    const Known* found = std::ranges::find(known, error, &Known::code);
    throw DeviceError(trouble_of(found),
                      fmt::format("{}: {} ({}); {}", doing, cudaGetErrorString(error),
                                  cudaGetErrorName(error), fix_of(found)));
}

void require_cudnn(int status, std::string_view doing) {
    if (status != CUDNN_STATUS_SUCCESS) {
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
        throw DeviceError(DeviceTrouble::library_refused,
                          fmt::format("{}: cuBLAS answers {}", doing,
                                      cublasLtGetStatusName(static_cast<cublasStatus_t>(status))));
    }
}

}  // namespace strata::cuda
