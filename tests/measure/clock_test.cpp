// SPDX-License-Identifier: MIT
#include "measure/clock.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(CalibrationLoop, ItRunsOnOneThreadAndOnMany) {
    EXPECT_GT(CalibrationLoop(1).run().value, 0);
    EXPECT_GT(CalibrationLoop(3).run().value, 0);
}

// 20 000 dependent multiplications and additions take 16 us at 10 GHz.
TEST(CalibrationLoop, ItsWorkIsActuallyDone) {
    EXPECT_GT(CalibrationLoop(1).run().value, 16e-6);
}

}  // namespace
}  // namespace strata
