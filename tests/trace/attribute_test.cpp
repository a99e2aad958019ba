// SPDX-License-Identifier: MIT
#include "trace/attribute.h"

#include "tests/trace/scripted_trace.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

constexpr Task second_backward{.layer = 1, .pass = Pass::backward_data};

// The attribution of a trace's only span.
Attribution only(Trace trace, const Span& span) {
    trace.spans = {span};
    return attribute(trace).at(0);
}

TEST(Attribute, LayersWhoseKernelsHaveOneNameStayApart) {
    const Trace trace{.spans = {called(11, "sgemm", 100, 200), called(12, "sgemm", 200, 900)},
                      .ranges = {{.id = 1, .task = first}, {.id = 2, .task = second}},
                      .calls = {{11, 1}, {12, 2}}};
    const auto attributions = attribute(trace);
    EXPECT_EQ(attributions[0].task, first);
    EXPECT_EQ(attributions[1].task, second);
    EXPECT_EQ(attributions[1].evidence, Evidence::call);
}

TEST(Attribute, PassesOfOneLayerStayApart) {
    const Trace trace{.spans = {called(11, "dgrad", 1, 2), called(12, "dgrad", 2, 3)},
                      .ranges = {{.id = 1, .task = second}, {.id = 2, .task = second_backward}},
                      .calls = {{11, 1}, {12, 2}}};
    EXPECT_EQ(attribute(trace)[0].task, second);
    EXPECT_EQ(attribute(trace)[1].task, second_backward);
}

TEST(Attribute, TheOrderOfRecordsDoesNotMatter) {
    Trace trace{.spans = {called(11, "a", 1, 2), called(12, "a", 2, 3), called(13, "a", 3, 4)},
                .ranges = {{.id = 1, .task = first}, {.id = 2, .parent = 1, .task = second}},
                .calls = {{11, 1}, {12, 2}, {13, 1}}};
    std::ranges::reverse(trace.spans);
    std::ranges::reverse(trace.calls);
    std::ranges::reverse(trace.ranges);
    const auto attributions = attribute(trace);
    EXPECT_EQ(attributions[0].task, first);
    EXPECT_EQ(attributions[1].task, second);
    EXPECT_EQ(attributions[2].task, first);
}

TEST(Attribute, ARangeWithoutATaskHasThatOfTheRangeAroundIt) {
    const Trace nested{.ranges = {{.id = 9},
                                  {.id = 1, .parent = 9, .task = first},
                                  {.id = 5, .parent = 1},
                                  {.id = 6, .parent = 5}},
                       .calls = {{11, 6}, {12, 9}}};
    const Attribution inner = only(nested, called(11, "a", 1, 2));
    EXPECT_EQ(inner.task, first);
    EXPECT_EQ(inner.range, 6u);
    EXPECT_EQ(only(nested, called(12, "a", 1, 2)).evidence, Evidence::no_task);
}

TEST(Attribute, TheInnermostOfACallsNestedRangesCounts) {
    Trace nested{.ranges = {{.id = 1, .task = first}, {.id = 2, .parent = 1, .task = second}},
                 .calls = {{11, 1}, {11, 2}}};
    EXPECT_EQ(only(nested, called(11, "a", 1, 2)).task, second);
    std::ranges::reverse(nested.calls);
    EXPECT_EQ(only(nested, called(11, "a", 1, 2)).task, second);
}

TEST(Attribute, ACallInRangesOfTwoLayersIsGivenToNeither) {
    const Trace torn{.ranges = {{.id = 1, .task = first}, {.id = 2, .task = second}},
                     .calls = {{11, 1}, {11, 2}}};
    const Attribution attribution = only(torn, called(11, "a", 1, 2));
    EXPECT_FALSE(attribution.task);
    EXPECT_EQ(attribution.evidence, Evidence::two_tasks);
}

TEST(Attribute, ACallRecordedTwiceInOneRangeStillBelongsToIt) {
    const Trace twice{.ranges = {{.id = 1, .task = first}}, .calls = {{11, 1}, {11, 1}}};
    EXPECT_EQ(only(twice, called(11, "a", 1, 2)).task, first);
}

TEST(Attribute, ADroppedRecordLeavesItsKernelUnattributed) {
    const Trace dropped{.ranges = {{.id = 1, .task = first}}, .calls = {{11, 1}}, .dropped = 1};
    EXPECT_EQ(only(dropped, called(12, "a", 1, 2)).evidence, Evidence::no_record);
    EXPECT_EQ(only(dropped, kernel("a", 1, 2)).evidence, Evidence::no_record);
    const Trace lost{.calls = {{11, 8}}};
    EXPECT_EQ(only(lost, called(11, "a", 1, 2)).evidence, Evidence::unknown_range);
}

TEST(Attribute, KernelsOfAGraphLaunchAreDistinguishedByTheirNodes) {
    const Trace trace{.spans = {launched(31, "sgemm", 1, 2), launched(32, "sgemm", 2, 3)},
                      .ranges = {{.id = 1, .task = first}, {.id = 2, .task = second}},
                      .calls = {{77, 1}},
                      .nodes = {{21, 1}, {22, 2}},
                      .copies = {{32, 22}, {31, 25}, {25, 21}}};
    const auto attributions = attribute(trace);
    EXPECT_EQ(attributions[0].task, first);
    EXPECT_EQ(attributions[1].task, second);
    EXPECT_EQ(attributions[1].evidence, Evidence::node);
}

TEST(Attribute, AnUnknownNodeIsNotGivenToTheRangeOfTheLaunch) {
    const Trace trace{.ranges = {{.id = 1, .task = first}}, .calls = {{77, 1}}};
    EXPECT_EQ(only(trace, launched(31, "a", 1, 2)).evidence, Evidence::unknown_node);
}

TEST(Attribute, CyclesOfRecordsTerminate) {
    const Trace nodes{.copies = {{31, 32}, {32, 31}}};
    EXPECT_EQ(only(nodes, launched(31, "a", 1, 2)).evidence, Evidence::unknown_node);
    const Trace ranges{.ranges = {{.id = 1, .parent = 2}, {.id = 2, .parent = 1}},
                       .calls = {{11, 1}}};
    EXPECT_EQ(only(ranges, called(11, "a", 1, 2)).evidence, Evidence::no_task);
}

}  // namespace
}  // namespace strata
