// SPDX-License-Identifier: MIT
#include "base/wire_message.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using namespace std::string_literals;

// The examples of protobuf's description of its encoding.
TEST(WireMessage, FieldsAreEncodedAsProtobufDescribes) {
    EXPECT_EQ(WireMessage().integer(1, 150).bytes(), "\x08\x96\x01");
    EXPECT_EQ(WireMessage().text(2, "testing").bytes(), "\x12\x07testing");
    EXPECT_EQ(WireMessage().message(3, WireMessage().integer(1, 150)).bytes(),
              "\x1a\x03\x08\x96\x01");
    EXPECT_EQ(WireMessage().integer(1, -2).bytes(), "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(WireMessage, NumbersAreLittleEndian) {
    EXPECT_EQ(WireMessage().number(1, 1.0f).bytes(), "\x0d\x00\x00\x80\x3f"s);
    EXPECT_EQ(WireMessage().number(1, -2.0).bytes(), "\x09\x00\x00\x00\x00\x00\x00\x00\xc0"s);
}

TEST(WireMessage, AFieldsNumberMayTakeTwoBytes) {
    EXPECT_EQ(WireMessage().integer(60, 1).bytes(), "\xe0\x03\x01");
}

}  // namespace
}  // namespace strata
