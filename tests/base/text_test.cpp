// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Text, SplittingAndJoiningAreInverse) {
    const auto parts = split("a,,b,", ',');
    const std::vector<std::string> copies(parts.begin(), parts.end());
    EXPECT_EQ(copies, (std::vector<std::string>{"a", "", "b", ""}));
    EXPECT_EQ(join(copies, ","), "a,,b,");
}

TEST(Text, ANumberMustFillTheWholeText) {
    EXPECT_EQ(parse_integer("-12"), -12);
    EXPECT_EQ(parse_integer("12x"), std::nullopt);
    EXPECT_EQ(parse_integer(""), std::nullopt);
    EXPECT_EQ(parse_integer("99999999999999999999"), std::nullopt);
    EXPECT_EQ(parse_number("1e-4"), 1e-4);
}

TEST(Text, GlobsMatchWholeNamesAndAlternatives) {
    EXPECT_TRUE(matches_glob("conv*", "conv1"));
    EXPECT_FALSE(matches_glob("conv", "conv1"));
    EXPECT_TRUE(matches_glob("conv?,fc*", "fc6"));
    EXPECT_TRUE(matches_glob("*a*b*c", "xxaxxbxxbc"));
    EXPECT_FALSE(matches_glob("*a*b*c", "xxaxxbxxbcd"));
    EXPECT_TRUE(matches_glob("*", ""));
}

TEST(Text, AMisspeltWordFindsItsNeighbourButNonsenseDoesNot) {
    const std::vector<std::string> names = {"alexnet", "vgg-16", "resnet-50"};
    EXPECT_EQ(nearest("resnet50", names), "resnet-50");
    EXPECT_EQ(nearest("zzzzzzzzzz", names), std::nullopt);
}

TEST(Text, ForeignNamesCannotMoveTheCursorOrFloodTheScreen) {
    EXPECT_EQ(printable("a\x1b[31mb\n"), "a?[31mb?");
    EXPECT_EQ(printable("caf\xC3\xA9"), "caf\xC3\xA9");
    EXPECT_EQ(printable("bad\xC3"), "bad?");
    EXPECT_EQ(printable(std::string(300, 'x'), 10), std::string(10, 'x') + "…");
}

TEST(Text, InvisibleControlsBecomeVisibleInForeignNames) {
    EXPECT_EQ(printable("a\u202Eb\u2066c\u200Fd"), "a?b?c?d");  // reading directions
    EXPECT_EQ(printable("a\xC2\x9B"
                        "31mb\u0085c"),
              "a?31mb?c");                                          // C1: CSI and NEL
    EXPECT_EQ(printable("a\u2028b\u2029c"), "a?b?c");               // line and paragraph separators
    EXPECT_EQ(printable("a\u200Bb\uFEFFc\U000E0041d"), "a?b?c?d");  // nothing, a mark, a tag
    EXPECT_EQ(printable("層 → é"), "層 → é");
}

TEST(Text, OverlongFormsSurrogatesAndInvalidCodePointsAreBroken) {
    EXPECT_EQ(printable("\xC0\xAF"), "??");
    EXPECT_EQ(printable("\xE0\x80\x9B"), "???");  // overlong U+001B
    EXPECT_EQ(printable("\xED\xA0\x80"), "???");
    EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????");
}

TEST(Text, FieldsOfTheKernelsFilesAreFoundByTheirWholeName) {
    EXPECT_EQ(field_of("model\t\t: 167\nmodel name\t: A : B\n", "model name"), "A : B");
    EXPECT_EQ(field_of("MemTotal:  12 kB\n", "MemTotal"), "12 kB");
    EXPECT_EQ(field_of("MemTotal:  12 kB\n", "Mem"), std::nullopt);
}

}  // namespace
}  // namespace strata
