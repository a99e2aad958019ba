// SPDX-License-Identifier: MIT
#include "view/device.h"

#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(DeviceView, ShowsEachCeilingWithItsSource) {
    testing::expect_golden("view/device.txt",
                           render_terminal(device_document(testing::scripted_device()),
                                           {.width = 100, .unicode = true}));
}

TEST(DeviceView, ShowsWhatTheNewCalibrationChangedInEachCeiling) {
    Device now = testing::scripted_device();
    now.compute[0].peak = {FlopRate{150e9}, "a busy moment"};
    now.memory[2].bandwidth = {Bandwidth{22e9}, "measured today"};
    now.memory.erase(now.memory.begin());
    now.compute.push_back({"bf16", {FlopRate{400e9}, "measured today"}});
    testing::expect_golden(
        "view/device-again.txt",
        render_terminal(device_document(best_of_both(testing::scripted_device(), now)),
                        {.width = 100, .unicode = true}));
}

TEST(DeviceView, ACeilingThatDidNotRepeatIsDoubtful) {
    Device device = testing::scripted_device();
    const auto told = [&] { return render_terminal(device_document(device), {.width = 200}); };
    EXPECT_EQ(told().find("Doubtful"), std::string::npos);
    device.memory.back().bandwidth.is_doubtful = true;
    EXPECT_NE(told().find("Doubtful: the best values of DRAM bandwidth did not repeat within 3 %"),
              std::string::npos);
}

}  // namespace
}  // namespace strata
