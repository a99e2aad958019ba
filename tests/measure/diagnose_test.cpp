// SPDX-License-Identifier: MIT
#include "measure/diagnose.h"
#include "tests/measure/synthetic.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::share_of_seeds;
using testing::Synthetic;

SampledIteration sampled(std::vector<Seconds> times, StopReason reason = StopReason::precise) {
    SampledIteration all;
    all.end_to_end.values = times;
    all.instrumented.values = std::move(times);
    all.reason = reason;
    return all;
}

// The kinds of all doubts, joined.
std::string kinds(const SampledIteration& sampled, const ActivityChange& activity = {}) {
    std::string all;
    for (const Doubt& doubt : diagnose(sampled, {}, activity)) {
        all += (all.empty() ? "" : " ") + kind_text(doubt);
    }
    return all;
}

TEST(Diagnose, QuietSeriesGiveNoDoubtInNinetySevenOfAHundredCases) {
    const double quiet =
        share_of_seeds(500, [](Synthetic& s) { return kinds(sampled(s.independent(60))).empty(); });
    EXPECT_GE(quiet, 0.97);
    const double heavy = share_of_seeds(
        500, [](Synthetic& s) { return kinds(sampled(s.heavy_tailed(60))).empty(); });
    EXPECT_GE(heavy, 0.97);
}

TEST(Diagnose, ADriftIsNamedAndItsDependenceIsNotASecondDoubt) {
    EXPECT_EQ(kinds(sampled(Synthetic(1).drifting(200, 0.1))), "drift");
    EXPECT_NE(diagnose(sampled(Synthetic(1).drifting(200, 0.1)), {}, {})[0].sentence.find("rises"),
              std::string::npos);
}

TEST(Diagnose, ADriftWithinTheRequestedPrecisionDoesNotMatter) {
    EXPECT_EQ(kinds(sampled(Synthetic(1).drifting(5000, 0.005))), "");
}

TEST(Diagnose, TwoModesAreNamedUnlessTheyAreClose) {
    EXPECT_EQ(kinds(sampled(Synthetic(1).two_modes(200, 0.4, 0.2))), "bimodal");
    std::vector<Seconds> close;
    for (int i = 0; i < 200; ++i) {
        close.push_back({i * 7 % 3 == 0 ? 1.0 : 1.001});
    }
    EXPECT_EQ(kinds(sampled(close)), "");
}

TEST(Diagnose, DelaysByOtherProgramsAreNotASecondMode) {
    SampledIteration sampled;
    for (int i = 0; i < 200; ++i) {
        const bool delayed = i % 3 == 0;
        sampled.end_to_end.values.push_back({(delayed ? 5e-3 : 1e-3) * (1 + 1e-4 * (i * 7 % 11))});
        sampled.end_to_end.disturbed.push_back(delayed);
    }
    EXPECT_TRUE(diagnose(sampled, {}, {}).empty());
    sampled.end_to_end.disturbed.assign(200, false);
    EXPECT_FALSE(diagnose(sampled, {}, {}).empty()) << "two modes of its own";
}

TEST(Diagnose, AWanderingSpeedIsAutocorrelation) {
    const double seen = share_of_seeds(100, [](Synthetic& s) {
        return kinds(sampled(s.autoregressive(500, 0.9))).find("autocorrelated") !=
               std::string::npos;
    });
    EXPECT_GE(seen, 0.8);
}

TEST(Diagnose, BeingOutOfTimeIsImprecise) {
    EXPECT_EQ(kinds(sampled(Synthetic(1).independent(20), StopReason::budget)), "imprecise");
    const auto few = diagnose(sampled({{30}, {31}}, StopReason::budget), {}, {});
    ASSERT_EQ(few.size(), 1u);
    EXPECT_EQ(few[0].sentence.find("only 2 samples fit"), 0u);
    const auto one = diagnose(sampled({{30}}, StopReason::budget), {}, {});
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].sentence.find("only 1 sample fits"), 0u);
}

TEST(Diagnose, ImprecisionIsStatedInPercent) {
    const auto doubts = diagnose(
        sampled({{1}, {9}, {1}, {1}, {9}, {1}, {9}, {1}, {9}, {1}, {9}, {1}}, StopReason::budget),
        {}, {});
    ASSERT_FALSE(doubts.empty());
    EXPECT_EQ(doubts[0].sentence.find("after 12 samples the median is only precise to ± 400 %"), 0u)
        << doubts[0].sentence;
}

TEST(Diagnose, AnUnevenCalibrationLoopShowsANeighbour) {
    auto disturbed = sampled(std::vector<Seconds>(20, Seconds{1}));
    disturbed.calibration.values = std::vector<Seconds>(20, Seconds{7e-4});
    EXPECT_EQ(kinds(disturbed), "");
    for (std::size_t i = 0; i < 6; ++i) {
        disturbed.calibration.values[i] = {1.2e-3};
    }
    EXPECT_EQ(kinds(disturbed), "noisy-neighbour");
}

TEST(Diagnose, MachineActivityIsNamedAndUnknownCountersAreNot) {
    const auto still = sampled(std::vector<Seconds>(20, Seconds{1}));
    EXPECT_EQ(kinds(still, {.elapsed = {10},
                            .stolen_share = 0.05,
                            .preemptions_per_second = 100,
                            .major_faults = 3,
                            .throttled = Seconds{1}}),
              "steal preempted throttled paging");
    EXPECT_EQ(kinds(still, {.elapsed = {10},
                            .stolen_share = 0.001,
                            .preemptions_per_second = 2,
                            .major_faults = 0,
                            .throttled = Seconds{0}}),
              "");
}

TEST(Diagnose, ADevicesOwnTimesAreNotDoubtedForThisMachinesProcessors) {
    auto disturbed = sampled(std::vector<Seconds>(20, Seconds{1}));
    disturbed.calibration.values = std::vector<Seconds>(20, Seconds{7e-4});
    std::fill_n(disturbed.calibration.values.begin(), 6, Seconds{4e-3});
    const ActivityChange activity{.elapsed = {10},
                                  .stolen_share = 0.05,
                                  .preemptions_per_second = 100,
                                  .major_faults = 3,
                                  .throttled = Seconds{1}};
    EXPECT_TRUE(diagnose(disturbed, {}, activity, TimedWork::device).empty());
    const auto launched = diagnose(disturbed, {}, activity, TimedWork::launches);
    ASSERT_EQ(launched.size(), 5u);
    for (const std::size_t on_launches : {0UL, 2UL}) {
        const std::string& sentence = launched[on_launches].sentence;
        EXPECT_NE(sentence.find("the GPU may have waited for launches"), std::string::npos)
            << sentence;
    }
    EXPECT_FALSE(
        diagnose(sampled(Synthetic(1).drifting(200, 0.1)), {}, {}, TimedWork::device).empty())
        << "its times themselves are still judged";
}

TEST(Diagnose, WithoutSamplesThereIsNoDoubt) {
    EXPECT_EQ(kinds(sampled({}, StopReason::interrupted)), "");
}

TEST(Circumstances, OneThreadPerProcessorOnAnIdleMachineRaisesNoDoubt) {
    EXPECT_TRUE(diagnose(Circumstances{.threads = 2, .processors = 2}).empty());
}

TEST(Circumstances, MoreThreadsThanProcessorsAreADoubt) {
    const auto doubts = diagnose(Circumstances{.threads = 8, .processors = 2});
    ASSERT_EQ(doubts.size(), 1u);
    EXPECT_EQ(doubts[0].kind, DoubtKind::oversubscribed);
    EXPECT_NE(doubts[0].sentence.find("--threads 2 or fewer"), std::string::npos);
}

TEST(Circumstances, AnotherStrataOnTheMachineIsADoubt) {
    const auto doubts = diagnose(Circumstances{.is_shared = true});
    ASSERT_EQ(doubts.size(), 1u);
    EXPECT_EQ(doubts[0].kind, DoubtKind::shared_machine);
}

}  // namespace
}  // namespace strata
