// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/metric_host.h"

#include "backend/cuda/cupti/trouble.h"
#include "base/text.h"

#include <cupti_profiler_host.h>
#include <fmt/format.h>

#include <algorithm>

namespace strata::cuda {

namespace {

// Looks up the description of a counter; returns CUPTI's result code.
int describe(CUpti_Profiler_Host_Object* host, const std::string& counter,
             CUpti_Profiler_Host_GetMetricProperties_Params& answer) {
    answer = parameters<CUpti_Profiler_Host_GetMetricProperties_Params>(
        CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE);
    answer.pHostObject = host;
    answer.pMetricName = counter.c_str();
    return cuptiProfilerHostGetMetricProperties(&answer);
}

void require_known(const std::string& chip) {
    const auto chips = MetricHost::supported_chips();
    if (std::ranges::find(chips, chip) == chips.end()) {
        throw ProfilerError(ProfilerTrouble::unknown_chip,
                            fmt::format("plan counters of {}", printable(chip)));
    }
}

}  // namespace

void MetricHost::End::operator()(CUpti_Profiler_Host_Object* object) const {
    auto end = parameters<CUpti_Profiler_Host_Deinitialize_Params>(
        CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    end.pHostObject = object;
    cuptiProfilerHostDeinitialize(&end);
}

MetricHost::MetricHost(const std::string& chip, std::span<const std::uint8_t> availability) {
    if (availability.empty()) {
        require_known(chip);
    }
    auto begin = parameters<CUpti_Profiler_Host_Initialize_Params>(
        CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    begin.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    begin.pChipName = chip.c_str();
    begin.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    require_cupti(cuptiProfilerHostInitialize(&begin), "plan counters of " + chip);
    object_.reset(begin.pHostObject);
}

std::vector<std::string> MetricHost::supported_chips() {
    auto list = parameters<CUpti_Profiler_Host_GetSupportedChips_Params>(
        CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
    require_cupti(cuptiProfilerHostGetSupportedChips(&list), "list the chips that CUPTI knows");
    return {list.ppChipNames, list.ppChipNames + list.numChips};
}

bool MetricHost::has_counter(const std::string& counter) const {
    CUpti_Profiler_Host_GetMetricProperties_Params answer;
    return describe(handle(), counter, answer) == CUPTI_SUCCESS;
}

std::optional<std::string> MetricHost::missing(std::string_view counter) const {
    return has_counter(std::string(counter))
               ? std::nullopt
               : std::optional<std::string>("CUPTI knows no such counter of it");
}

std::string MetricHost::unit_of(const std::string& counter) const {
    CUpti_Profiler_Host_GetMetricProperties_Params answer;
    require_cupti(describe(handle(), counter, answer), "describe the counter " + counter);
    return answer.pDimUnit == nullptr ? "" : answer.pDimUnit;
}

}  // namespace strata::cuda
