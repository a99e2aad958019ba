// SPDX-License-Identifier: MIT
#include "metric/formula.h"

#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

MetricValue value(const std::string& text, const CounterValues& values = {}) {
    return MetricFormula::parse(text).evaluate(values);
}

double number(const std::string& text, const CounterValues& values = {}) {
    return std::get<double>(value(text, values));
}

std::string refusal(const std::string& text) {
    return error_of([&] { MetricFormula::parse(text); });
}

TEST(Formula, FollowsPrecedenceAndOrder) {
    EXPECT_DOUBLE_EQ(number("2 + 3 * 4"), 14);
    EXPECT_DOUBLE_EQ(number("(2 + 3) * 4"), 20);
    EXPECT_DOUBLE_EQ(number("20 - 5 - 3"), 12);
    EXPECT_DOUBLE_EQ(number("100 / 5 / 4"), 5);
    EXPECT_DOUBLE_EQ(number("-2 * -(3 + 1)"), 8);
    EXPECT_DOUBLE_EQ(number("1e-9 * 2.5e+3"), 2.5e-6);
}

TEST(Formula, ReadsCountersByTheirWholeNames) {
    const CounterValues values = {{"lts__t_sectors.sum", 50.0}, {"lts__t_sectors.avg", 2.0}};
    EXPECT_DOUBLE_EQ(number("lts__t_sectors.sum / lts__t_sectors.avg", values), 25);
}

TEST(Formula, NamesItsCountersOnceInTheirOrder) {
    EXPECT_EQ(MetricFormula::parse("b.sum / (a.sum + b.sum)").counters(),
              (std::vector<std::string>{"b.sum", "a.sum"}));
}

TEST(Formula, ACounterWithoutAValueLeavesItWithoutOneForTheSameReason) {
    const CounterValues values = {{"a", 1.0}, {"b", NoValue{"the profiler was denied"}}};
    EXPECT_EQ(value("a + 2 * b", values), MetricValue(NoValue{"the profiler was denied"}));
    EXPECT_EQ(value("-b", values), MetricValue(NoValue{"the profiler was denied"}));
    EXPECT_EQ(value("a - c", values), MetricValue(NoValue{"c was not counted"}));
}

TEST(Formula, ADivisionByZeroHasNoValue) {
    EXPECT_EQ(value("100 * a / b", {{"a", 0.0}, {"b", 0.0}}),
              MetricValue(NoValue{"its divisor is 0"}));
}

TEST(Formula, AnOverflowHasNoValue) {
    EXPECT_TRUE(std::holds_alternative<NoValue>(value("a * a", {{"a", 1e300}})));
}

TEST(Formula, AnInvalidFormulaIsRefusedWithItsPosition) {
    EXPECT_NE(refusal("a + ").find("at character 5"), std::string::npos);
    EXPECT_NE(refusal("(a + b").find("closing bracket"), std::string::npos);
    EXPECT_NE(refusal("a b").find("after its end"), std::string::npos);
    EXPECT_NE(refusal("1.2.3").find("invalid number"), std::string::npos);
    EXPECT_NE(refusal("").find("lacks a number"), std::string::npos);
    EXPECT_NE(refusal("a # b").find("at character 3"), std::string::npos);
}

TEST(Formula, HostileTextsEnd) {
    EXPECT_NE(refusal(std::string(1000, '(')).find("too many nested brackets"), std::string::npos);
    EXPECT_NE(refusal(std::string(1000, '-')).find("too many nested brackets"), std::string::npos);
    EXPECT_NE(refusal(std::string(100000, 'a')).find("too long"), std::string::npos);
}

}  // namespace
}  // namespace strata
