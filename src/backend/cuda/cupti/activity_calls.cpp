// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/activity_calls.h"

#include "backend/cuda/cupti/activity_records.h"
#include "backend/cuda/cupti/version.h"
#include "base/error.h"

#include <cupti.h>
#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace strata::cuda {

namespace {

constexpr const char* tracing = "trace the GPU";
constexpr std::size_t buffer_bytes = 8u << 20;

// The destination of records. CUPTI's buffer callbacks have no user data, so a process has only one
// such destination. Records that arrive while nobody traces are discarded.
struct Sink {
    std::mutex lock;
    Trace* trace = nullptr;
};
Sink sink;

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

Trace trace_of(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes) {
    Trace trace;
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, bytes, &record) == CUPTI_SUCCESS) {
        add_or_drop(trace, [&] { add_record(*record, trace); });
    }
    std::size_t dropped = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) {
        trace.dropped += dropped;
    }
    return trace;
}

template <class Item>
void append(const std::vector<Item>& from, std::vector<Item>& to) {
    to.insert(to.end(), from.begin(), from.end());
}

// CUPTI is never called under our lock: it has locks of its own, and calls us back.
void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t bytes) {
    const Trace part = trace_of(context, stream, buffer, bytes);
    std::free(buffer);
    const std::lock_guard guard(sink.lock);
    if (sink.trace != nullptr) {
        sink.trace->dropped += part.dropped;
        add_or_drop(*sink.trace, [&] {
            append(part.spans, sink.trace->spans);
            append(part.calls, sink.trace->calls);
        });
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

void require_compatible_version() {
    std::uint32_t version = 0;
    require_cupti(cuptiGetVersion(&version), tracing);
    if (const auto compatibility = compatibility_of(version, CUPTI_API_VERSION);
        !compatibility.refusal.empty()) {
        throw ProfilerError(ProfilerTrouble::old_library, tracing, compatibility.refusal);
    }
}

class CuptiActivityCalls : public ActivityCalls {
public:
    ~CuptiActivityCalls() override { stop(); }

    void start() override {
        require_compatible_version();
        {
            const std::lock_guard guard(sink.lock);
            check(sink.trace == nullptr, "one tracer at a time");
            sink.trace = &trace_;
        }
        require_cupti(cuptiSubscribe(&subscriber_, on_resource, this), tracing);
        for (const auto id :
             {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED}) {
            require_cupti(cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, id),
                          tracing);
        }
        require_cupti(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), tracing);
    }

    void stop() noexcept override {
        disable_all();
        if (subscriber_ != nullptr) {
            cuptiUnsubscribe(subscriber_);
            subscriber_ = nullptr;
        }
        const std::lock_guard guard(sink.lock);
        if (sink.trace == &trace_) {
            sink.trace = nullptr;
        }
    }

    void enable(Recorded kind) override {
        require_cupti(cuptiActivityEnable(kind_of(kind)), tracing);
        enabled_.push_back(kind);
    }

    void enter(std::uint64_t range) override {
        require_cupti(cuptiActivityPushExternalCorrelationId(our_ranges, range), tracing);
        set_range(range);
    }

    void leave(std::uint64_t outer) override {
        require_cupti(cuptiActivityPopExternalCorrelationId(our_ranges, nullptr), tracing);
        set_range(outer);
    }

    Trace collect() override {
        disable_all();
        require_cupti(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), tracing);
        const std::lock_guard guard(sink.lock);
        return std::exchange(trace_, {});
    }

private:
    void disable_all() noexcept {
        for (const Recorded kind : enabled_) {
            cuptiActivityDisable(kind_of(kind));
        }
        enabled_.clear();
    }

    static void CUPTIAPI on_resource(void* self, CUpti_CallbackDomain, CUpti_CallbackId id,
                                     const void* data) {
        const auto* resource = static_cast<const CUpti_ResourceData*>(data);
        const auto* graph = static_cast<const CUpti_GraphData*>(resource->resourceDescriptor);
        static_cast<CuptiActivityCalls*>(self)->add_node(id, *graph);
    }

    void add_node(CUpti_CallbackId id, const CUpti_GraphData& graph) {
        const bool is_copy = id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED;
        std::uint64_t node = 0, original = 0;
        if (cuptiGetGraphNodeId(graph.node, &node) != CUPTI_SUCCESS ||
            (is_copy && cuptiGetGraphNodeId(graph.originalNode, &original) != CUPTI_SUCCESS)) {
            return;
        }
        const std::lock_guard guard(sink.lock);
        if (is_copy) {
            add_or_drop(trace_, [&] { trace_.copies.push_back({node, original}); });
        } else if (range_ != 0) {
            add_or_drop(trace_, [&] { trace_.nodes.push_back({node, range_}); });
        }
    }

    void set_range(std::uint64_t range) {
        const std::lock_guard guard(sink.lock);
        range_ = range;
    }

    CUpti_SubscriberHandle subscriber_ = nullptr;
    std::vector<Recorded> enabled_;
    Trace trace_;              // guarded by sink.lock
    std::uint64_t range_ = 0;  // likewise
};

}  // namespace

std::string cupti_warning() {
    std::uint32_t version = 0;
    return cuptiGetVersion(&version) == CUPTI_SUCCESS
               ? compatibility_of(version, CUPTI_API_VERSION).warning
               : std::string();
}

std::unique_ptr<ActivityCalls> open_activity_calls() {
    return std::make_unique<CuptiActivityCalls>();
}

}  // namespace strata::cuda
