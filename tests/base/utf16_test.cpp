// SPDX-License-Identifier: MIT
#include "base/utf16.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// "A", "µ", "日" and a character beyond 16 bits.
constexpr std::string_view little("A\0\xB5\0\xE5\x65\x3D\xD8\x00\xDE", 10);
constexpr std::string_view big("\0A\0\xB5\x65\xE5\xD8\x3D\xDE\x00", 10);
constexpr std::string_view expected = "A\xC2\xB5\xE6\x97\xA5\xF0\x9F\x98\x80";

TEST(Utf16, BothByteOrdersBecomeTheSameText) {
    EXPECT_EQ(Utf16Decoder(false).decoded(little), expected);
    EXPECT_EQ(Utf16Decoder(true).decoded(big), expected);
}

TEST(Utf16, PiecesMayEndWithinAUnitOrAPair) {
    for (std::size_t cut = 0; cut <= little.size(); ++cut) {
        Utf16Decoder decoder(false);
        std::string text = decoder.decoded(little.substr(0, cut));
        text += decoder.decoded(little.substr(cut));
        EXPECT_EQ(text, expected) << cut;
    }
}

TEST(Utf16, HalfAPairBecomesAReplacementCharacter) {
    EXPECT_EQ(Utf16Decoder(true).decoded(std::string_view("\xD8\x3D\0A\xDE\x00\0B", 8)),
              "\xEF\xBF\xBD"
              "A\xEF\xBF\xBD"
              "B");
}

}  // namespace
}  // namespace strata
