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
    EXPECT_EQ(parse_with_unit("2 TiB", "B"), 0x1p41);
    EXPECT_EQ(parse_with_unit("4 KB", "B"), 4e3);
    EXPECT_EQ(parse_with_unit("80", ""), 80);
}

TEST(UnitText, OtherTextGivesNothing) {
    for (const char* text : {"", "GB/s", "900 GB", "900 XB/s", "-1 GB/s", "0 B/s", "1e999 B/s",
                             "900 GGB/s", "nan B/s", "900 KiiB/s", "900 B/s x"}) {
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
    EXPECT_EQ(text_with_unit(0, "B/s"), "0 B/s");
}

TEST(ByteSize, UnitsArePowersOf1000OrOf1024WithAnI) {
    EXPECT_EQ(parse_byte_size("8GB"), Bytes{8e9});
    EXPECT_EQ(parse_byte_size(" 1.5 GiB "), Bytes{1.5 * 1024 * 1024 * 1024});
    EXPECT_EQ(parse_byte_size("512M"), Bytes{512e6});
    EXPECT_EQ(parse_byte_size("4k"), Bytes{4e3});
    EXPECT_EQ(parse_byte_size("4Ki"), Bytes{4096});
    EXPECT_EQ(parse_byte_size("100B"), Bytes{100});
    EXPECT_EQ(parse_byte_size("1e9"), Bytes{1e9});
}

TEST(ByteSize, OtherTextGivesNothing) {
    for (const auto* text :
         {"", "GB", "0", "-1GB", "8 apples", "8XB", "8iB", "8GBB", "8mB", "1e999", "nan"}) {
        EXPECT_EQ(parse_byte_size(text), std::nullopt) << text;
    }
}

TEST(ByteSize, IsPrintedWithThreeDigits) {
    EXPECT_EQ(byte_size_text(Bytes{0}), "0 B");
    EXPECT_EQ(byte_size_text(Bytes{999}), "999 B");
    EXPECT_EQ(byte_size_text(Bytes{8.72e6}), "8.72 MB");
    EXPECT_EQ(byte_size_text(Bytes{22.14e9}), "22.1 GB");
    EXPECT_EQ(byte_size_text(Bytes{999.6e6}), "1.00 GB");
    EXPECT_EQ(byte_size_text(Bytes{123e15}), "123 PB");
}

}  // namespace

}  // namespace strata::testing
