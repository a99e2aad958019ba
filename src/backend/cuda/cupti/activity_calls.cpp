// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/activity_calls.h"

#include "backend/cuda/cupti/activity_records.h"
#include "backend/cuda/cupti/version.h"
#include "backend/device_watch.h"
#include "base/error.h"

#include <cupti.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace strata::cuda {

// The state of CUPTI that stays with the process. Before CUDA 13.1 update 1, correlation ids of
// graph launches are wrong in every session of a process but the first (CUPTI's release notes), so
// there is one subscription, and recording stays enabled from one trace to the next. Nothing
// destroys it: CUPTI may call back while the process ends.
struct CuptiSession {
    CUpti_SubscriberHandle subscriber = nullptr;
    std::array<bool, all_recorded.size()> enabled = {};
    bool is_attached = false;

    std::mutex lock;         // guards what callbacks use; these come from CUPTI's threads
    Trace* trace = nullptr;  // nullptr: no trace is active, and records are discarded
    std::uint64_t range = 0;
};

// Inline, so that a process has one even if two modules contain this code.
inline constinit CuptiSession cupti_session;

namespace {

constexpr const char* tracing = "trace the GPU";
constexpr std::size_t buffer_bytes = 8u << 20;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
    // If this allocation fails, CUPTI gets no buffer, drops records, and counts them.
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
    *size = *buffer == nullptr ? 0 : buffer_bytes;
    *max_records = 0;
}

// CUPTI calls from its own thread through C, which exceptions must not cross: a record is dropped
// if there is no memory for it.
template <class Add>
void add_or_drop(Trace& trace, Add add) noexcept {
    try {
        add();
    } catch (const std::bad_alloc&) {
        ++trace.dropped;
    }
}

// A buffer's records. An incomplete one hides those after it.
Trace trace_of(std::uint8_t* buffer, std::size_t bytes) {
    Trace trace;
    if (bytes == 0) {
        return trace;
    }
    CUpti_Activity* record = nullptr;
    CUptiResult result = CUPTI_SUCCESS;
    while ((result = cuptiActivityGetNextRecord(buffer, bytes, &record)) == CUPTI_SUCCESS) {
        add_or_drop(trace, [&] { add_record(*record, trace); });
    }
    trace.dropped += result == CUPTI_ERROR_MAX_LIMIT_REACHED ? 0 : 1;
    return trace;
}

template <class Item>
void append(const std::vector<Item>& from, std::vector<Item>& to) {
    to.insert(to.end(), from.begin(), from.end());
}

bool is_tracing() {
    const std::lock_guard guard(cupti_session.lock);
    return cupti_session.trace != nullptr;
}

// CUPTI is never called under our lock: it has its own locks, and calls us back.
void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t bytes) {
    const Trace part = is_tracing() ? trace_of(buffer, bytes) : Trace();
    std::free(buffer);
    const std::lock_guard guard(cupti_session.lock);
    if (Trace* trace = cupti_session.trace) {
        trace->dropped += part.dropped;
        add_or_drop(*trace, [&] {
            append(part.spans, trace->spans);
            append(part.calls, trace->calls);
        });
    }
}

void add_node(CUpti_CallbackId id, const CUpti_GraphData& graph) {
    const bool is_copy = id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED;
    std::uint64_t node = 0, original = 0;
    if (cuptiGetGraphNodeId(graph.node, &node) != CUPTI_SUCCESS ||
        (is_copy && cuptiGetGraphNodeId(graph.originalNode, &original) != CUPTI_SUCCESS)) {
        return;
    }
    const std::lock_guard guard(cupti_session.lock);
    Trace* trace = cupti_session.trace;
    if (trace != nullptr && is_copy) {
        add_or_drop(*trace, [&] { trace->copies.push_back({node, original}); });
    } else if (trace != nullptr && cupti_session.range != 0) {
        add_or_drop(*trace, [&] { trace->nodes.push_back({node, cupti_session.range}); });
    }
}

void CUPTIAPI on_resource(void*, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data) {
    if (is_tracing()) {
        const auto* resource = static_cast<const CUpti_ResourceData*>(data);
        add_node(id, *static_cast<const CUpti_GraphData*>(resource->resourceDescriptor));
    }
}

CUpti_ActivityKind kind_of(Recorded kind) {
    switch (kind) {
        case Recorded::kernels:
            return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
        case Recorded::copies:
            return CUPTI_ACTIVITY_KIND_MEMCPY;
        case Recorded::fills:
            return CUPTI_ACTIVITY_KIND_MEMSET;
        case Recorded::runtime_calls:
            return CUPTI_ACTIVITY_KIND_RUNTIME;
        case Recorded::driver_calls:
            return CUPTI_ACTIVITY_KIND_DRIVER;
        default:
            return CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    }
}

void require_compatible_version(const char* doing) {
    std::uint32_t version = 0;
    require_cupti(cuptiGetVersion(&version), doing);
    if (const auto compatibility = compatibility_of(version, CUPTI_API_VERSION);
        !compatibility.refusal.empty()) {
        throw ProfilerError(ProfilerTrouble::old_library, doing, compatibility.refusal);
    }
}

void disable_all() noexcept {
    for (const Recorded kind : all_recorded) {
        if (std::exchange(cupti_session.enabled[static_cast<std::size_t>(kind)], false)) {
            cuptiActivityDisable(kind_of(kind));
        }
    }
}

void detach() noexcept {
    disable_all();
    cuptiUnsubscribe(std::exchange(cupti_session.subscriber, nullptr));
}

// Subscribes before any other call, so that another profiler in the process is found first.
void attach(const char* doing) {
    if (cupti_session.subscriber != nullptr) {
        return;
    }
    require_compatible_version(doing);
    cupti_session.is_attached = true;
    CUpti_SubscriberHandle subscriber = nullptr;
    require_cupti(cuptiSubscribe(&subscriber, on_resource, nullptr), doing);
    cupti_session.subscriber = subscriber;
    try {
        for (const auto id :
             {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED}) {
            require_cupti(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id), doing);
        }
        require_cupti(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), doing);
    } catch (...) {
        detach();
        throw;
    }
}

// Makes CUPTI deliver all its records. Returns how many records had no buffer since the last call.
std::size_t flush() {
    require_cupti(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), tracing);
    std::size_t dropped = 0;
    require_cupti(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), tracing);
    return dropped;
}

class CuptiActivityCalls : public ActivityCalls {
public:
    ~CuptiActivityCalls() override { stop(); }

    void start() override {
        check(!is_tracing(), "one tracer at a time");
        const bool is_first = cupti_session.subscriber == nullptr;
        attach(tracing);
        if (!is_first) {
            flush();  // discards what was recorded since the previous trace
        }
        const std::lock_guard guard(cupti_session.lock);
        cupti_session.trace = &trace_;
    }

    void enable(Recorded kind) override {
        bool& is_enabled = cupti_session.enabled[static_cast<std::size_t>(kind)];
        if (is_enabled) {
            return;
        }
        if (const CUptiResult result = cuptiActivityEnable(kind_of(kind));
            result != CUPTI_SUCCESS) {
            detach();
            require_cupti(result, tracing);
        }
        is_enabled = true;
    }

    void enter(std::uint64_t range) override {
        require_cupti(cuptiActivityPushExternalCorrelationId(our_ranges, range), tracing);
        ++entered_;
        set_range(range);
    }

    void leave(std::uint64_t outer) override {
        if (device_hangs()) {
            return;
        }
        require_cupti(cuptiActivityPopExternalCorrelationId(our_ranges, nullptr), tracing);
        --entered_;
        set_range(outer);
    }

    Trace collect() override {
        const std::size_t dropped = flush();
        const std::lock_guard guard(cupti_session.lock);
        trace_.dropped += dropped;
        return std::exchange(trace_, {});
    }

    void stop() noexcept override {
        for (; entered_ > 0 && !device_hangs(); --entered_) {
            cuptiActivityPopExternalCorrelationId(our_ranges, nullptr);
        }
        const std::lock_guard guard(cupti_session.lock);
        if (cupti_session.trace == &trace_) {
            cupti_session.trace = nullptr;
            cupti_session.range = 0;
        }
    }

private:
    static void set_range(std::uint64_t range) {
        const std::lock_guard guard(cupti_session.lock);
        cupti_session.range = range;
    }

    Trace trace_;  // guarded by the session's lock
    std::size_t entered_ = 0;
};

}  // namespace

std::string cupti_warning() {
    std::uint32_t version = 0;
    return cuptiGetVersion(&version) == CUPTI_SUCCESS
               ? compatibility_of(version, CUPTI_API_VERSION).warning
               : std::string();
}

void begin_counting() {
    attach("count on the GPU");
    disable_all();
}

bool is_cupti_attached() {
    return cupti_session.is_attached;
}

std::unique_ptr<ActivityCalls> open_activity_calls() {
    return std::make_unique<CuptiActivityCalls>();
}

}  // namespace strata::cuda
