// SPDX-License-Identifier: MIT
// The functions that came with CUDA 12.6.
#include "backend/cuda/cupti/library.h"

#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>

STRATA_CUPTI_FUNCTION(cuptiProfilerHostConfigAddMetrics,
                      (CUpti_Profiler_Host_ConfigAddMetrics_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerHostDeinitialize, (CUpti_Profiler_Host_Deinitialize_Params * p),
                      (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerHostEvaluateToGpuValues,
                      (CUpti_Profiler_Host_EvaluateToGpuValues_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerHostGetConfigImage,
                      (CUpti_Profiler_Host_GetConfigImage_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerHostGetConfigImageSize,
                      (CUpti_Profiler_Host_GetConfigImageSize_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerHostGetMetricProperties,
                      (CUpti_Profiler_Host_GetMetricProperties_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerHostGetNumOfPasses,
                      (CUpti_Profiler_Host_GetNumOfPasses_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerHostGetSupportedChips,
                      (CUpti_Profiler_Host_GetSupportedChips_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerHostInitialize, (CUpti_Profiler_Host_Initialize_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerCounterDataGetRangeInfo,
                      (CUpti_RangeProfiler_CounterData_GetRangeInfo_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerCounterDataImageInitialize,
                      (CUpti_RangeProfiler_CounterDataImage_Initialize_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerDecodeData, (CUpti_RangeProfiler_DecodeData_Params * p),
                      (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerDisable, (CUpti_RangeProfiler_Disable_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerEnable, (CUpti_RangeProfiler_Enable_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerGetCounterDataInfo,
                      (CUpti_RangeProfiler_GetCounterDataInfo_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerGetCounterDataSize,
                      (CUpti_RangeProfiler_GetCounterDataSize_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerPopRange, (CUpti_RangeProfiler_PopRange_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerPushRange, (CUpti_RangeProfiler_PushRange_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerSetConfig, (CUpti_RangeProfiler_SetConfig_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerStart, (CUpti_RangeProfiler_Start_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiRangeProfilerStop, (CUpti_RangeProfiler_Stop_Params * p), (p))
