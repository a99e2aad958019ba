// SPDX-License-Identifier: MIT
#include "view/work_sweep.h"

#include "networks/network.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "view/json.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

// Layers with as many outputs as inputs, whose operations grow with the square of their size.
WorkSweep squares() {
    WorkSweep sweep{.variable = "size", .network = "square", .points = {}};
    for (std::int64_t size = 128; size <= 1024; size *= 2) {
        NetworkRequest request;
        request.network = fmt::format("fully_connected(32x{0}) out_features={0}", size);
        sweep.points.push_back(
            work_point_of(load_network(request), size, conventions().front(), {}));
    }
    return sweep;
}

TEST(WorkSweepView, ShowsHowWorkGrowsWithSize) {
    testing::expect_golden(
        "view/work-sweep.txt",
        render_terminal(work_sweep_document(squares(), conventions().front(), {}),
                        {.width = 110, .unicode = true}));
}

TEST(WorkSweepView, GrowthIsTheExponent) {
    const WorkSweep sweep = squares();
    EXPECT_EQ(growth_at(sweep, 0), std::nullopt);
    EXPECT_NEAR(growth_at(sweep, 3).value(), 2, 0.01);
}

TEST(WorkSweepView, TheJsonHoldsEveryPointAndTheLine) {
    const auto json = work_sweep_json(squares(), conventions().front(), {});
    ASSERT_EQ(json["points"].size(), 4U);
    EXPECT_EQ(json["points"][0]["value"], 128);
    EXPECT_TRUE(json["points"][0]["growth"].is_null());
    EXPECT_EQ(json["points"][0]["parameters"], 128 * 128 + 128);
    EXPECT_GT(json["fit"]["bytes_per_flop"].get<double>(), 0);
}

TEST(WorkSweepView, OneSizeGivesNoLine) {
    WorkSweep sweep = squares();
    sweep.points.resize(1);
    const auto json = work_sweep_json(sweep, conventions().front(), {});
    EXPECT_TRUE(json["fit"].is_null());
}

}  // namespace
}  // namespace strata
