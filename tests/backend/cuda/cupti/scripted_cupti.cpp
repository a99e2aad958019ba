// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/cupti/scripted_cupti.h"

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace strata::testing {

namespace {

constexpr std::size_t record_bytes = 512;  // more than any record that is written

struct Buffer {
    std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
    std::size_t records = 0;
};

// All state. What outlives a test also outlives a trace in a process.
struct Cupti {
    ScriptedCupti script;
    CUpti_CallbackFunc callback = nullptr;
    std::set<CUpti_CallbackId> callbacks;
    CUpti_BuffersCallbackRequestFunc give_buffer = nullptr;
    CUpti_BuffersCallbackCompleteFunc take_buffer = nullptr;
    std::set<CUpti_ActivityKind> kinds;
    std::vector<std::uint64_t> external;
    std::vector<Buffer> buffers;  // not handed over yet
    std::size_t dropped = 0;
    std::uint32_t correlation = 0;
    std::uint64_t node = 0;
    std::uint64_t clock = 1'000'000;
    std::list<std::string> names;  // that records point to
    bool is_probing = false;
    // ---- the range profiler
    bool is_profiling = false;
    bool is_in_pass = false;
    std::size_t passes_done = 0;
    std::vector<std::string> ranges;
};

Cupti& cupti() {
    static auto* all = new Cupti;  // outlives everything that calls CUPTI while the process ends
    return *all;
}

void violate(const std::string& what) {
    cupti().script.violations.push_back(what);
}

// The result of a function that does nothing else; each call is noted.
CUptiResult begin(const char* function) {
    ScriptedCupti& script = cupti().script;
    script.calls.emplace_back(function);
    return script.fails_at == function ? static_cast<CUptiResult>(script.code) : CUPTI_SUCCESS;
}

// Runs on one of CUPTI's own threads. A call that does not return waits for a lock of its caller;
// the limit only ends a test that has failed.
void run_on_worker(const std::function<void()>& work) {
    auto done = std::make_shared<std::promise<void>>();
    const auto is_done = done->get_future();
    std::thread([work, done] {
        work();
        done->set_value();
    }).detach();
    if (is_done.wait_for(std::chrono::seconds(20)) != std::future_status::ready) {
        violate("a lock was held while CUPTI was called");
    }
}

// A callback from another thread while this one is in CUPTI.
void call_back_meanwhile() {
    Cupti& all = cupti();
    const bool has_waited = !all.script.violations.empty();  // once is enough
    if (all.take_buffer == nullptr || has_waited || std::exchange(all.is_probing, true)) {
        return;
    }
    run_on_worker([&] { all.take_buffer(nullptr, 0, nullptr, 0, 0); });
    all.is_probing = false;
}

void hand_over(const Buffer& buffer) {
    run_on_worker([&] {
        cupti().take_buffer(nullptr, 0, buffer.bytes, buffer.size, buffer.records * record_bytes);
    });
}

// The buffer with room for a record; null if the client gives none.
Buffer* open_buffer() {
    Cupti& all = cupti();
    const auto has_room = [&](const Buffer& buffer) {
        return buffer.records < all.script.records_in_buffer;
    };
    if (!all.buffers.empty() && has_room(all.buffers.back())) {
        return &all.buffers.back();
    }
    Buffer buffer;
    std::size_t most = 0;
    all.give_buffer(&buffer.bytes, &buffer.size, &most);
    return buffer.bytes == nullptr ? nullptr : &all.buffers.emplace_back(buffer);
}

template <class Record>
void write_record(const Record& record) {
    static_assert(sizeof(Record) <= record_bytes);
    Cupti& all = cupti();
    if (!all.kinds.contains(record.kind)) {
        return;
    }
    Buffer* buffer = all.script.drops > 0 ? nullptr : open_buffer();
    if (buffer == nullptr) {
        all.script.drops -= std::min<std::size_t>(all.script.drops, 1);
        ++all.dropped;
        return;
    }
    std::memcpy(buffer->bytes + buffer->records++ * record_bytes, &record, sizeof(record));
}

template <class Record>
Record record_of(CUpti_ActivityKind kind) {
    Record record{};
    record.kind = kind;
    return record;
}

// The records of a call of the runtime, and of the driver call that it makes.
std::uint32_t call() {
    Cupti& all = cupti();
    const std::uint32_t first = all.correlation + 1;
    for (const auto kind : {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER}) {
        ++all.correlation;
        if (!all.external.empty() && all.kinds.contains(kind)) {
            auto external = record_of<CUpti_ActivityExternalCorrelation>(
                CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
            external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
            external.externalId = all.external.back();
            external.correlationId = all.correlation;
            write_record(external);
        }
        auto api = record_of<CUpti_ActivityAPI>(kind);
        api.correlationId = all.correlation;
        write_record(api);
    }
    return first;
}

void work_on(const std::string& kernel, std::uint32_t correlation, std::uint64_t node) {
    Cupti& all = cupti();
    auto record = record_of<CUpti_ActivityKernel9>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    record.name = all.names.emplace_back(kernel).c_str();
    record.start = all.clock += 10;
    record.end = all.clock += 100;
    record.correlationId = correlation;
    record.graphNodeId = node;
    write_record(record);
}

CUgraphNode handle_of(std::uint64_t node) {
    return reinterpret_cast<CUgraphNode>(node);
}

// The worst that the header allows: the thread that creates a node is within CUPTI.
void tell_of_node(CUpti_CallbackIdResource id, std::uint64_t node, std::uint64_t original) {
    Cupti& all = cupti();
    if (all.callback == nullptr || !all.callbacks.contains(id)) {
        return;
    }
    CUpti_GraphData graph{};
    graph.node = handle_of(node);
    graph.originalNode = handle_of(original);
    CUpti_ResourceData resource{};
    resource.resourceDescriptor = &graph;
    all.callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, id, &resource);
}

}  // namespace

ScriptedCupti& scripted_cupti() {
    return cupti().script;
}

void restart_scripted_cupti() {
    const ScriptedCupti before = std::exchange(cupti().script, {});
    cupti().script.sessions = before.sessions;
    cupti().script.is_subscribed = before.is_subscribed;
    cupti().script.enabled_kinds = before.enabled_kinds;
    cupti().dropped = 0;
    cupti().is_profiling = cupti().is_in_pass = false;
    cupti().passes_done = 0;
    cupti().ranges.clear();
}

void launch_kernel(const std::string& name) {
    work_on(name, call(), 0);
}

void ScriptedGraph::capture(const std::string& kernel) {
    call();
    nodes_.push_back({++cupti().node, kernel});
    tell_of_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, nodes_.back().id, 0);
}

void ScriptedGraph::instantiate() {
    call();
    for (Node& node : nodes_) {
        const std::uint64_t original = std::exchange(node.id, ++cupti().node);
        tell_of_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, node.id, original);
    }
}

void ScriptedGraph::launch() const {
    const std::uint32_t right = call();
    const ScriptedCupti& script = cupti().script;
    const bool is_right = script.sessions <= 1 || script.has_right_ids_again;
    for (const Node& node : nodes_) {
        work_on(node.kernel, is_right ? right : 1, node.id);
    }
}

}  // namespace strata::testing

using namespace strata::testing;  // CUPTI's functions stand outside of any namespace

CUptiResult cuptiGetVersion(std::uint32_t* version) {
    *version = CUPTI_API_VERSION;
    return begin(__func__);
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void*) {
    if (const CUptiResult result = begin(__func__); result != CUPTI_SUCCESS) {
        return result;
    }
    ScriptedCupti& script = cupti().script;
    if (script.has_other_subscriber || script.is_subscribed) {
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    script.is_subscribed = true;
    cupti().callback = callback;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&cupti());
    return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
    if (subscriber == nullptr || !cupti().script.is_subscribed) {
        return CUPTI_ERROR_INVALID_PARAMETER;
    }
    cupti().script.is_subscribed = false;
    cupti().callback = nullptr;
    cupti().callbacks.clear();
    return begin(__func__);
}

CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    if (subscriber == nullptr || domain != CUPTI_CB_DOMAIN_RESOURCE) {
        return CUPTI_ERROR_INVALID_PARAMETER;
    }
    const CUptiResult result = begin(__func__);
    if (result == CUPTI_SUCCESS && enable != 0) {
        cupti().callbacks.insert(id);
    }
    return result;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc give,
                                           CUpti_BuffersCallbackCompleteFunc take) {
    const CUptiResult result = begin(__func__);
    if (result == CUPTI_SUCCESS) {
        cupti().give_buffer = give;
        cupti().take_buffer = take;
    }
    return result;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    const CUptiResult result = begin(__func__);
    if (result != CUPTI_SUCCESS) {
        return result;
    }
    Cupti& all = cupti();
    if (all.is_profiling) {
        violate("tracing was enabled while counters were read");
    }
    all.script.sessions += all.kinds.empty() ? 1 : 0;
    all.kinds.insert(kind);
    all.script.enabled_kinds = static_cast<int>(all.kinds.size());
    return result;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    cupti().kinds.erase(kind);
    cupti().script.enabled_kinds = static_cast<int>(cupti().kinds.size());
    return begin(__func__);
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
    if (const CUptiResult result = begin(__func__); result != CUPTI_SUCCESS) {
        return result;
    }
    Cupti& all = cupti();
    if (all.take_buffer == nullptr) {
        return CUPTI_ERROR_INVALID_OPERATION;
    }
    if (flag != CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) {
        violate("a flush that leaves buffers behind");
    }
    const auto buffers = std::exchange(all.buffers, {});
    std::for_each(buffers.rbegin(), buffers.rend(), hand_over);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
    *dropped = std::exchange(cupti().dropped, 0);
    return begin(__func__);
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t bytes,
                                       CUpti_Activity** record) {
    if (buffer == nullptr) {
        return CUPTI_ERROR_INVALID_PARAMETER;
    }
    std::size_t place = 0;
    if (*record == nullptr) {
        call_back_meanwhile();
    } else {
        const auto* previous = reinterpret_cast<std::uint8_t*>(*record);
        place = static_cast<std::size_t>(previous - buffer) / record_bytes + 1;
    }
    if (place * record_bytes >= bytes) {
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    }
    if (std::size_t& incomplete = cupti().script.incomplete_record; incomplete == place + 1) {
        incomplete = 0;
        return CUPTI_ERROR_INVALID_KIND;
    }
    *record = reinterpret_cast<CUpti_Activity*>(buffer + place * record_bytes);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind,
                                                   std::uint64_t id) {
    const ScriptedCupti& script = cupti().script;
    if (script.fails_at == __func__) {
        return static_cast<CUptiResult>(script.code);
    }
    cupti().external.push_back(id);
    cupti().script.external_ids = cupti().external.size();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind, std::uint64_t*) {
    const ScriptedCupti& script = cupti().script;
    if (script.fails_at == __func__) {
        return static_cast<CUptiResult>(script.code);
    }
    if (cupti().external.empty()) {
        return CUPTI_ERROR_QUEUE_EMPTY;
    }
    cupti().external.pop_back();
    cupti().script.external_ids = cupti().external.size();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* id) {
    if (node == nullptr) {
        return CUPTI_ERROR_INVALID_PARAMETER;
    }
    call_back_meanwhile();
    *id = reinterpret_cast<std::uint64_t>(node);
    return begin(__func__);
}

// ---- the range profiler

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* block) {
    Cupti& all = cupti();
    if (!all.kinds.empty()) {
        violate("counters were read while tracing was enabled");
    }
    if (!all.script.is_subscribed) {
        violate("counters were read without a subscription");
    }
    all.is_profiling = true;
    all.passes_done = 0;
    all.ranges.clear();
    block->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&all);
    return begin(__func__);
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
    cupti().is_profiling = false;
    return begin(__func__);
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* block) {
    block->counterDataSize = 64;
    return begin(__func__);
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
    return begin(__func__);
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params*) {
    return begin(__func__);
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
    if (!cupti().is_profiling || std::exchange(cupti().is_in_pass, true)) {
        return CUPTI_ERROR_INVALID_OPERATION;
    }
    cupti().ranges.clear();
    return begin(__func__);
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* block) {
    if (!std::exchange(cupti().is_in_pass, false)) {
        return CUPTI_ERROR_INVALID_OPERATION;
    }
    block->isAllPassSubmitted = ++cupti().passes_done >= cupti().script.passes ? 1 : 0;
    return begin(__func__);
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* block) {
    if (!cupti().is_in_pass) {
        return CUPTI_ERROR_INVALID_OPERATION;
    }
    cupti().ranges.emplace_back(block->pRangeName);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params*) {
    return cupti().is_in_pass ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* block) {
    block->numOfRangeDropped = 0;
    return cupti().is_in_pass ? CUPTI_ERROR_INVALID_OPERATION : begin(__func__);
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(
    CUpti_RangeProfiler_GetCounterDataInfo_Params* block) {
    block->numTotalRanges = cupti().ranges.size();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params* block) {
    block->rangeName = cupti().ranges.at(block->rangeIndex).c_str();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* block) {
    std::fill_n(block->pMetricValues, block->numMetrics, 1.0);
    return CUPTI_SUCCESS;
}
