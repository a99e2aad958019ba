// SPDX-License-Identifier: MIT
#include "sweep/grid.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <tuple>

namespace strata {
namespace {

SweepSpec small_grid() {
    return parse_sweep(
        "batch = [1, 2, 4]\nmode = [\"training\", \"inference\"]\ndevice = [\"v100\", \"p100\"]\n"
        "[[network]]\nfamily = \"fc\"\nlayers = [1, 2]\nnodes = [8, 16, 32]\n"
        "[[network]]\nfamily = \"lstm\"\nembed = [8, 16]\n",
        "small.toml");
}

TEST(SweepGrid, HasEveryCombinationExactlyOnce) {
    const SweepSpec spec = small_grid();
    ASSERT_EQ(count_points(spec), (2 * 3 + 2) * 3 * 2 * 2);
    std::set<std::tuple<std::string, std::int64_t, std::size_t, std::string>> points;
    for (std::int64_t i = 0; i < count_points(spec); ++i) {
        const GridPoint point = point_of(spec, i);
        EXPECT_EQ(point.index, i);
        points.emplace(point.network, point.batch, point.settings, point.target);
    }
    EXPECT_EQ(points.size(), static_cast<std::size_t>(count_points(spec)));
}

TEST(SweepGrid, GivesAJobItsNetworkBatchSettingsAndDevice) {
    const SweepSpec spec = small_grid();
    const Job job = job_of(spec, point_of(spec, 3));
    EXPECT_EQ(job.request.network, "fc:layers=1,nodes=8,inputs=1000,outputs=100");
    EXPECT_EQ(job.request.batch, 1);
    EXPECT_EQ(job.backend, "modelled:p100");
    EXPECT_EQ(job.execution.numerics.mode, Mode::inference);
}

TEST(SweepGrid, TakesItsAnchorFromTheMiddle) {
    const SweepSpec spec = small_grid();
    const GridPoint anchor = point_of(spec, anchor_of(spec));
    EXPECT_EQ(anchor.network, "fc:layers=1,nodes=16,inputs=1000,outputs=100");
    EXPECT_EQ(anchor.batch, 2);
}

TEST(SweepOrder, IsAPermutationOfEveryLengthGivenByTheSeed) {
    for (const std::int64_t count : {1, 2, 3, 4, 5, 31, 64, 392, 9720}) {
        std::set<std::int64_t> seen;
        std::int64_t in_place = 0;
        const ShuffledOrder order(count, 1);
        for (std::int64_t i = 0; i < count; ++i) {
            seen.insert(order.at(i));
            in_place += order.at(i) == i ? 1 : 0;
        }
        ASSERT_EQ(seen.size(), static_cast<std::size_t>(count));
        EXPECT_EQ(*seen.rbegin(), count - 1);
        EXPECT_TRUE(count < 30 || in_place < count / 5) << count;
    }
    const ShuffledOrder one(9720, 1), two(9720, 2);
    std::int64_t same = 0;
    for (std::int64_t i = 0; i < 9720; ++i) {
        same += one.at(i) == two.at(i) ? 1 : 0;
    }
    EXPECT_LT(same, 100);
}

TEST(SweepShard, PartitionsThePlaces) {
    for (const std::int64_t count : {1, 3, 7, 16}) {
        for (const std::int64_t places : {1, 5, 48, 100}) {
            std::int64_t sum = 0;
            for (std::int64_t index = 1; index <= count; ++index) {
                const Shard shard{index, count};
                std::int64_t own = 0;
                for (std::int64_t place = 0; place < places; ++place) {
                    own += shard.has(place) ? 1 : 0;
                }
                EXPECT_EQ(own, shard.size(places));
                sum += own;
            }
            EXPECT_EQ(sum, places);
        }
    }
}

TEST(SweepShard, IsReadAsAFractionOrFromSlurm) {
    EXPECT_EQ(parse_shard("3/16").index, 3);
    EXPECT_EQ(parse_shard("3/16").count, 16);
    for (const char* bad : {"", "3", "0/4", "5/4", "1/0", "a/b", "1/2/3", "1/999999999"}) {
        EXPECT_THROW(parse_shard(bad), Error) << bad;
    }
    unsetenv("SLURM_ARRAY_TASK_ID");
    EXPECT_THROW(parse_shard("slurm"), Error);
    setenv("SLURM_ARRAY_TASK_ID", "12", 1);
    setenv("SLURM_ARRAY_TASK_MIN", "10", 1);
    setenv("SLURM_ARRAY_TASK_COUNT", "4", 1);
    EXPECT_EQ(parse_shard("slurm").index, 3);
    EXPECT_EQ(parse_shard("slurm").count, 4);
    setenv("SLURM_ARRAY_TASK_ID", "15", 1);
    EXPECT_THROW(parse_shard("slurm"), Error);
    for (const char* name :
         {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"}) {
        unsetenv(name);
    }
}

TEST(SweptSizes, FollowParadnnsFormula) {
    const SweepSpec spec = parse_sweep(
        "batch = [8, 16]\ndevice = \"v100\"\n[[network]]\nfamily = \"fc\"\nlayers = [2, 5]\n"
        "nodes = 32\ninputs = 100\noutputs = 10\n",
        "small.toml");
    const auto sizes = sizes_of(spec, 4, 100);
    ASSERT_EQ(sizes.size(), 2U);  // batches are not networks
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double layers = i == 0 ? 2 : 5;
        const double weights = 32 * 32 * (layers - 1) + 32 * 100 + 32 * 10;
        EXPECT_EQ(sizes[i].of(SizeQuantity::parameters), weights + 32 * layers + 10);
        // Besides the products, only biases, activations and the loss.
        EXPECT_GE(sizes[i].of(SizeQuantity::operations), 2 * weights);
        EXPECT_LT(sizes[i].of(SizeQuantity::operations), 2.2 * weights);
        EXPECT_GT(sizes[i].of(SizeQuantity::intensity), 0);
    }
    EXPECT_EQ(sizes_of(spec, 4, 1).size(), 1U);
}

TEST(SweptSizes, SayHowManyRealNetworksTheyCover) {
    const SizedNetworks grid{"grid", {{"a", {10, 1, 1}}, {"b", {30, 1, 1}}, {"c", {20, 1, 1}}}};
    const SizedNetworks real{
        "zoo", {{"x", {10, 2, 1}}, {"y", {31, 0, 1}}, {"z", {15, 0, 1}}, {"w", {25, 0, 1}}}};
    const SizeRange range = range_of(grid, SizeQuantity::parameters, real);
    EXPECT_EQ(range.percentiles[0], 10);
    EXPECT_EQ(range.percentiles[2], 20);
    EXPECT_EQ(range.percentiles[4], 30);
    EXPECT_EQ(range.covered, 0.75);
    EXPECT_EQ(range_of(grid, SizeQuantity::operations, real).covered, 0);
}

}  // namespace
}  // namespace strata
