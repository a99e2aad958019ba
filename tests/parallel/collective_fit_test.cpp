// SPDX-License-Identifier: MIT
#include "parallel/collective_fit.h"

#include "base/error.h"
#include "parallel/collective_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace strata::testing {

namespace {

// Sizes from 512 B to 512 MiB.
std::vector<CollectivePoint> points_on(std::span<const CollectiveLine> lines) {
    std::vector<CollectivePoint> points;
    for (int power = 9; power <= 29; ++power) {
        const Bytes bytes{std::exp2(power)};
        points.push_back({Collective::all_reduce, 2, bytes, time_of(lines, bytes)});
    }
    return points;
}

TEST(CollectiveFit, FindsTheLinesThatPointsLieOn) {
    const std::vector<CollectiveLine> lines = {{Seconds{8e-6}, Bandwidth{20e9}},
                                               {Seconds{30e-6}, Bandwidth{300e9}}};
    const auto points = points_on(lines);
    const auto fitted = fit_lines(points);
    for (const CollectivePoint& point : points) {
        EXPECT_NEAR(time_of(fitted, point.bytes) / point.time, 1, 0.03) << point.bytes.value;
    }
    EXPECT_LT(*left_out_error(points, Bytes{65536}), 0.05);
}

TEST(CollectiveFit, FewPointsHaveOneLineAndNoError) {
    const std::vector<CollectiveLine> line = {{Seconds{8e-6}, Bandwidth{20e9}}};
    auto points = points_on(line);
    points.resize(3);
    EXPECT_EQ(fit_lines(points).size(), 1U);
    EXPECT_FALSE(left_out_error(points, {}));
}

TEST(CollectiveFit, NamesTheAlgorithmThatTimesFollow) {
    const LinkCost link{Seconds{3e-6}, Bandwidth{40e9}, {}, Bandwidth{200e9}};
    for (const auto made_by : {CollectiveAlgorithm::ring, CollectiveAlgorithm::direct}) {
        std::vector<CollectivePoint> points;
        for (const int devices : {2, 4, 8, 16}) {
            for (const double bytes : {1e3, 1e5, 1e6, 1e7, 1e8}) {
                points.push_back(
                    {Collective::all_reduce, devices, Bytes{bytes},
                     *time_of(Collective::all_reduce, made_by, devices, Bytes{bytes}, link)});
            }
        }
        const auto fits = fit_algorithms(points);
        ASSERT_EQ(fits.size(), 4U);
        EXPECT_EQ(fits.front().algorithm, made_by);
        EXPECT_LT(fits.front().error, 0.01);
        EXPECT_GT(fits.back().error, 0.05);
        EXPECT_NEAR(fits.front().cost.latency / link.latency, 1, 0.05);
    }
}

TEST(CollectiveTable, ReadsWhatItWrote) {
    const std::string text =
        "device,library,collective,gpus,bytes,ms\n"
        "h100,nccl,all_reduce,8,1024,0.5\n"
        "h100,nccl,alltoall,2,4096,0.25\n";
    const auto rows = parse_collectives(text, "a.csv");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].point.collective, Collective::all_to_all);
    EXPECT_EQ(rows[1].point.time.value, 0.25e-3);
    EXPECT_EQ(rows[0].point.devices, 8);
    EXPECT_EQ(rows[0].device, "h100");
}

TEST(CollectiveTable, SetsPointsBesideTimesByTheOthers) {
    std::string text = "device,collective,gpus,bytes,ms\n";
    for (int i = 0; i < 12; ++i) {
        const double bytes = 65536.0 * (1 << i);
        text += fmt::format("h100,all_reduce,8,{},{}\n", bytes, 0.01 + bytes * 1e-8);
    }
    const auto found = left_out_collectives(text, "a.csv");
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 12U);
    for (const MeasuredTime& one : *found) {
        EXPECT_EQ(one.machine, "h100");
        EXPECT_NEAR(one.predicted / one.measured, 1, 0.02);
    }
    EXPECT_FALSE(left_out_collectives("device,m,n,k\nv100,1,2,3\n", "b.csv"));
}

TEST(CollectiveTable, RefusesABrokenLineByItsNumber) {
    const std::string header = "collective,gpus,bytes,ms\n";
    for (const char* const line : {"all_reduce,1,8,1", "all_reduce,2,0,1", "all_reduce,2,8,nan",
                                   "reduce,2,8,1", "all_reduce,2,8", "all_reduce,2e9,8,1"}) {
        try {
            parse_collectives(header + "all_reduce,2,8,1\n" + line, "t.csv");
            ADD_FAILURE() << line;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("t.csv:3"), std::string::npos) << line;
        }
    }
    EXPECT_THROW(parse_collectives("a,b\n1,2\n", "t.csv"), Error);
    EXPECT_THROW(parse_collectives("", "t.csv"), Error);
}

}  // namespace

}  // namespace strata::testing
