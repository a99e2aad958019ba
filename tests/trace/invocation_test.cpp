// SPDX-License-Identifier: MIT
#include "trace/invocation.h"

#include "tests/trace/scripted_trace.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using Invocations = std::vector<std::optional<std::uint32_t>>;

TEST(Invocation, CountsEachFullNameInTheOrderOfStarts) {
    const std::vector spans = {kernel("sgemm<2>", 30, 40), kernel("sgemm<1>", 50, 60),
                               kernel("sgemm<1>", 10, 20)};
    EXPECT_EQ(invocations_of(spans), (Invocations{1, 2, 1}));
}

TEST(Invocation, CountsEachDeviceByItself) {
    std::vector spans = {kernel("relu", 10, 20), kernel("relu", 11, 20)};
    spans[1].device = 1;
    EXPECT_EQ(invocations_of(spans), (Invocations{1, 1}));
}

TEST(Invocation, CopiesAndKernelsWithoutAStartHaveNone) {
    std::vector spans = {kernel("relu", 0, 0), kernel("host to device", 1, 2),
                         kernel("relu", 5, 6)};
    spans[1].kind = SpanKind::copy;
    EXPECT_EQ(invocations_of(spans), (Invocations{std::nullopt, std::nullopt, 1}));
}

}  // namespace
}  // namespace strata
