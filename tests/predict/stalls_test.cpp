// SPDX-License-Identifier: MIT
#include "predict/stalls.h"

#include "op/problem.h"
#include "predict/simulated_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace strata::testing {

namespace {

TEST(ClosedNetwork, OneCustomerNeverWaits) {
    const ClosedNetwork network{.demands = {3, 1, 0.5}, .delay = 10};
    const NetworkFlow flow = flow_of(network, 1);
    EXPECT_EQ(flow.residences, network.demands);
    EXPECT_DOUBLE_EQ(flow.rate, 1 / 14.5);
}

TEST(ClosedNetwork, TheRateNeverExceedsItsBoundsAndReachesThem) {
    const ClosedNetwork network{.demands = {3, 1, 0.5}, .delay = 10};
    double before = 0;
    for (int customers = 1; customers <= 64; ++customers) {
        const NetworkFlow flow = flow_of(network, customers);
        EXPECT_LE(flow.rate, (1 + 1e-12) / 3);                     // the bottleneck
        EXPECT_LE(flow.rate, customers / 14.5);                    // nobody waits
        EXPECT_GE(flow.rate, customers / (10 + customers * 4.5));  // everybody waits for all
        EXPECT_GE(flow.rate, before * (1 - 1e-12));
        EXPECT_NEAR(
            network.delay + std::accumulate(flow.residences.begin(), flow.residences.end(), 0.0),
            flow.round, 1e-12 * flow.round);
        before = flow.rate;
    }
    EXPECT_GT(before, 0.999 / 3.0);
}

// Two equal stations: each holds half of n customers, and R = D (n + 1) / 2.
TEST(ClosedNetwork, EqualStationsShareTheCustomers) {
    const NetworkFlow flow = flow_of({.demands = {2, 2}, .delay = 0}, 7);
    EXPECT_DOUBLE_EQ(flow.residences[0], 2 * (1 + 3.0));
    EXPECT_DOUBLE_EQ(flow.rate, 7 / (2 * (2 * (1 + 3.0))));
}

// A queue with more visits or slower service is longer.
TEST(ClosedNetwork, AFasterStationNeverTakesMoreOfTheRound) {
    double before = 1;
    for (const double demand : {8.0, 4.0, 2.0, 1.0, 0.1, 0.0}) {
        const NetworkFlow flow = flow_of({.demands = {3, demand}, .delay = 20}, 12);
        EXPECT_LE(flow.residences[1] / flow.round, before);
        before = flow.residences[1] / flow.round;
    }
}

std::vector<KernelSimulation> simulated(const std::string& text, const DeviceDescription& device,
                                        Pass pass = Pass::forward) {
    const Problem problem = parse_problem(text);
    const Execution execution;
    return simulate_pass({problem.op, signature_of(problem), pass, execution}, *model_of(device),
                         {.most_accesses = 100'000});
}

const std::vector<std::string> some_problems = {"conv:n4c64h14k64r3p1", "fc:n32c1024k512",
                                                "activation(8x64x28x28) kind=relu",
                                                "softmax(64x1000)"};

TEST(Stalls, SharesSumToTheWholeOnEveryGpuAndNoneIsNegative) {
    for (const char* name : {"k40", "titan-x", "gtx-1080-ti", "v100", "t4", "a100-40", "h100"}) {
        const DeviceDescription device = find_description(name);
        for (const std::string& problem : some_problems) {
            for (const KernelSimulation& kernel : simulated(problem, device)) {
                const auto& shares = kernel.stalls.shares;
                EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-9)
                    << name << ", " << problem << ", " << kernel.name;
                EXPECT_GE(*std::ranges::min_element(shares), 0);
                for (const double busy :
                     {kernel.stalls.issue, kernel.stalls.math, kernel.stalls.shared,
                      kernel.stalls.l1, kernel.stalls.l2, kernel.stalls.dram}) {
                    EXPECT_GE(busy, 0);
                    EXPECT_LE(busy, 1 + 1e-9) << name << ", " << problem << ", " << kernel.name;
                }
            }
        }
    }
}

TEST(Stalls, MoreBandwidthNeverRaisesTheShareOfDram) {
    for (const char* problem : {"activation(8x64x28x28) kind=relu", "softmax(640x1000)"}) {
        double before = 1;
        for (const char* bandwidth : {"dram_bandwidth=0.25x", "dram_bandwidth=1x",
                                      "dram_bandwidth=4x", "dram_bandwidth=16x"}) {
            DeviceDescription device = find_description("gtx-1080-ti");
            change(device, bandwidth);
            const auto kernels = simulated(problem, device);
            EXPECT_LE(kernels.front().stalls.dram_share, before) << problem << ", " << bandwidth;
            before = kernels.front().stalls.dram_share;
        }
    }
}

TEST(Stalls, AStreamWaitsForMemoryAndAProductIssues) {
    const DeviceDescription device = find_description("gtx-1080-ti");
    const auto stream = simulated("activation(64x64x55x55) kind=relu", device).front();
    const auto product = simulated("fc:n4096c1024k4096", device).front();
    EXPECT_GT(stream.stalls[Stall::long_scoreboard], 0.8);
    EXPECT_LT(product.stalls[Stall::long_scoreboard], 0.2);
    EXPECT_GT(product.stalls.instructions_per_cycle, 4 * stream.stalls.instructions_per_cycle);
    EXPECT_GT(product.stalls.math, 0.5);
    EXPECT_GT(stream.stalls.dram, 0.5);
}

}  // namespace

}  // namespace strata::testing
