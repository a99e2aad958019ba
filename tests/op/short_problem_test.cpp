// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(ShortProblem, IsTheSameProblemAsTheLongForm) {
    EXPECT_EQ(to_text(parse_problem("conv:n32c96h27w27k256r5s5p2")),
              "convolution(32x96x27x27) out_channels=256 kernel=5x5 pad_begin=2x2 pad_end=2x2 "
              "bias=false");
    EXPECT_EQ(to_text(parse_problem("fc:n32c9216k4096")),
              "fully_connected(32x9216) out_features=4096 bias=false");
}

TEST(ShortProblem, LettersMayBeInAnyOrderAndMostMayBeAbsent) {
    EXPECT_EQ(to_text(parse_problem("conv:k8r3h9c4")),
              "convolution(1x4x9x9) out_channels=8 kernel=3x3 bias=false");
    EXPECT_EQ(to_text(parse_problem("conv:c4h9w7k8r3s1u2d2g4")),
              "convolution(1x4x9x7) out_channels=8 kernel=3x1 stride=2x2 dilation=2x2 groups=4 "
              "bias=false");
}

TEST(ShortProblem, MistakesNameTheLetter) {
    const auto refusal = [](const char* text) -> std::string {
        try {
            parse_problem(text);
            return {};
        } catch (const Error& error) {
            return error.what();
        }
    };
    EXPECT_TRUE(contains(refusal("conv:c4h9k8"), "r is missing"));
    EXPECT_TRUE(contains(refusal("conv:c4h9k8r3z2"), "\"z2\" is not one of the letters"));
    EXPECT_TRUE(contains(refusal("conv:c4c4h9k8r3"), "c is given twice"));
    EXPECT_TRUE(contains(refusal("fc:n"), "\"n\""));
    EXPECT_TRUE(contains(refusal("fc:"), "c is missing"));
    EXPECT_TRUE(contains(refusal("fc:c99999999999999999999k3"), "c9999"));
}

}  // namespace
}  // namespace strata
