// SPDX-License-Identifier: MIT
#include "import/iterations.h"

#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr Nanoseconds usual_time = std::chrono::microseconds(100);
constexpr Nanoseconds long_gap = std::chrono::microseconds(50);

// Consecutive operators named by letters: a capital is a backward one, '|' a gap of 50 us, '.' one
// of 1 us, and 'e' takes 1 us instead of 100.
RecordedProfile sequence(const std::string& names) {
    RecordedProfile recording;
    Nanoseconds now = Nanoseconds(1);
    for (const char name : names) {
        if (name == '|' || name == '.') {
            now += name == '|' ? long_gap : std::chrono::microseconds(1);
            continue;
        }
        const bool is_forward = name >= 'a';
        recording.operators.push_back(
            {.name = recording.texts.id_of(std::string_view(&name, 1)),
             .pass = is_forward ? Pass::forward : Pass::backward_data,
             .start = now,
             .time = name == 'e' ? Nanoseconds(std::chrono::microseconds(1)) : usual_time});
        now += recording.operators.back().time;
    }
    return recording;
}

// The iteration of each operator as a digit, '-' outside all.
std::string divided(const RecordedProfile& recording, std::optional<std::int64_t> asked = {}) {
    std::string text;
    for (const auto& one : iterations_in(recording, asked).of_operator) {
        text += one ? static_cast<char>('0' + *one) : '-';
    }
    return text;
}

TEST(IterationEvidence, IsARecurrenceOfTheFirstOperatorWithEverythingAfterIt) {
    EXPECT_EQ(divided(sequence("abcaabcaabca")), "000011112222");
    EXPECT_EQ(divided(sequence("aa")), "01");
}

TEST(IterationEvidence, ATruncatedLastRoundIsLeftOut) {
    const RecordedIterations found = iterations_in(sequence("abcabcab"), {});
    EXPECT_EQ(found.count, 2u);
    EXPECT_FALSE(found.of_operator[6]);
    EXPECT_EQ(found.outside, 2 * usual_time);
}

TEST(IterationEvidence, IsNotAPassThatEndsInEqualBlocks) {
    EXPECT_EQ(divided(sequence("cllll")), "00000");  // a stem, and equal layers
    EXPECT_EQ(divided(sequence("elnmlnmlnmlnmlnm")), "0000000000000000");  // which is a tiny one
    EXPECT_EQ(divided(sequence("elnmlnmlnmlnmh")), "00000000000000");
    EXPECT_EQ(divided(sequence("kgg")), "000");
}

TEST(IterationEvidence, IsNotTwoEqualBlocks) {
    EXPECT_EQ(divided(sequence("xabababyababab")), "00000000000000");
}

TEST(IterationEvidence, EqualRoundsOnlyAreReportedWithTheOptionForOneIteration) {
    EXPECT_NE(iterations_in(sequence("lnmlnmlnm"), {}).how.find("--iterations 1"),
              std::string::npos);
    EXPECT_EQ(divided(sequence("lnmlnmlnm"), 1), "000000000");
}

TEST(IterationEvidence, IsAClearGapBeforeEach) {
    EXPECT_EQ(divided(sequence("lnlnln|lnlnln|lnlnln")), "000000111111222222");
    EXPECT_EQ(divided(sequence("a.bcxd|abc.d|abcd|abcd")), "00000111122223333");  // once with x
}

TEST(IterationEvidence, IsNotAGapHardlyLongerThanThoseWithin) {
    EXPECT_EQ(divided(sequence("wab.ac.ab.ac.ab.ac")), "0000000000000");
}

TEST(IterationEvidence, PreparationsOfTwoPercentAreLeftOutBeforeAGapAndLargerOnesAreNot) {
    EXPECT_EQ(divided(sequence("e|abcd|abcd|abcd")), "-000011112222");
    EXPECT_EQ(divided(sequence("w|abcd|abcd|abcd")), "0000000000000");
}

TEST(IterationEvidence, OneHiccupDoesNotMakeTwoIterations) {
    EXPECT_EQ(divided(sequence("abab|abab")), "00112233");
    EXPECT_EQ(divided(sequence("sabab|abab")), "000000000");
}

TEST(IterationEvidence, IsAForwardPassAfterABackwardPass) {
    EXPECT_EQ(divided(sequence("abwBAabBAabBA")), "0000011112222");  // the first prepares weights
    EXPECT_EQ(divided(sequence("abbbBBBAabbbBBBA")), "0000000011111111");
}

TEST(IterationEvidence, IsARepeatedLaunchOfAGraph) {
    RecordedProfile recording = sequence("llllllllllll");
    for (std::uint32_t i = 0; i < 12; ++i) {
        recording.operators[i].launch = 1 + i / 4;
    }
    EXPECT_EQ(divided(recording), "000011112222");
}

TEST(IterationEvidence, WithoutAnyThereIsOneIterationAndAHint) {
    const RecordedIterations found = iterations_in(sequence("abcdefg"), {});
    EXPECT_EQ(found.count, 1u);
    EXPECT_NE(found.how.find("--iterations"), std::string::npos);
}

TEST(MarkedIterations, OfNestedMarksTheOuterCount) {
    RecordedProfile recording = sequence("abab");
    recording.iterations = {{Nanoseconds(0), Nanoseconds(200'001)},
                            {Nanoseconds(100'001), Nanoseconds(200'001)},
                            {Nanoseconds(200'001), Nanoseconds(400'001)},
                            {Nanoseconds(300'001), Nanoseconds(400'001)}};
    EXPECT_EQ(divided(recording), "0011");
}

TEST(RequestedIterations, AreEqualOrBeginWhereTheFirstOperatorRecurs) {
    EXPECT_EQ(divided(sequence("aaaaaa"), 2), "000111");
    EXPECT_EQ(divided(sequence("abxababyz"), 3), "000112222");
    EXPECT_EQ(divided(sequence("abxbbc|dby"), 2), "000000111");
    EXPECT_NE(error_of([] { iterations_in(sequence("aaaaaa"), 4); }).find("--iterations"),
              std::string::npos);
}

}  // namespace
}  // namespace strata
