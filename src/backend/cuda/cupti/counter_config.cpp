// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/counter_config.h"

#include "backend/cuda/cupti/trouble.h"
#include "base/text.h"

#include <cuda_runtime_api.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <fmt/format.h>

#include <array>
#include <cmath>

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

CounterConfig::CounterConfig(const std::string& chip, std::vector<std::string> counters,
                             std::span<const std::uint8_t> availability)
    : host_(chip, availability), counters_(std::move(counters)) {
    check(!counters_.empty(), "a configuration has a counter");
    add_counters(chip);
    make_image();
    count_passes();
}

std::vector<const char*> CounterConfig::names() const {
    std::vector<const char*> names;
    for (const std::string& counter : counters_) {
        names.push_back(counter.c_str());
    }
    return names;
}

// CUPTI does not say which of several names it does not know, so each is checked first.
void CounterConfig::add_counters(const std::string& chip) {
    for (const std::string& counter : counters_) {
        if (!host_.has_counter(counter)) {
            throw ProfilerError(ProfilerTrouble::unknown_counter,
                                fmt::format("count {} on {}", printable(counter), chip));
        }
    }
    auto added = names();
    auto add = parameters<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
        CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
    add.pHostObject = host_.handle();
    add.ppMetricNames = added.data();
    add.numMetrics = added.size();
    require_cupti(cuptiProfilerHostConfigAddMetrics(&add), "arrange the counters of " + chip);
}

void CounterConfig::make_image() {
    auto size = parameters<CUpti_Profiler_Host_GetConfigImageSize_Params>(
        CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
    size.pHostObject = host_.handle();
    require_cupti(cuptiProfilerHostGetConfigImageSize(&size), "arrange counters");
    image_.resize(size.configImageSize);
    auto image = parameters<CUpti_Profiler_Host_GetConfigImage_Params>(
        CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
    image.pHostObject = host_.handle();
    image.configImageSize = image_.size();
    image.pConfigImage = image_.data();
    require_cupti(cuptiProfilerHostGetConfigImage(&image), "arrange counters");
}

void CounterConfig::count_passes() {
    auto answer = parameters<CUpti_Profiler_Host_GetNumOfPasses_Params>(
        CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
    answer.configImageSize = image_.size();
    answer.pConfigImage = image_.data();
    require_cupti(cuptiProfilerHostGetNumOfPasses(&answer), "arrange counters in passes");
    passes_ = answer.numOfPasses;
}

CounterValues CounterConfig::evaluate(std::span<const std::uint8_t> data, std::size_t range) const {
    auto asked = names();
    std::vector<double> numbers(asked.size());
    auto block = parameters<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
        CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
    block.pHostObject = host_.handle();
    block.pCounterDataImage = data.data();
    block.counterDataImageSize = data.size();
    block.rangeIndex = range;
    block.ppMetricNames = asked.data();
    block.numMetrics = asked.size();
    block.pMetricValues = numbers.data();
    require_cupti(cuptiProfilerHostEvaluateToGpuValues(&block), "evaluate counters");
    CounterValues values;
    for (std::size_t i = 0; i < counters_.size(); ++i) {
        if (std::isfinite(numbers[i])) {
            values.emplace(counters_[i], numbers[i]);
        } else {
            values.emplace(counters_[i], NoValue{"the counter has no value here"});
        }
    }
    return values;
}

}  // namespace strata::cuda
