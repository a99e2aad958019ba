// SPDX-License-Identifier: MIT
#include "measure/calibration_loop.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(CalibrationLoop, ItRunsOnOneThreadAndOnMany) {
    EXPECT_GT(CalibrationLoop(1).run().value, 0);
    EXPECT_GT(CalibrationLoop(3).run().value, 0);
}

}  // namespace
}  // namespace strata
