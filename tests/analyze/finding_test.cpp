// SPDX-License-Identifier: MIT
#include "analyze/finding.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

using Shares = std::vector<std::pair<Stall, double>>;

SimulatedStep step(const std::string& layer, Pass pass, double seconds, const Shares& stalls,
                   double queued = 0) {
    KernelSimulation kernel{.name = "k", .runs = 2, .time = Seconds{seconds}};
    kernel.instructions.multiply_adds = 60;
    kernel.traffic.l2.sectors = {.reads = 100, .read_hits = 25};
    kernel.traffic.dram_reads = 75;
    for (const auto& [stall, share] : stalls) {
        kernel.stalls.shares[static_cast<std::size_t>(stall)] = share;
    }
    kernel.stalls.time = Seconds{queued};
    return {.layer = layer, .pass = pass, .kernels = {kernel}};
}

const Shares mixed = {{Stall::selected, 0.5},
                      {Stall::long_scoreboard, 0.25},
                      {Stall::lg_throttle, 0.05},
                      {Stall::wait, 0.2}};

// On "slow" and on "fast", on which a's weights take less time when bypassing the first-level
// cache.
const SimulatedNetwork& simulation(const std::string& device, std::optional<bool> bypass) {
    const auto network = [](double times, double queued) {
        return SimulatedNetwork{.steps = {step("a1", Pass::forward, times, mixed, 4),
                                          step("a1", Pass::backward_weights, times, mixed, queued),
                                          step("a1", Pass::update, 100, mixed),
                                          step("b1", Pass::forward, 2 * times, mixed, 4),
                                          step("b1", Pass::backward_weights, times, mixed, 4)}};
    };
    static const SimulatedNetwork slow = network(3, 4), fast = network(1, 4), past = network(1, 2);
    return device == "slow" ? slow : bypass ? past : fast;
}

ComparedFinding compared(PublishedFinding finding) {
    finding.device = finding.device.empty() ? "fast" : finding.device;
    return compare_finding(finding, simulation);
}

TEST(PublishedFinding, LayersCountTogetherWithoutTheUpdate) {
    EXPECT_DOUBLE_EQ(compared({.measure = FindingMeasure::time_share, .layers = "a*"}).ours.value(),
                     40);
    EXPECT_DOUBLE_EQ(
        compared({.measure = FindingMeasure::l2_read_hit_rate, .layers = "a*"}).ours.value(), 25);
    EXPECT_DOUBLE_EQ(
        compared({.measure = FindingMeasure::speedup, .over = "slow", .layers = "*"}).ours.value(),
        3);
    EXPECT_DOUBLE_EQ(
        compared({.measure = FindingMeasure::multiply_add_ratio, .over = "slow", .layers = "*"})
            .ours.value(),
        1);
    EXPECT_FALSE(
        compared({.measure = FindingMeasure::time_share, .layers = "c*"}).ours.has_value());
}

TEST(PublishedFinding, TheGainByBypassingIsThatOfTheBestLayer) {
    const PublishedFinding finding{.measure = FindingMeasure::bypass_gain,
                                   .layers = "*",
                                   .pass = std::string(name_of(Pass::backward_weights))};
    EXPECT_DOUBLE_EQ(compared(finding).ours.value(), 100);
    PublishedFinding other = finding;
    other.layers = "b*";
    EXPECT_DOUBLE_EQ(compared(other).ours.value(), 0);
}

TEST(PublishedFinding, ALayerIsFirstByDramThroughputUnlessAnotherIsFaster) {
    EXPECT_EQ(compared({.measure = FindingMeasure::dram_rate_rank, .layers = "a*"}).ours, 1);
    EXPECT_EQ(compared({.measure = FindingMeasure::dram_rate_rank, .layers = "b*"}).ours, 2);
}

TEST(PublishedFinding, ComparesAsManyStallsAsArePublished) {
    const auto found = compared({.measure = FindingMeasure::top_stalls,
                                 .layers = "a*",
                                 .stalls = {StallReason::memory, StallReason::not_selected}});
    EXPECT_EQ(found.stalls,
              (std::vector{StallReason::memory_dependency, StallReason::execution_dependency}));
    EXPECT_EQ(found.agreeing, 1U);
    const auto share = compared({.measure = FindingMeasure::stall_share,
                                 .layers = "a*",
                                 .stalls = {StallReason::memory_throttle}});
    EXPECT_DOUBLE_EQ(share.ours.value(), 10);  // 0.05 of 0.5
}

}  // namespace

}  // namespace strata::testing
