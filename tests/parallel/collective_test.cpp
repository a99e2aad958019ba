// SPDX-License-Identifier: MIT
#include "parallel/collective.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata::testing {

namespace {

constexpr LinkCost hockney{Seconds{1e-6}, Bandwidth{1e9}, {}, Bandwidth{4e9}};

double seconds(Collective collective, CollectiveAlgorithm algorithm, int devices, double bytes,
               const LinkCost& link = hockney) {
    return time_of(collective, algorithm, devices, Bytes{bytes}, link)->value;
}

// Thakur, Rabenseifner and Gropp 2005: alpha, beta and gamma terms by number of processes.
TEST(Collective, AllReducesTakeTheirFormulas) {
    for (const int p : {2, 4, 8, 64}) {
        const double n = 1e6, log_p = std::log2(p);
        const double share = (p - 1.0) / p;
        EXPECT_NEAR(seconds(Collective::all_reduce, CollectiveAlgorithm::ring, p, n),
                    2 * (p - 1) * 1e-6 + 2 * share * n / 1e9 + share * n / 4e9, 1e-12);
        EXPECT_NEAR(seconds(Collective::all_reduce, CollectiveAlgorithm::recursive_doubling, p, n),
                    log_p * (1e-6 + n / 1e9 + n / 4e9), 1e-12);
        EXPECT_NEAR(seconds(Collective::all_reduce, CollectiveAlgorithm::tree, p, n),
                    2 * log_p * (1e-6 + n / 1e9) + log_p * n / 4e9, 1e-12);
        EXPECT_NEAR(seconds(Collective::all_reduce, CollectiveAlgorithm::direct, p, n),
                    2e-6 + 2 * share * n / 1e9 + share * n / 4e9, 1e-12);
    }
}

TEST(Collective, GatheringAndScatteringMoveAllButOnesOwnPart) {
    for (const auto algorithm : {CollectiveAlgorithm::ring, CollectiveAlgorithm::recursive_doubling,
                                 CollectiveAlgorithm::direct}) {
        const LinkCost no_latency{Seconds{}, Bandwidth{1e9}};
        EXPECT_NEAR(seconds(Collective::all_gather, algorithm, 8, 8e6, no_latency), 7e-3, 1e-12);
        EXPECT_NEAR(seconds(Collective::reduce_scatter, algorithm, 8, 8e6, no_latency), 7e-3,
                    1e-12);
    }
}

TEST(Collective, OneDeviceHasNothingToSend) {
    for (const auto algorithm : all_collective_algorithms) {
        for (const auto collective : {Collective::all_reduce, Collective::broadcast}) {
            EXPECT_EQ(seconds(collective, algorithm, 1, 1e9), 0);
        }
    }
}

TEST(Collective, AnAlgorithmRefusesWhatItCannotDo) {
    const Bytes bytes{1000};
    EXPECT_FALSE(time_of(Collective::all_to_all, CollectiveAlgorithm::ring, 4, bytes, hockney));
    EXPECT_FALSE(time_of(Collective::all_gather, CollectiveAlgorithm::tree, 4, bytes, hockney));
    EXPECT_FALSE(time_of(Collective::all_reduce, CollectiveAlgorithm::recursive_doubling, 6, bytes,
                         hockney));
}

TEST(Collective, PairsThatExchangeAtOneTimeShareTheRoot) {
    LinkCost link{Seconds{}, Bandwidth{5e9}, Bandwidth{7e9}};
    // Two devices have one pair, which the root does not slow down.
    EXPECT_NEAR(seconds(Collective::all_reduce, CollectiveAlgorithm::tree, 2, 5e9, link), 2, 1e-12);
    // Four have two pairs first: 7/2 GB/s for each; then one.
    EXPECT_NEAR(seconds(Collective::all_reduce, CollectiveAlgorithm::tree, 4, 5e9, link),
                2 * (5 / 3.5 + 1), 1e-12);
}

TEST(Collective, AChainPassesOnTheBestNumberOfPieces) {
    const double pipelined = seconds(Collective::broadcast, CollectiveAlgorithm::ring, 8, 1e8);
    EXPECT_LT(pipelined, 1.1 * 0.1);  // little more than once over the link
    EXPECT_GT(pipelined, 0.1);
    EXPECT_GT(seconds(Collective::broadcast, CollectiveAlgorithm::tree, 8, 1e8), 2.9 * 0.1);
}

}  // namespace

}  // namespace strata::testing
