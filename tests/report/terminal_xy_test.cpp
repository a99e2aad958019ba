// SPDX-License-Identifier: MIT
#include "report/terminal_blocks.h"

#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <limits>

namespace strata {
namespace {

XyChart time_over_work() {
    return {.title = "Time over work",
            .x = {.key = "work_flop", .title = "work", .unit = "FLOP"},
            .y = {.key = "time_s", .title = "time", .unit = "s"},
            .series = {
                {"measured", Mark::points, {{"", 1e9, 0.014}, {"", 2e9, 0.022}, {"", 4e9, 0.042}}},
                {"the line", Mark::line, {{"", 0, 0.002}, {"", 4e9, 0.042}}}}};
}

TEST(TerminalXy, PointsAreOnTheirLine) {
    testing::expect_golden("report/xy.txt", terminal_xy(time_over_work(), {}));
    testing::expect_golden("report/xy-unicode-60.txt",
                           terminal_xy(time_over_work(), {.width = 60, .unicode = true}));
}

TEST(TerminalXy, ALogarithmicAxisGivesEachDoublingTheSameSpace) {
    XyChart chart{.title = "Throughput by batch",
                  .x = {.key = "batch", .title = "batch", .scale = AxisScale::logarithmic},
                  .y = {.key = "per_s", .title = "throughput", .unit = "1/s"},
                  .series = {{"measured", Mark::joined, {}}}};
    for (double batch = 1; batch <= 64; batch *= 2) {
        chart.series[0].points.push_back({"", batch, 100 * batch / (batch + 4)});
    }
    testing::expect_golden("report/xy-logarithmic.txt", terminal_xy(chart, {}));
}

TEST(TerminalXy, ValuesThatAnAxisCannotHoldAreLeftOut) {
    XyChart chart = time_over_work();
    chart.series[0].points.push_back({"", std::numeric_limits<double>::quiet_NaN(), 1e300});
    EXPECT_EQ(terminal_xy(chart, {}).find("nan"), std::string::npos);
    EXPECT_NE(terminal_xy({.title = "nothing"}, {.width = 10}).find("nothing"), std::string::npos);
}

}  // namespace
}  // namespace strata
