// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/activity_records.h"

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

namespace strata::cuda {

namespace {

// The records of CUDA 12.4. A later library writes longer ones that begin alike.
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
using FillRecord = CUpti_ActivityMemset4;

// Checks that the fields that are read have the same offsets in the present header as in CUDA 12.4.
#define STRATA_SAME_PLACE(field, newest, read)                        \
    static_assert(offsetof(newest, field) == offsetof(read, field) && \
                  sizeof(newest::field) == sizeof(read::field))
#define STRATA_SAME_SPAN(newest, read)              \
    STRATA_SAME_PLACE(kind, newest, read);          \
    STRATA_SAME_PLACE(start, newest, read);         \
    STRATA_SAME_PLACE(end, newest, read);           \
    STRATA_SAME_PLACE(deviceId, newest, read);      \
    STRATA_SAME_PLACE(streamId, newest, read);      \
    STRATA_SAME_PLACE(correlationId, newest, read); \
    STRATA_SAME_PLACE(graphNodeId, newest, read)
STRATA_SAME_SPAN(STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_SPAN(STRATA_CUPTI_COPY, CopyRecord);
STRATA_SAME_SPAN(STRATA_CUPTI_FILL, FillRecord);
STRATA_SAME_PLACE(name, STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_PLACE(gridX, STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_PLACE(gridY, STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_PLACE(gridZ, STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_PLACE(blockX, STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_PLACE(blockY, STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_PLACE(blockZ, STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_PLACE(registersPerThread, STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_PLACE(staticSharedMemory, STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_PLACE(dynamicSharedMemory, STRATA_CUPTI_KERNEL, KernelRecord);
STRATA_SAME_PLACE(bytes, STRATA_CUPTI_COPY, CopyRecord);
STRATA_SAME_PLACE(copyKind, STRATA_CUPTI_COPY, CopyRecord);
STRATA_SAME_PLACE(bytes, STRATA_CUPTI_FILL, FillRecord);

// A stamp beyond 292 years is invalid.
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

Span kernel_span(const KernelRecord& record) {
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
        trace.spans.push_back(kernel_span(as<KernelRecord>(record)));
    } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        const auto& copy = as<CopyRecord>(record);
        trace.spans.push_back(moved_span(copy, SpanKind::copy, direction(copy.copyKind)));
    } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        trace.spans.push_back(moved_span(as<FillRecord>(record), SpanKind::fill, "fill"));
    } else if (record.kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
        const auto& range = as<CUpti_ActivityExternalCorrelation>(record);
        if (range.externalKind == our_ranges) {
            trace.calls.push_back({range.correlationId, range.externalId});
        }
    }
}

}  // namespace strata::cuda
