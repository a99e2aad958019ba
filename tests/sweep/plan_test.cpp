// SPDX-License-Identifier: MIT
#include "sweep/plan.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

SweepSpec measured_grid() {
    SweepSpec spec = parse_sweep(
        "title = \"a few\"\nbatch = [1, 1000]\noptions = { min_time = 0.5, max_time = 2 }\n"
        "[[network]]\nfamily = \"fc\"\nlayers = [1, 2]\nnodes = 16\n",
        "few.toml");
    spec.backends = {"onednn"};
    return spec;
}

TEST(SweepPlan, BoundsTheTimeByThePolicyOfTheRemainingPoints) {
    const SweepPlan all = plan_of(measured_grid(), {}, {}, 1);
    EXPECT_EQ(all.open, 4);
    EXPECT_DOUBLE_EQ(all.min_time.value, 2);
    EXPECT_DOUBLE_EQ(all.max_time.value, 8);
    const SweepPlan rest = plan_of(measured_grid(), {}, {true, false, true, false}, 1);
    EXPECT_EQ(rest.open, 2);
    EXPECT_DOUBLE_EQ(rest.max_time.value, 4);
    EXPECT_EQ(plan_of(measured_grid(), {.index = 1, .count = 2}, {}, 1).own, 2);
}

TEST(SweepPlan, CountsThePointsThatNeedMoreMemoryThanTheLimit) {
    SweepSpec spec = measured_grid();
    spec.limits.memory = Bytes{1e6};  // between those of batch 1 and of batch 1000
    const SweepPlan plan = plan_of(spec, {}, {}, 1);
    ASSERT_EQ(plan.filters.size(), 1U);
    EXPECT_EQ(plan.filters[0].examined, 4);
    EXPECT_EQ(plan.filters[0].too_large, 2);
    EXPECT_GT(plan.filters[0].largest, Bytes{1e6});
    const std::string text = text_of(plan, spec, {});
    EXPECT_NE(text.find("few: a few\n4 points: 2 networks x 2 batches x 1 setting x 1 backend "
                        "(onednn)\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("2 of 4 points need more than the 1.00 MB that --max-memory gives"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("time: 2 s to 8 s of sampling"), std::string::npos) << text;
}

TEST(SweepPlan, ConsidersTheMemoryOfEveryDevice) {
    SweepSpec spec = measured_grid();
    spec.backends.clear();
    spec.devices = {"v100", "p100"};
    const SweepPlan plan = plan_of(spec, {}, {}, 2);
    ASSERT_EQ(plan.filters.size(), 2U);
    EXPECT_EQ(plan.filters[0].too_large, 0);
    EXPECT_GT(plan.max_time, Seconds{});
}

TEST(SweepPlan, WritesTimesInWords) {
    EXPECT_EQ(duration_text(Seconds{3.21}), "3.2 s");
    EXPECT_EQ(duration_text(Seconds{600}), "10 min");
    EXPECT_EQ(duration_text(Seconds{7500}), "2 h 5 min");
    EXPECT_EQ(duration_text(Seconds{864000}), "10 days");
}

}  // namespace
}  // namespace strata
