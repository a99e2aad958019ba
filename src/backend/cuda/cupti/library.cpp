// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/library.h"

#include "backend/cuda/cupti/trouble.h"
#include "backend/cuda/library/shared_library.h"

#include <cuda_runtime_api.h>
#include <cupti.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

namespace strata::cuda {

namespace {

// The version whose records and structs strata was built with; another major version differs.
SharedLibrary open_cupti() {
    constexpr int thousands = 1000;
    const std::string name = library_name("cupti", CUDART_VERSION / thousands);
    const auto folders = library_folders(reinterpret_cast<const void*>(&cudaGetDevice));
    return open_first(places_of(name, "cuda_cupti", folders));
}

}  // namespace

void* cupti_function(const char* name) {
    const SharedLibrary library = open_cupti();
    void* function = library.symbol(name);
    if (library.handle == nullptr) {
        throw ProfilerError(ProfilerTrouble::no_library, "trace or count", library.refusal);
    }
    if (function == nullptr) {
        throw ProfilerError(ProfilerTrouble::old_library, "trace or count", name);
    }
    return function;
}

}  // namespace strata::cuda

STRATA_CUPTI_FUNCTION(cuptiGetVersion, (std::uint32_t * version), (version))
STRATA_CUPTI_FUNCTION(cuptiSubscribe,
                      (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback,
                       void* data),
                      (subscriber, callback, data))
STRATA_CUPTI_FUNCTION(cuptiUnsubscribe, (CUpti_SubscriberHandle subscriber), (subscriber))
STRATA_CUPTI_FUNCTION(cuptiEnableCallback,
                      (std::uint32_t enable, CUpti_SubscriberHandle subscriber,
                       CUpti_CallbackDomain domain, CUpti_CallbackId callback),
                      (enable, subscriber, domain, callback))
STRATA_CUPTI_FUNCTION(cuptiGetGraphNodeId, (CUgraphNode node, std::uint64_t* id), (node, id))
STRATA_CUPTI_FUNCTION(cuptiActivityRegisterCallbacks,
                      (CUpti_BuffersCallbackRequestFunc requested,
                       CUpti_BuffersCallbackCompleteFunc completed),
                      (requested, completed))
STRATA_CUPTI_FUNCTION(cuptiActivityEnable, (CUpti_ActivityKind kind), (kind))
STRATA_CUPTI_FUNCTION(cuptiActivityDisable, (CUpti_ActivityKind kind), (kind))
STRATA_CUPTI_FUNCTION(cuptiActivityFlushAll, (std::uint32_t flag), (flag))
STRATA_CUPTI_FUNCTION(cuptiActivityGetNextRecord,
                      (std::uint8_t * buffer, std::size_t valid, CUpti_Activity** record),
                      (buffer, valid, record))
STRATA_CUPTI_FUNCTION(cuptiActivityGetNumDroppedRecords,
                      (CUcontext context, std::uint32_t stream, std::size_t* dropped),
                      (context, stream, dropped))
STRATA_CUPTI_FUNCTION(cuptiActivityPushExternalCorrelationId,
                      (CUpti_ExternalCorrelationKind kind, std::uint64_t id), (kind, id))
STRATA_CUPTI_FUNCTION(cuptiActivityPopExternalCorrelationId,
                      (CUpti_ExternalCorrelationKind kind, std::uint64_t* last), (kind, last))
STRATA_CUPTI_FUNCTION(cuptiDeviceGetChipName, (CUpti_Device_GetChipName_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerInitialize, (CUpti_Profiler_Initialize_Params * p), (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerDeviceSupported, (CUpti_Profiler_DeviceSupported_Params * p),
                      (p))
STRATA_CUPTI_FUNCTION(cuptiProfilerGetCounterAvailability,
                      (CUpti_Profiler_GetCounterAvailability_Params * p), (p))
