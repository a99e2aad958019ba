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

// A GPU has no threads, and a rate that its products keep; of its sources the essence is shown.
TEST(DeviceView, AGpusCeilingsHaveTheRateThatLastsForASecond) {
    const auto source = [](const std::string& kernel) {
        return "measured 2026-11-28 by strata calibrate: " + kernel +
               "; best of 20, median 0.6 % lower; others: copy 5.91 TB/s";
    };
    Device gpu{.name = "a-gpu", .model = "A GPU", .threads = 1};
    gpu.compute = {{"bf16",
                    {FlopRate{787e12}, source("cublaslt algorithm 1")},
                    Fact<FlopRate>{FlopRate{661e12}, "the second half of a second, 1425 MHz"}}};
    gpu.memory = {{"L2", Bytes{52428800}, {Bandwidth{7.4e12}, source("triad, 12 MiB")}},
                  {"DRAM", std::nullopt, {Bandwidth{3.27e12}, source("write, 3072 MiB")}}};
    gpu.launch = Fact<Seconds>{Seconds{854e-9}, source("from one recorded kernel to the next")};
    Device before = gpu;
    before.memory[0].bandwidth.value = Bandwidth{71.4e12};
    testing::expect_golden("view/device-gpu.txt",
                           render_terminal(device_document(best_of_both(before, gpu)),
                                           {.width = 160, .unicode = true}));
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
