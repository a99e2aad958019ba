// SPDX-License-Identifier: MIT
#include "base/byte_size.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(ByteSize, UnitsArePowersOfAThousandOrWithAnIOf1024) {
    EXPECT_EQ(parse_byte_size("8GB"), Bytes{8e9});
    EXPECT_EQ(parse_byte_size(" 1.5 GiB "), Bytes{1.5 * 1024 * 1024 * 1024});
    EXPECT_EQ(parse_byte_size("512M"), Bytes{512e6});
    EXPECT_EQ(parse_byte_size("4k"), Bytes{4e3});
    EXPECT_EQ(parse_byte_size("4Ki"), Bytes{4096});
    EXPECT_EQ(parse_byte_size("100B"), Bytes{100});
    EXPECT_EQ(parse_byte_size("1e9"), Bytes{1e9});
}

TEST(ByteSize, OtherTextIsNone) {
    for (const auto* text :
         {"", "GB", "0", "-1GB", "8 apples", "8XB", "8iB", "8GBB", "1e999", "nan"}) {
        EXPECT_EQ(parse_byte_size(text), std::nullopt) << text;
    }
}

TEST(ByteSize, IsWrittenWithThreeDigits) {
    EXPECT_EQ(byte_size_text(Bytes{0}), "0 B");
    EXPECT_EQ(byte_size_text(Bytes{999}), "999 B");
    EXPECT_EQ(byte_size_text(Bytes{8.72e6}), "8.72 MB");
    EXPECT_EQ(byte_size_text(Bytes{22.14e9}), "22.1 GB");
    EXPECT_EQ(byte_size_text(Bytes{999.6e6}), "1.00 GB");
    EXPECT_EQ(byte_size_text(Bytes{123e15}), "123 PB");
}

}  // namespace
}  // namespace strata
