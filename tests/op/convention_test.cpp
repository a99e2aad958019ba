// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

#include <set>

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

TEST(Convention, ProductsLeaveOutAllElse) {
    EXPECT_EQ(count_by("products", fc8), 2 * 8'192'000);
    EXPECT_EQ(count_by("products", "activation(2x64)"), 0);
    EXPECT_EQ(count_by("products", "batch_normalization(2x64x8x8)"), 0);
}

TEST(Convention, LevinthalAddsOncePerInputChannelAndReadsEachPlane) {
    const char* conv3 =
        "convolution(1x192x13x13) out_channels=384 kernel=3x3 pad_begin=1x1 "
        "pad_end=1x1";
    EXPECT_EQ(count_by("levinthal", conv3), 19.0 * 192 * 169 * 384 + 192 * 169);
    EXPECT_EQ(count_by("levinthal", "pooling(1x64x55x55) kind=average kernel=3x3 stride=2x2"),
              9 * 64 * 27 * 27);
    EXPECT_EQ(count_by("levinthal", "activation(1x64x55x55)"), 193'600);
    EXPECT_EQ(count_by("levinthal", conv3, Pass::backward_data),
              count_by("multiply-add-2", conv3, Pass::backward_data));
}

TEST(Convention, EveryNameIsUniqueAndExplained) {
    std::set<std::string_view> names;
    for (const Convention& convention : conventions()) {
        EXPECT_TRUE(names.insert(convention.name).second) << convention.name;
        EXPECT_TRUE(convention.meaning.ends_with(".")) << convention.name;
    }
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
