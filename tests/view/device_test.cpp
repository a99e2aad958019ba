// SPDX-License-Identifier: MIT
#include "view/device.h"

#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(DeviceView, TellsEachCeilingWithItsSource) {
    testing::expect_golden("view/device.txt",
                           render_terminal(device_document(testing::scripted_device()),
                                           {.width = 100, .unicode = true}));
}

}  // namespace
}  // namespace strata
