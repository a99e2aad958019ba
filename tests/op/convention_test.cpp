// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

double count_by(const char* convention, const char* text, Pass pass = Pass::forward) {
    const Problem problem = parse_problem(text);
    return count(problem.op, signature_of(problem), pass, find_convention(convention)).value;
}

constexpr const char* fc8 = "fully_connected(2x4096) out_features=1000";

TEST(Convention, TheDefaultCountsAMultiplyAddTwiceAndNoBias) {
    EXPECT_EQ(conventions()[0].name, "multiply-add-2");
    EXPECT_EQ(count_by("multiply-add-2", fc8), 2 * 8'192'000.0);
}

TEST(Convention, MacsAreHalfAndBiasesAddOneAnOutput) {
    EXPECT_EQ(count_by("multiply-add-1", fc8), 8'192'000);
    EXPECT_EQ(count_by("with-bias", fc8), 2 * 8'192'000 + 2000);
}

TEST(Convention, DongCountsASoftmaxAsTheSquareOfItsRow) {
    EXPECT_EQ(count_by("dong2018", "softmax(1x1000)"), 1'000'000);
    EXPECT_EQ(count_by("dong2018", "softmax(3x1000)"), 3'000'000);
    EXPECT_EQ(count_by("dong2018", "softmax(1x1000)", Pass::backward_data), 4000);
    EXPECT_EQ(count_by("dong2018", "lrn(1x256x27x27)"), 2'612'736);
}

TEST(Convention, AMisspeltNameIsAnsweredWithTheNearest) {
    try {
        find_convention("dong2081");
        FAIL() << "no such convention";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_TRUE(contains(error.what(), "did you mean \"dong2018\"?"));
    }
}

}  // namespace
}  // namespace strata
