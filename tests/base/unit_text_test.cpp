// SPDX-License-Identifier: MIT
#include "base/unit_text.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

TEST(UnitText, ANumberHasAPrefixAndItsUnit) {
    EXPECT_EQ(parse_with_unit("900 GB/s", "B/s"), 900e9);
    EXPECT_EQ(parse_with_unit("1530MHz", "Hz"), 1530e6);
    EXPECT_EQ(parse_with_unit(" 2.75 MiB ", "B"), 2.75 * 1024 * 1024);
    EXPECT_EQ(parse_with_unit("35 us", "s"), 35 * 1e-6);
    EXPECT_EQ(parse_with_unit("80", ""), 80);
}

TEST(UnitText, OtherTextIsNothing) {
    for (const char* text : {"", "GB/s", "900 GB", "900 XB/s", "-1 GB/s", "0 B/s", "1e999 B/s",
                             "900 GGB/s", "nan B/s", "900 B/s x"}) {
        EXPECT_FALSE(parse_with_unit(text, "B/s")) << text;
    }
    EXPECT_FALSE(parse_with_unit("80 k", ""));
    EXPECT_FALSE(parse_with_unit("80 Hz", ""));
}

TEST(UnitText, ThreeDigitsAreWrittenAndReadBack) {
    EXPECT_EQ(text_with_unit(900e9, "B/s"), "900 GB/s");
    EXPECT_EQ(text_with_unit(15.7e12, "FLOP/s"), "15.7 TFLOP/s");
    EXPECT_EQ(text_with_unit(999.9e6, "Hz"), "1.00 GHz");
    EXPECT_EQ(text_with_unit(2.75e6, "B"), "2.75 MB");
    EXPECT_EQ(text_with_unit(3.5e-5, "s"), "35 us");
    EXPECT_EQ(text_with_unit(80, ""), "80");
    EXPECT_EQ(text_with_unit(4096, ""), "4096");
}

}  // namespace

}  // namespace strata::testing
