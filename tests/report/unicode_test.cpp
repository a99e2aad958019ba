// SPDX-License-Identifier: MIT
#include "report/unicode.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Unicode, KeepsWellFormedText) {
    EXPECT_EQ(clean_text("conv1 → µs 層"), "conv1 → µs 層");
}

TEST(Unicode, EscapeSequencesCannotReachTheTerminal) {
    EXPECT_EQ(clean_text("a\x1b[31mb"), "a?[31mb");
    EXPECT_EQ(clean_text("a\xC2\x9B"
                         "31mb"),
              "a?31mb");  // the one-character form of the same
}

TEST(Unicode, CharactersThatChangeTheReadingDirectionAreMadeVisible) {
    EXPECT_EQ(clean_text("a\xE2\x80\xAE"
                         "b"),
              "a?b");
}

TEST(Unicode, LineSeparatorsAreBlanksAndInvisibleTagsAreMadeVisible) {
    EXPECT_EQ(clean_text("a\u2028b\u0085c"), "a b c");
    EXPECT_EQ(clean_text("a\u00ADb\uFFF9c\U000E0041d"), "a?b?c?d");
    EXPECT_EQ(clean_text("a\u3164b"), "a?b");               // a filler that looks like a blank
    EXPECT_EQ(clean_text("\u2600\uFE0F"), "\u2600\uFE0F");  // the sun as a picture
}

TEST(Unicode, BrokenSequencesBecomeReplacementCharacters) {
    EXPECT_EQ(clean_text("a\xFF"), "a\xEF\xBF\xBD");
    EXPECT_EQ(clean_text("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");          // cut short
    EXPECT_EQ(clean_text("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");          // overlong '/'
    EXPECT_EQ(clean_text("\xED\xA0\x80").find("\xED"), std::string::npos);  // a surrogate
}

TEST(Unicode, NewlinesAndTabsBecomeBlanks) {
    EXPECT_EQ(clean_text("a\n\tb"), "a  b");
}

TEST(Unicode, WidthCountsColumnsAndNotBytes) {
    EXPECT_EQ(display_width("µs"), 2u);
    EXPECT_EQ(display_width("層"), 2u);
    EXPECT_EQ(display_width("e\xCC\x81"), 1u);   // e and a combining acute accent
    EXPECT_EQ(display_width("क्"), 1u);           // a Devanagari letter and its virama
    EXPECT_EQ(display_width("\U0001F680"), 2u);  // a rocket
    EXPECT_EQ(display_width("\U0001F321"), 1u);  // a thermometer, narrow among wide neighbours
}

TEST(Unicode, ShorteningKeepsBothEndsOfAName) {
    EXPECT_EQ(shorten("inception_3a/conv_5x5_reduce", 11), "incep…educe");
    EXPECT_EQ(shorten("softmax_cross_entropy", 20), "softmax_…_entropy") << "no word is cut";
    EXPECT_EQ(shorten("conv1", 5), "conv1");
    EXPECT_EQ(display_width(shorten("層層層層層層", 6)), 5u);  // never wider than requested
    EXPECT_EQ(shorten("abc", 1), "…");
    EXPECT_EQ(shorten("abc", 0), "");
}

TEST(Unicode, WrappingBreaksAtBlanksAndKeepsLongWords) {
    EXPECT_EQ(wrap("one two three", 7), "one two\nthree");
    EXPECT_EQ(wrap("extraordinary a", 4, "  "), "extraordinary\n  a");
}

TEST(Unicode, AsciiTerminalsGetOurSignsSpelledOut) {
    EXPECT_EQ(to_ascii("1 ± 2 µs – 層"), "1 +- 2 us - ?");
}

}  // namespace
}  // namespace strata
