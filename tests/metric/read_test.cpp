// SPDX-License-Identifier: MIT
#include "metric/read.h"

#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

const std::string head = "title = \"Memory\"\ncollected = \"by default\"\n";

std::string refusal_of_metric(const std::string& metric) {
    return error_of([&] { parse_metric_set(head + "metrics = [{" + metric + "}]", "my.toml"); });
}

TEST(ReadMetrics, ASetIsWhatItsFileSays) {
    const MetricSet set = parse_metric_set(
        head +
            "metrics = [{ name = 'a', unit = 'B', meaning = 'm', formula = '2 * x.sum', "
            "stall = 'sync' }]",
        "dir/memory.toml");
    EXPECT_EQ(set.name, "memory");
    EXPECT_EQ(set.collected, Collected::by_default);
    ASSERT_EQ(set.metrics.size(), 1u);
    EXPECT_EQ(set.metrics[0].stall, StallCategory::sync);
    EXPECT_EQ(set.metrics[0].formula.counters(), std::vector<std::string>{"x.sum"});
}

TEST(ReadMetrics, MistakesAreNamedWithTheirPlace) {
    const std::string rest = "unit = '', meaning = 'm', formula = 'x'";
    EXPECT_EQ(refusal_of_metric(rest), "my.toml: metrics 1: name: missing; give it");
    EXPECT_NE(refusal_of_metric("name = 'a', stall = 'lunch', " + rest).find("'lunch'"),
              std::string::npos);
    EXPECT_NE(refusal_of_metric("name = 'a', colour = 'red', " + rest).find("unknown key"),
              std::string::npos);
    EXPECT_NE(refusal_of_metric("name = 'a', unit = '', meaning = 'm', formula = 'x +'")
                  .find("metrics 1: formula"),
              std::string::npos);
    EXPECT_NE(refusal_of_metric("name = 'a', " + rest + "}, {name = 'a', " + rest)
                  .find("metrics 2: name"),
              std::string::npos);
}

TEST(ReadMetrics, InvalidTomlIsRefused) {
    EXPECT_NE(error_of([] { parse_metric_set("title = ", "my.toml"); }).find("my.toml:1:"),
              std::string::npos);
    EXPECT_NE(error_of([] {
                  parse_architecture("name = 3\nchips = []", "my.toml");
              }).find("give it as a text"),
              std::string::npos);
}

TEST(ReadMetrics, AnArchitectureNamesWhatItsChipsLack) {
    const Architecture architecture = parse_architecture(
        "name = 'Turing'\nchips = ['TU102', 'TU116']\n"
        "missing = [{ counters = '*_gmma*', chips = 'TU116', reason = 'none' }]",
        "turing.toml");
    ASSERT_EQ(architecture.gaps.size(), 1u);
    EXPECT_EQ(architecture.gaps[0].chips, "TU116");
}

}  // namespace
}  // namespace strata
