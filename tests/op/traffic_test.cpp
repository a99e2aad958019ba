// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

std::pair<double, double> traffic(const char* text, Pass pass) {
    const Work work = work_of(text, pass);
    return {work.read.value, work.written.value};
}

TEST(Traffic, MasksAndIndicesOfTheForwardPassAreReadAgain) {
    const double x = 4 * 64, y = 4 * 16;
    EXPECT_EQ(traffic("pooling(1x1x8x8) kernel=2x2 stride=2x2", Pass::backward_data),
              std::pair(y + 16, x));
    EXPECT_EQ(traffic("dropout(1x64)", Pass::backward_data), std::pair(x + 64, x));
}

TEST(Traffic, ASumPassesTheGradientToEveryOperand) {
    EXPECT_EQ(traffic("elementwise(64, 64)", Pass::forward), std::pair(512.0, 256.0));
    EXPECT_EQ(traffic("elementwise(64, 64)", Pass::backward_data), std::pair(256.0, 512.0));
}

TEST(Traffic, HalfTheElementSizeIsHalfTheTraffic) {
    const Work whole = work_of("activation(64)", Pass::forward);
    const Work half = work_of("activation(64:bf16)", Pass::forward);
    EXPECT_EQ(whole.traffic().value, 2 * half.traffic().value);
}

}  // namespace
}  // namespace strata
