// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/activity_records.h"

#include <cxxabi.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

namespace strata::cuda {

namespace {

// A time stamp beyond 292 years is treated as missing.
Nanoseconds stamp(std::uint64_t time) {
    constexpr auto maximum = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return Nanoseconds(time > maximum ? 0 : static_cast<std::int64_t>(time));
}

// The name as in the source, with template arguments; a name that is not mangled is unchanged.
std::string readable(const char* name) {
    if (name == nullptr) {
        return "unnamed";
    }
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    return status == 0 && plain != nullptr ? plain.get() : name;
}

// The fields common to all records of device work.
template <class Record>
Span span_of(const Record& record, SpanKind kind, std::string name) {
    return {.kind = kind,
            .name = std::move(name),
            .device = record.deviceId,
            .stream = record.streamId,
            .start = stamp(record.start),
            .end = stamp(record.end),
            .correlation = record.correlationId,
            .graph_node = record.graphNodeId};
}

std::uint32_t extent(std::int32_t value) {
    return value < 0 ? 0U : static_cast<std::uint32_t>(value);
}

Span kernel_span(const CUpti_ActivityKernel10& record) {
    Span span = span_of(record, SpanKind::kernel, readable(record.name));
    span.launch =
        LaunchShape{.grid = {extent(record.gridX), extent(record.gridY), extent(record.gridZ)},
                    .block = {extent(record.blockX), extent(record.blockY), extent(record.blockZ)},
                    .registers = record.registersPerThread,
                    .static_shared = {static_cast<double>(record.staticSharedMemory)},
                    .dynamic_shared = {static_cast<double>(record.dynamicSharedMemory)}};
    return span;
}

const char* direction(std::uint8_t kind) {
    switch (kind) {
        case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
            return "host to device";
        case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
            return "device to host";
        case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
            return "device to device";
        case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
            return "device to another device";
        default:
            return "copy";
    }
}

template <class Record>
Span moved_span(const Record& record, SpanKind kind, const char* name) {
    Span span = span_of(record, kind, name);
    span.bytes = Bytes{static_cast<double>(record.bytes)};
    return span;
}

// Records of every kind begin with the kind, which determines the rest.
template <class Record>
const Record& as(const CUpti_Activity& record) {
    return reinterpret_cast<const Record&>(record);
}

}  // namespace

void add_record(const CUpti_Activity& record, Trace& trace) {
    if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ||
        record.kind == CUPTI_ACTIVITY_KIND_KERNEL) {
        trace.spans.push_back(kernel_span(as<CUpti_ActivityKernel10>(record)));
    } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        const auto& copy = as<CUpti_ActivityMemcpy6>(record);
        trace.spans.push_back(moved_span(copy, SpanKind::copy, direction(copy.copyKind)));
    } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        trace.spans.push_back(
            moved_span(as<CUpti_ActivityMemset4>(record), SpanKind::fill, "fill"));
    } else if (record.kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
        const auto& range = as<CUpti_ActivityExternalCorrelation>(record);
        if (range.externalKind == our_ranges) {
            trace.calls.push_back({range.correlationId, range.externalId});
        }
    }
}

}  // namespace strata::cuda
