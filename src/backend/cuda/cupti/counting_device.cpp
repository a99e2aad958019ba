// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/counting_device.h"

#include "backend/cuda/cupti/parameters.h"
#include "backend/cuda/cupti/trouble.h"

#include <cuda_runtime_api.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <array>

namespace strata::cuda {

namespace {

constexpr const char* counting = "count on the GPU";

// The driver's context, looked up through the runtime so that nothing links against the driver.
CUcontext current_context() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    const cudaError_t code = cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, 12000,
                                                              cudaEnableDefault, &found);
    if (code != cudaSuccess || function == nullptr) {
        throw ProfilerError(ProfilerTrouble::no_driver, counting, cudaGetErrorString(code));
    }
    CUcontext context = nullptr;
    reinterpret_cast<CUresult (*)(CUcontext*)>(function)(&context);
    if (context == nullptr) {
        throw ProfilerError(ProfilerTrouble::device_failed, counting, "no context is current");
    }
    return context;
}

// An obstacle to counting that CUPTI reports separately.
struct Obstacle {
    CUpti_Profiler_Support_Level level;
    ProfilerTrouble trouble;
};

// Reports what forbids counting before anything is tried: later calls return one code for many
// reasons.
void require_supported(int device) {
    auto answer = parameters<CUpti_Profiler_DeviceSupported_Params>(
        CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
    answer.cuDevice = device;
    answer.api = CUPTI_PROFILER_RANGE_PROFILING;
    require_cupti(cuptiProfilerDeviceSupported(&answer), counting);
    const std::array obstacles = {
        Obstacle{answer.architecture, ProfilerTrouble::unsupported_device},
        Obstacle{answer.sli, ProfilerTrouble::unsupported_device},
        Obstacle{answer.vGpu, answer.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED
                                  ? ProfilerTrouble::virtualized_without_privileges
                                  : ProfilerTrouble::virtualized},
        Obstacle{answer.confidentialCompute, ProfilerTrouble::confidential_computing},
        Obstacle{answer.cmp, ProfilerTrouble::unsupported_device},
        Obstacle{answer.wsl, ProfilerTrouble::unsupported_device}};
    for (const Obstacle& obstacle : obstacles) {
        if (obstacle.level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
            obstacle.level == CUPTI_PROFILER_CONFIGURATION_DISABLED) {
            throw ProfilerError(obstacle.trouble, counting);
        }
    }
}

std::vector<std::uint8_t> availability_of(CUcontext context) {
    auto block = parameters<CUpti_Profiler_GetCounterAvailability_Params>(
        CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
    block.ctx = context;
    require_cupti(cuptiProfilerGetCounterAvailability(&block), counting);
    std::vector<std::uint8_t> image(block.counterAvailabilityImageSize);
    block.pCounterAvailabilityImage = image.data();
    require_cupti(cuptiProfilerGetCounterAvailability(&block), counting);
    return image;
}

std::string chip_of(int device) {
    auto answer =
        parameters<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
    answer.deviceIndex = static_cast<std::size_t>(device);
    require_cupti(cuptiDeviceGetChipName(&answer), counting);
    return answer.pChipName;
}

}  // namespace

CountingDevice open_counting_device(int device) {
    CUcontext context = current_context();
    auto begin =
        parameters<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
    require_cupti(cuptiProfilerInitialize(&begin), counting);
    require_supported(device);
    return {.context = context, .chip = chip_of(device), .availability = availability_of(context)};
}

}  // namespace strata::cuda
