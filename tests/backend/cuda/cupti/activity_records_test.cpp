// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/activity_records.h"

#include <gtest/gtest.h>

#include <limits>

namespace strata::cuda {
namespace {

template <class Record>
Record record_of(CUpti_ActivityKind kind) {
    Record record{};
    record.kind = kind;
    return record;
}

template <class Record>
Trace traced(const Record& record) {
    Trace trace;
    add_record(reinterpret_cast<const CUpti_Activity&>(record), trace);
    return trace;
}

CUpti_ActivityKernel9 kernel_record() {
    auto record = record_of<CUpti_ActivityKernel9>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    record.start = 1'795'000'000'000'000'123;
    record.end = record.start + 4567;
    record.deviceId = 1;
    record.streamId = 7;
    record.gridX = 132, record.gridY = 2, record.gridZ = 1;
    record.blockX = 128, record.blockY = 1, record.blockZ = 1;
    record.registersPerThread = 168;
    record.staticSharedMemory = 1024;
    record.dynamicSharedMemory = 200'000;
    record.correlationId = 99;
    record.graphNodeId = 0x1'0000'0005;
    record.name = "_Z5scaleIfLi128EEvPT_i";
    return record;
}

TEST(ActivityRecords, AKernelKeepsEverythingToTheNanosecond) {
    const Trace trace = traced(kernel_record());
    ASSERT_EQ(trace.spans.size(), 1u);
    const Span& span = trace.spans[0];
    EXPECT_EQ(span.kind, SpanKind::kernel);
    EXPECT_EQ(span.start.count(), 1'795'000'000'000'000'123);
    EXPECT_EQ(duration_of(span).count(), 4567);
    EXPECT_EQ(span.device, 1u);
    EXPECT_EQ(span.stream, 7u);
    EXPECT_EQ(span.correlation, 99u);
    EXPECT_EQ(span.graph_node, 0x1'0000'0005u);
    const LaunchShape expected{.grid = {132, 2, 1},
                               .block = {128, 1, 1},
                               .registers = 168,
                               .static_shared = {1024},
                               .dynamic_shared = {200'000}};
    EXPECT_EQ(span.launch, expected);
}

TEST(ActivityRecords, NamesAreReadableWithTheirTemplateArguments) {
    EXPECT_EQ(traced(kernel_record()).spans[0].name, "void scale<float, 128>(float*, int)");
    auto plain = kernel_record();
    plain.name = "sm90_xmma_gemm_f32f32";
    EXPECT_EQ(traced(plain).spans[0].name, "sm90_xmma_gemm_f32f32");
    plain.name = nullptr;
    EXPECT_EQ(traced(plain).spans[0].name, "unnamed");
}

TEST(ActivityRecords, StampsThatWereNotTakenHaveNoTime) {
    auto record = kernel_record();
    record.start = 0;
    EXPECT_FALSE(is_timed(traced(record).spans[0]));
    record = kernel_record();
    record.end = std::numeric_limits<std::uint64_t>::max();
    EXPECT_FALSE(is_timed(traced(record).spans[0]));
}

TEST(ActivityRecords, CopiesAndFillsSayHowMuchAndWhereTo) {
    auto copy = record_of<CUpti_ActivityMemcpy5>(CUPTI_ACTIVITY_KIND_MEMCPY);
    copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    copy.bytes = 4096;
    EXPECT_EQ(traced(copy).spans[0].name, "host to device");
    EXPECT_EQ(traced(copy).spans[0].kind, SpanKind::copy);
    EXPECT_EQ(traced(copy).spans[0].bytes, Bytes{4096});
    auto fill = record_of<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
    fill.bytes = 64;
    EXPECT_EQ(traced(fill).spans[0].kind, SpanKind::fill);
    EXPECT_FALSE(traced(fill).spans[0].launch);
}

TEST(ActivityRecords, OnlyRangesOfOurOwnKindCount) {
    auto range =
        record_of<CUpti_ActivityExternalCorrelation>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
    range.externalKind = our_ranges;
    range.externalId = 17;
    range.correlationId = 99;
    ASSERT_EQ(traced(range).calls.size(), 1u);
    EXPECT_EQ(traced(range).calls[0].range, 17u);
    range.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
    EXPECT_TRUE(traced(range).calls.empty());
}

TEST(ActivityRecords, OtherKindsAreIgnored) {
    const auto call = record_of<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
    const Trace trace = traced(call);
    EXPECT_TRUE(trace.spans.empty());
    EXPECT_TRUE(trace.calls.empty());
}

}  // namespace
}  // namespace strata::cuda
