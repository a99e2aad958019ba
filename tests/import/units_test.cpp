// SPDX-License-Identifier: MIT
#include "import/units.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Units, OnlyTheToolsNamesOfUnitsOfTimeAreKnown) {
    for (const char* name : {"us", "usec", "usecond", "microseconds", "\xC2\xB5s"}) {
        EXPECT_EQ(time_unit(name), TimeUnit::microsecond) << name;
    }
    EXPECT_EQ(time_unit("ms"), TimeUnit::millisecond);
    EXPECT_EQ(time_unit("second"), TimeUnit::second);
    EXPECT_EQ(time_unit("nsecond"), TimeUnit::nanosecond);
    for (const char* name : {"", "fortnight", "Ms", "m", "cycle"}) {
        EXPECT_FALSE(time_unit(name)) << name;
    }
}

struct CounterCase {
    const char* name;
    double factor;
    const char* plain;
};

TEST(Units, CountersPrefixesAreFactorsAndRatesArePerSecond) {
    for (const CounterCase& one :
         {CounterCase{"Mbyte", 1e6, "B"}, CounterCase{"GB/s", 1e9, "B/s"},
          CounterCase{"Gbyte/second", 1e9, "B/s"}, CounterCase{"byte/nsecond", 1e9, "B/s"},
          CounterCase{"KiB", 1024, "B"}, CounterCase{"Ghz", 1e9, "Hz"},
          CounterCase{"cycle/nsecond", 1e9, "cycle/s"}, CounterCase{"inst/cycle", 1, "inst/cycle"},
          CounterCase{"Kbyte/block", 1e3, "B/block"}, CounterCase{"us", 1e3, "ns"},
          CounterCase{"msecond", 1e6, "ns"}, CounterCase{"%", 1, "%"}, CounterCase{"", 1, ""},
          CounterCase{"register/thread", 1, "register/thread"}}) {
        const auto unit = counter_unit(one.name);
        ASSERT_TRUE(unit) << one.name;
        EXPECT_DOUBLE_EQ(unit->factor, one.factor) << one.name;
        EXPECT_EQ(unit->name, one.plain) << one.name;
    }
    for (const char* name : {"Qbyte", "furlong", "byte/fortnight", "us/us", "mbyte"}) {
        EXPECT_FALSE(counter_unit(name)) << name;
    }
}

TEST(Units, ATimeIsExactToTheNanosecondInEveryUnit) {
    EXPECT_EQ(parse_time("1234567890123.456", TimeUnit::microsecond),
              Nanoseconds(1234567890123456));
    EXPECT_EQ(parse_time("0.0000015", TimeUnit::second), Nanoseconds(1500));
    EXPECT_EQ(parse_time("2.5", TimeUnit::millisecond), Nanoseconds(2'500'000));
    EXPECT_EQ(parse_time("-5", TimeUnit::nanosecond), Nanoseconds(-5));
    EXPECT_EQ(parse_time("1.5e3", TimeUnit::microsecond), Nanoseconds(1'500'000));
    for (const char* text : {"", "abc", "inf", "nan", "1e300", "9223372036854775807"}) {
        EXPECT_FALSE(parse_time(text, TimeUnit::nanosecond)) << text;
    }
}

NumberStyle style_of(std::initializer_list<const char*> others) {
    NumberStyle style;
    for (const char* text : others) {
        style.learn(text);
    }
    return style;
}

TEST(Numbers, WithOneMeaningAreReadByIt) {
    const NumberStyle style;
    EXPECT_EQ(style.plain("1,234.56"), "1234.56");
    EXPECT_EQ(style.plain("1.234,56"), "1234.56");
    EXPECT_EQ(style.plain("1 234,56"), "1234.56");
    EXPECT_EQ(style.plain("1\xE2\x80\xAF"
                          "234,56"),
              "1234.56");
    EXPECT_EQ(style.plain("1'234.5"), "1234.5");
    EXPECT_EQ(style.plain("1,204,500,000"), "1204500000");
    EXPECT_EQ(style.plain("12,5"), "12.5");
    EXPECT_EQ(style.plain("0,589"), "0.589");
    EXPECT_EQ(style.plain("-4.5e-02"), "-4.5e-02");
    EXPECT_EQ(style.plain("1 234"), "1234");
    EXPECT_EQ(style.plain(" 42 "), "42");
}

TEST(Numbers, WithTwoMeaningsNeedAnotherOneThatDecides) {
    EXPECT_FALSE(NumberStyle().plain("1,234"));
    EXPECT_EQ(NumberStyle().plain("1.234"), "1.234");  // as written by the tools
    EXPECT_EQ(style_of({"12.5"}).plain("1,234"), "1234");
    EXPECT_EQ(style_of({"12,5"}).plain("1,234"), "1.234");
    EXPECT_EQ(style_of({"1.234.567"}).plain("1.234"), "1234");
    EXPECT_FALSE(style_of({"12,5", "12.5"}).plain("1,234"));
    EXPECT_FALSE(style_of({"12,5", "12.5"}).plain("1.234"));
    EXPECT_FALSE(style_of({"12.5"}).plain("1,23"));  // a point is this file's decimal mark
}

TEST(Numbers, ThatAreMalformedAreNothing) {
    for (const char* text : {"", "n/a", "inf", "1,23,456.5", "1.2.3", "12,34", "1,,234", ".", "-",
                             "1e", "0x10", "1 23", "1,234'567", "12a"}) {
        EXPECT_FALSE(style_of({"1.5"}).plain(text)) << text;
    }
}

TEST(Numbers, ACountHasNoDecimalsSoThatItsSeparatorIsKnown) {
    EXPECT_EQ(parse_count("1,024"), 1024u);
    EXPECT_EQ(parse_count("1.024"), 1024u);
    EXPECT_EQ(parse_count("7"), 7u);
    EXPECT_FALSE(parse_count("1.5"));
    EXPECT_FALSE(parse_count("-1"));
}

}  // namespace
}  // namespace strata
