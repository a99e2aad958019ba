// SPDX-License-Identifier: MIT
#include "base/range.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using Values = std::vector<std::int64_t>;

Values values(std::string_view text) {
    return parse_range(text, "--batch");
}

TEST(Range, ARangeDoublesUpToItsEnd) {
    EXPECT_EQ(values("128..2048"), (Values{128, 256, 512, 1024, 2048}));
    EXPECT_EQ(values("1..100"), (Values{1, 2, 4, 8, 16, 32, 64, 100}));
    EXPECT_EQ(values("7..7"), (Values{7}));
}

TEST(Range, AStepIsAddedAndNeverGoesBeyondTheEnd) {
    EXPECT_EQ(values("64..256+64"), (Values{64, 128, 192, 256}));
    EXPECT_EQ(values("1..10+4"), (Values{1, 5, 9}));
}

TEST(Range, AListIsAscendingWithoutRepetition) {
    EXPECT_EQ(values("16,1,4..8,4"), (Values{1, 4, 8, 16}));
}

TEST(Range, TheLargestNumbersDoNotOverflow) {
    EXPECT_EQ(values("4611686018427387904..9223372036854775807").back(), 9223372036854775807);
    EXPECT_EQ(values("9223372036854775800..9223372036854775807+5").size(), 2U);
}

TEST(Range, AnInvalidRangeIsRefusedUnderItsOptionsName) {
    for (const char* text : {"", "0", "-1", "1..", "..4", "8..4", "1..8+0", "1..8+", "two", "1,,2",
                             "1...4", "1..8*2", "99999999999999999999"}) {
        try {
            values(text);
            ADD_FAILURE() << text << " was accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_EQ(std::string(error.what()).find("--batch"), 0U) << error.what();
        }
    }
}

TEST(Range, AnAbsurdNumberOfValuesIsRefused) {
    EXPECT_THROW(values("1..100000+1"), Error);
    EXPECT_EQ(values("1..1000+1").size(), 1000U);
}

}  // namespace
}  // namespace strata
