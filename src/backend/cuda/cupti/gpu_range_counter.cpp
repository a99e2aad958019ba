// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/gpu_range_counter.h"

#include "backend/cuda/cupti/trouble.h"
#include "backend/device_watch.h"

#include <cupti_range_profiler.h>
#include <fmt/format.h>

namespace strata::cuda {

namespace {

constexpr const char* counting_ranges = "count ranges";

}  // namespace

void GpuRangeCounter::Disable::operator()(CUpti_RangeProfiler_Object* object) const {
    auto block = parameters<CUpti_RangeProfiler_Disable_Params>(
        CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    block.pRangeProfilerObject = object;
    if (!device_hangs()) {
        cuptiRangeProfilerDisable(&block);
    }
}

GpuRangeCounter::GpuRangeCounter(const CountingDevice& device, const CounterConfig& config,
                                 std::size_t ranges)
    : config_(config) {
    auto enable = parameters<CUpti_RangeProfiler_Enable_Params>(
        CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    enable.ctx = static_cast<CUcontext>(device.context);
    require_cupti(cuptiRangeProfilerEnable(&enable), counting_ranges);
    object_.reset(enable.pRangeProfilerObject);
    make_data(ranges);
    configure(ranges);
}

void GpuRangeCounter::make_data(std::size_t ranges) {
    std::vector<const char*> names;
    for (const std::string& counter : config_.counters()) {
        names.push_back(counter.c_str());
    }
    auto size = parameters<CUpti_RangeProfiler_GetCounterDataSize_Params>(
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = object_.get();
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    require_cupti(cuptiRangeProfilerGetCounterDataSize(&size), counting_ranges);
    data_.resize(size.counterDataSize);
    auto image = parameters<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    image.pRangeProfilerObject = object_.get();
    image.counterDataSize = data_.size();
    image.pCounterData = data_.data();
    require_cupti(cuptiRangeProfilerCounterDataImageInitialize(&image), counting_ranges);
}

void GpuRangeCounter::configure(std::size_t ranges) {
    auto block = parameters<CUpti_RangeProfiler_SetConfig_Params>(
        CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    block.pRangeProfilerObject = object_.get();
    block.configSize = config_.image().size();
    block.pConfig = config_.image().data();
    block.counterDataImageSize = data_.size();
    block.pCounterDataImage = data_.data();
    block.range = CUPTI_UserRange;
    block.replayMode = CUPTI_UserReplay;
    block.maxRangesPerPass = ranges;
    block.numNestingLevels = 1;
    block.minNestingLevel = 1;
    block.passIndex = 0;
    block.targetNestingLevel = 1;
    require_cupti(cuptiRangeProfilerSetConfig(&block), counting_ranges);
}

void GpuRangeCounter::start_pass() {
    auto block =
        parameters<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    block.pRangeProfilerObject = object_.get();
    require_cupti(cuptiRangeProfilerStart(&block), counting_ranges);
}

void GpuRangeCounter::push(const std::string& name) {
    auto block = parameters<CUpti_RangeProfiler_PushRange_Params>(
        CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
    block.pRangeProfilerObject = object_.get();
    block.pRangeName = name.c_str();
    require_cupti(cuptiRangeProfilerPushRange(&block), counting_ranges);
}

void GpuRangeCounter::pop() {
    auto block = parameters<CUpti_RangeProfiler_PopRange_Params>(
        CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
    block.pRangeProfilerObject = object_.get();
    if (!device_hangs()) {
        require_cupti(cuptiRangeProfilerPopRange(&block), counting_ranges);
    }
}

Passes GpuRangeCounter::stop_pass() {
    auto block =
        parameters<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    block.pRangeProfilerObject = object_.get();
    if (device_hangs()) {
        return Passes::are_done;
    }
    require_cupti(cuptiRangeProfilerStop(&block), counting_ranges);
    return block.isAllPassSubmitted != 0 ? Passes::are_done : Passes::remain;
}

void GpuRangeCounter::decode() {
    auto block = parameters<CUpti_RangeProfiler_DecodeData_Params>(
        CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    block.pRangeProfilerObject = object_.get();
    require_cupti(cuptiRangeProfilerDecodeData(&block), counting_ranges);
    if (block.numOfRangeDropped > 0) {
        throw ProfilerError(ProfilerTrouble::ranges_dropped, counting_ranges,
                            fmt::format("{} of them", block.numOfRangeDropped));
    }
}

std::size_t GpuRangeCounter::count_of_ranges() const {
    auto block = parameters<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
        CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
    block.pCounterDataImage = data_.data();
    block.counterDataImageSize = data_.size();
    require_cupti(cuptiRangeProfilerGetCounterDataInfo(&block), counting_ranges);
    return block.numTotalRanges;
}

std::string GpuRangeCounter::name_of_range(std::size_t range) const {
    auto block = parameters<CUpti_RangeProfiler_CounterData_GetRangeInfo_Params>(
        CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE);
    block.pCounterDataImage = data_.data();
    block.counterDataImageSize = data_.size();
    block.rangeIndex = range;
    block.rangeDelimiter = "/";
    require_cupti(cuptiRangeProfilerCounterDataGetRangeInfo(&block), counting_ranges);
    return block.rangeName == nullptr ? "" : block.rangeName;
}

std::vector<CountedRange> GpuRangeCounter::read() {
    decode();
    std::vector<CountedRange> ranges;
    for (std::size_t i = 0; i < count_of_ranges(); ++i) {
        ranges.push_back({.name = name_of_range(i), .values = config_.evaluate(data_, i)});
    }
    return ranges;
}

}  // namespace strata::cuda
