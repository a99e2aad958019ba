// SPDX-License-Identifier: MIT
#include "view/chrome_trace.h"

#include "base/error.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace strata {
namespace {

using Json = nlohmann::json;

TracedSpan kernel(const char* layer, std::int64_t start, std::int64_t end) {
    return {.span = {.name = "void gemm<float>(\"\xff\")",
                     .stream = 7,
                     .start = Nanoseconds(start),
                     .end = Nanoseconds(end),
                     .launch = LaunchShape{.grid = {4, 2, 1}}},
            .layer = layer,
            .pass = Pass::forward,
            .evidence = Evidence::node};
}

// Two kernels of one layer, one of another, a copy without a layer, and a kernel without stamps.
strata::Run traced_run() {
    strata::Run run;
    run.id = 3;
    run.trace = TraceResult{.device = "NVIDIA H200",
                            .spans = {kernel("conv1", 1000, 2000), kernel("conv1", 2500, 3000),
                                      kernel("relu1", 3000, 3500)}};
    run.trace->spans.push_back({.span = {.kind = SpanKind::copy,
                                         .name = "device to host",
                                         .stream = 9,
                                         .start = Nanoseconds(4000),
                                         .end = Nanoseconds(4100),
                                         .bytes = Bytes{64}}});
    run.trace->spans.push_back(kernel("relu1", 0, 0));
    return run;
}

std::vector<Json> events_of(const std::string& category) {
    std::vector<Json> events;
    const Json file = Json::parse(chrome_trace_json(traced_run()));
    for (const Json& event : file["traceEvents"]) {
        if (event.value("cat", "") == category) {
            events.push_back(event);
        }
    }
    return events;
}

TEST(ChromeTrace, HoldsEverySpanThatHasATime) {
    const auto kernels = events_of("kernel");
    ASSERT_EQ(kernels.size(), 3u);
    EXPECT_EQ(kernels[1]["ts"], 1.5);
    EXPECT_EQ(kernels[1]["dur"], 0.5);
    EXPECT_EQ(kernels[1]["tid"], 7);
    EXPECT_EQ(kernels[1]["args"]["grid"], "4x2x1");
    EXPECT_EQ(events_of("copy").size(), 1u);
}

TEST(ChromeTrace, ALayersPassSpansItsKernelsInARow) {
    const auto layers = events_of("layer");
    ASSERT_EQ(layers.size(), 2u);
    EXPECT_EQ(layers[0]["name"], "conv1 forward");
    EXPECT_EQ(layers[0]["ts"], 0.0);
    EXPECT_EQ(layers[0]["dur"], 2.0);
    EXPECT_EQ(layers[1]["name"], "relu1 forward");
}

TEST(ChromeTrace, NamesItsTracks) {
    const std::string text = chrome_trace_json(traced_run());
    for (const char* name : {"NVIDIA H200", "\"layers\"", "stream 7", "stream 9"}) {
        EXPECT_NE(text.find(name), std::string::npos) << name;
    }
}

TEST(ChromeTrace, ARunWithoutATraceIsRefusedWithTheFix) {
    strata::Run run;
    try {
        chrome_trace_json(run);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_NE(std::string(error.what()).find("--trace"), std::string::npos);
    }
}

}  // namespace
}  // namespace strata
