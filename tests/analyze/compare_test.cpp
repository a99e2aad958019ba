// SPDX-License-Identifier: MIT
#include "analyze/compare.h"

#include "base/random.h"
#include "tests/support/scripted_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {
namespace {

using testing::run_of;
using testing::scripted_step;

// Assumes that the machine's processes are all alike, so that one per side suffices.
constexpr double alike = 1e-6;
const ComparisonRules steady = {.spread = {.processes = alike}};

Comparison compare_steady(const strata::Run& before, const strata::Run& after) {
    return compare(std::span(&before, 1), std::span(&after, 1), steady);
}

// Enough samples around a time for an interval.
std::vector<Seconds> around(double time) {
    std::vector<Seconds> values;
    for (const double share : {0.98, 0.99, 1.0, 1.0, 1.0, 1.01, 1.02, 1.0, 0.99, 1.01}) {
        values.push_back(Seconds{time * share});
    }
    return values;
}

StepResult included(std::string layer, std::string step) {
    StepResult result = scripted_step(std::move(layer), Pass::forward, {});
    result.time = Included{std::move(step)};
    return result;
}

TEST(Compare, AStepIsFasterSlowerOrTheSame) {
    const strata::Run before = run_of({scripted_step("a", Pass::forward, around(2)),
                                       scripted_step("b", Pass::forward, around(1)),
                                       scripted_step("c", Pass::forward, around(1))});
    const strata::Run after = run_of({scripted_step("a", Pass::forward, around(1)),
                                      scripted_step("b", Pass::forward, around(1.005)),
                                      scripted_step("c", Pass::forward, around(3))});
    const auto rows = compare_steady(before, after).rows;
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].verdict, Verdict::faster);
    EXPECT_NEAR(rows[0].ratio->value, 0.5, 1e-9);
    EXPECT_LT(rows[0].ratio->low, 0.5);
    EXPECT_GT(rows[0].ratio->high, 0.5);
    EXPECT_EQ(rows[1].verdict, Verdict::same);
    EXPECT_EQ(rows[2].verdict, Verdict::slower);
}

// A profile of one iteration, and one whose iterations all took equally long.
TEST(Compare, AFewSamplesShowOnlyALargeDifference) {
    for (const std::size_t samples : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
        const auto profile = [&](double factor) {
            strata::Run run;
            for (const char* layer : {"a", "b", "c", "d"}) {
                run.steps.push_back(scripted_step(
                    layer, Pass::forward, std::vector<Seconds>(samples, Seconds{1e-3 * factor})));
            }
            run.origin = Origin::imported;
            return run;
        };
        const Comparison twice = compare(profile(1), profile(2));
        EXPECT_FALSE(twice.whole.verdict);
        EXPECT_EQ(twice.sum.verdict, Verdict::slower) << samples;
        EXPECT_EQ(twice.rows.front().verdict, Verdict::slower) << samples;
        EXPECT_TRUE(twice.assumes_samples);
        EXPECT_EQ(compare(profile(2), profile(1)).sum.verdict, Verdict::faster) << samples;
        EXPECT_EQ(compare(profile(1), profile(1.05)).sum.verdict, Verdict::unclear) << samples;
        EXPECT_EQ(compare(profile(1), profile(1)).sum.verdict, Verdict::unclear) << samples;
    }
}

TEST(Compare, StepsOfEquallyManyIterationsAreSummedByIteration) {
    const strata::Run before = run_of({scripted_step("a", Pass::forward, around(2)),
                                       scripted_step("b", Pass::forward, around(1)),
                                       scripted_step("only before", Pass::forward, around(5))});
    const strata::Run after = run_of({scripted_step("a", Pass::forward, around(1)),
                                      scripted_step("b", Pass::forward, {Seconds{1}})});
    const Comparison comparison = compare_steady(before, after);
    EXPECT_NEAR(comparison.sum.before->median.value, 3, 1e-9);
    EXPECT_EQ(comparison.sum.before->samples, around(1).size());
    EXPECT_NEAR(comparison.sum.after->median.value, 2, 1e-9);
    EXPECT_EQ(comparison.sum.after->samples, 1U);
    EXPECT_NEAR(comparison.sum.ratio->value, 2.0 / 3, 1e-9);
}

TEST(Compare, LayersFusedInOneRunAreOneRow) {
    const strata::Run before = run_of({scripted_step("conv", Pass::forward, around(2)),
                                       scripted_step("relu", Pass::forward, around(1))});
    const strata::Run after = run_of(
        {scripted_step("conv", Pass::forward, around(2.4)), included("relu", "conv forward")});
    const auto rows = compare(before, after).rows;
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].layers, (std::vector<std::string>{"conv", "relu"}));
    EXPECT_NEAR(rows[0].before->median.value, 3, 1e-9);
    EXPECT_NEAR(rows[0].ratio->value, 0.8, 1e-9);
    EXPECT_EQ(compare(after, before).rows.front().layers, rows[0].layers);
}

// Five processes of one side; those of the other began just before and took equally long.
std::vector<strata::Run> processes(std::int64_t first_id, std::int64_t distance, double factor) {
    std::vector<strata::Run> runs;
    for (const double level : {1.0, 1.6, 0.7, 1.3, 2.0}) {
        runs.push_back(run_of({scripted_step("a", Pass::forward, around(level * factor))}));
        runs.back().id = first_id;
        runs.back().whole.end_to_end.values = around(level * factor);
        first_id += distance;
    }
    return runs;
}

TEST(Compare, NeighboursAreComparedIfTheSidesAlternated) {
    const auto before = processes(1, 2, 1);
    const auto after = processes(2, 2, 1.1);
    const Comparison in_turn = compare(before, after);
    EXPECT_TRUE(in_turn.in_turn);
    EXPECT_EQ(in_turn.whole.verdict, Verdict::slower);
    EXPECT_EQ(in_turn.rows.front().verdict, Verdict::slower);
    EXPECT_NEAR(in_turn.whole.ratio->value, 1.1, 1e-9);
    const Comparison one_after_the_other = compare(before, processes(11, 2, 1.1));
    EXPECT_FALSE(one_after_the_other.in_turn);
    EXPECT_EQ(one_after_the_other.whole.verdict, Verdict::unclear);
    EXPECT_EQ(one_after_the_other.rows.front().verdict, Verdict::unclear);
}

TEST(Compare, RoundsEndOnceTheWholeIsKnownWithinTheMarginOrAtTheLimit) {
    const RoundLimits limits{.fewest = 3, .most = 5};
    std::vector<strata::Run> steady;
    std::vector<strata::Run> restless;
    for (std::int64_t i = 0; i < 5; ++i) {
        steady.push_back(run_of({}));
        restless.push_back(run_of({}));
        steady.back().whole.end_to_end.values = around(1);
        restless.back().whole.end_to_end.values = around(i % 2 == 0 ? 1 : 1.3);
    }
    const auto first = [](const std::vector<strata::Run>& runs, std::size_t count) {
        return std::span(runs).first(count);
    };
    EXPECT_FALSE(ends_comparison(first(steady, 2), first(steady, 2), limits));
    EXPECT_TRUE(ends_comparison(first(steady, 3), first(steady, 3), limits));
    EXPECT_FALSE(ends_comparison(first(steady, 4), first(restless, 4), limits));
    EXPECT_TRUE(ends_comparison(steady, restless, limits));
}

TEST(Compare, AStepThatOnlyOneRunMeasuredHasNoRatio) {
    const strata::Run before = run_of({scripted_step("a", Pass::forward, around(1))});
    const strata::Run after = run_of({scripted_step("a", Pass::forward, around(1)),
                                      scripted_step("b", Pass::forward, around(1))});
    const auto rows = compare(before, after).rows;
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].verdict, std::nullopt);
    EXPECT_FALSE(rows[1].before);
    EXPECT_TRUE(rows[1].after);
}

TEST(Compare, DifferentSettingsAreNamedWithoutThePolicy) {
    Settings before;
    set_policy(before, "max_time=1");
    Settings after = before;
    set_stored(after, "algorithm", "winograd");
    set_policy(after, "max_time=9");
    set_further(after, "fuse", "on");
    EXPECT_EQ(differences_between(before, after),
              (std::vector<SettingDifference>{{"algorithm", "auto", "winograd"},
                                              {"fuse", "default", "on"}}));
    EXPECT_TRUE(differences_between(before, before).empty());
}

TEST(Compare, AnIncompleteRunIsNotCompared) {
    strata::Run before = run_of({scripted_step("a", Pass::forward, around(2)),
                                 scripted_step("b", Pass::forward, around(1))});
    strata::Run after = before;
    before.whole.end_to_end.values = after.whole.end_to_end.values = around(3);
    EXPECT_EQ(compare(before, after).refusal, "");
    after.id = 7;
    after.steps[1].time = Skipped{"no bf16 here"};
    const Comparison comparison = compare(before, after);
    EXPECT_EQ(comparison.refusal,
              "run 7 is incomplete: 1 of 2 steps could not run here (b forward: no bf16 here)");
    EXPECT_TRUE(comparison.rows.empty());
    EXPECT_FALSE(comparison.whole.ratio);
}

TEST(Compare, AnUnavailableAlgorithmIsReplacedByTheOneThatRan) {
    StepResult convolution = scripted_step("a", Pass::forward, around(1));
    convolution.operation = "convolution";
    convolution.algorithm = "direct";
    strata::Run before = run_of({convolution});
    strata::Run after = before;
    set_stored(after.settings, "algorithm", "winograd");
    EXPECT_EQ(compare(before, after).differences,
              (std::vector<SettingDifference>{
                  {"algorithm", "auto (direct)", "direct instead of winograd"}}));
}

// One run fuses a with b, another b with c.
TEST(Compare, OverlappingFusedOperationsAreOneRow) {
    const strata::Run before =
        run_of({scripted_step("a", Pass::forward, around(2)), included("b", "a forward"),
                scripted_step("c", Pass::forward, around(1))});
    const strata::Run after =
        run_of({scripted_step("a", Pass::forward, around(1)),
                scripted_step("b", Pass::forward, around(1)), included("c", "b forward")});
    const auto rows = compare(before, after).rows;
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].layers, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_NEAR(rows[0].before->median.value, 3, 1e-9);
    EXPECT_NEAR(rows[0].after->median.value, 2, 1e-9);
}

TEST(Compare, ThePartsOfEachSideAddUpToItsIteration) {
    strata::Run before = run_of({scripted_step("a", Pass::forward, around(2)),
                                 scripted_step("b", Pass::forward, around(1))});
    strata::Run after = run_of({scripted_step("a", Pass::forward, around(2)),
                                scripted_step("c", Pass::forward, around(4))});
    before.whole.end_to_end.values = around(3.5);
    after.whole.end_to_end.values = around(5.5);
    const Comparison comparison = compare(before, after);
    const auto sum = [](const ComparedParts& parts) {
        return (parts.matched + parts.unmatched + *parts.outside).value;
    };
    EXPECT_NEAR(sum(comparison.before), 3.5, 1e-9);
    EXPECT_NEAR(sum(comparison.after), 5.5, 1e-9);
    EXPECT_NEAR(comparison.before.unmatched.value, 1, 1e-9);
    EXPECT_NEAR(comparison.after.unmatched.value, 4, 1e-9);
    EXPECT_NEAR(comparison.after.outside->value, -0.5, 1e-9);
}

// A difference explained by a slower machine is not a finding; over several processes it is part of
// the spread.
TEST(Compare, AMachineThatRanSlowerWidensTheIntervalsOfSingleProcesses) {
    strata::Run before = run_of({scripted_step("a", Pass::forward, around(1))});
    strata::Run after = run_of({scripted_step("a", Pass::forward, around(1.06))});
    EXPECT_EQ(compare_steady(before, after).rows.at(0).verdict, Verdict::slower);
    before.whole.calibration.values = around(1);
    after.whole.calibration.values = around(1.08);
    const Comparison comparison = compare_steady(before, after);
    EXPECT_NEAR(comparison.machine_change.value(), 0.08, 1e-9);
    EXPECT_EQ(comparison.rows.at(0).verdict, Verdict::unclear);
    const std::vector<strata::Run> many_before(3, before), many_after(3, after);
    EXPECT_EQ(compare(many_before, many_after).rows.at(0).verdict, Verdict::slower);
}

TEST(Compare, ATimeOfZeroHasNoRatio) {
    const strata::Run before = run_of({scripted_step("a", Pass::forward, around(0))});
    EXPECT_FALSE(compare(before, before).rows.at(0).ratio);
    EXPECT_FALSE(compare(before, before).rows.at(0).verdict);
}

TEST(Compare, AModelIsComparedAlthoughItHasOneTime) {
    strata::Run model = run_of({scripted_step("a", Pass::forward, {Seconds{2.0}})});
    model.origin = Origin::modelled;
    const strata::Run measured = run_of({scripted_step("a", Pass::forward, around(1))});
    EXPECT_EQ(compare(measured, model).rows.at(0).verdict, Verdict::slower);
}

// Normal noise of 3 %, and of `between` between processes.
std::vector<strata::Run> launched(RandomStream random, std::size_t launches, double between,
                                  double factor) {
    constexpr std::size_t layers = 20, samples = 15;
    std::uint64_t next = 0;
    const auto noise = [&](double deviation) {
        return 1 + deviation * static_cast<double>(random.normal(next++));
    };
    std::vector<strata::Run> runs;
    for (std::size_t launch = 0; launch < launches; ++launch) {
        std::vector<StepResult> steps;
        for (std::size_t layer = 0; layer < layers; ++layer) {
            const double level = factor * noise(between);
            std::vector<Seconds> times;
            for (std::size_t sample = 0; sample < samples; ++sample) {
                times.push_back(Seconds{level * noise(0.03)});
            }
            steps.push_back(
                scripted_step(fmt::format("layer{}", layer), Pass::forward, std::move(times)));
        }
        runs.push_back(run_of(std::move(steps)));
    }
    return runs;
}

// How many of the rows of `repetitions` comparisons have the verdict.
int count_verdicts(Verdict verdict, int repetitions, double factor) {
    int count = 0;
    for (int i = 0; i < repetitions; ++i) {
        const auto seed = static_cast<std::uint64_t>(i);
        const auto before = launched(RandomStream(seed, 1), 3, 0.005, 1);
        const auto after = launched(RandomStream(seed, 2), 3, 0.005, factor);
        count += static_cast<int>(
            std::ranges::count(compare(before, after).rows, verdict, &ComparedTime::verdict));
    }
    return count;
}

TEST(Compare, EqualRunsAreRarelyCalledDifferent) {
    EXPECT_LE(count_verdicts(Verdict::faster, 50, 1) + count_verdicts(Verdict::slower, 50, 1), 10)
        << "of 1,000 rows";
}

TEST(Compare, ATenthMoreTimeIsFound) {
    EXPECT_GE(count_verdicts(Verdict::slower, 10, 1.1), 190) << "of 200 rows";
    EXPECT_EQ(count_verdicts(Verdict::faster, 10, 1.1), 0);
    EXPECT_EQ(count_verdicts(Verdict::same, 10, 1.1), 0);
}

// A stored run of one process: its level varies between processes, and its samples are noisy, more
// so in a disturbed tenth of the processes.
strata::Run stored_run(RandomStream& random, std::uint64_t& next, double between, double factor) {
    const auto normal = [&] { return static_cast<double>(random.normal(next++)); };
    const bool is_disturbed = random.uniform(next++) < 0.1;
    const double level = factor * std::exp(between * normal());
    std::vector<Seconds> times, loop;
    for (int sample = 0; sample < 30; ++sample) {
        const double noise = 0.01 * normal();
        times.push_back(Seconds{level * std::exp(noise + (is_disturbed ? 0.03 * normal() : 0))});
        loop.push_back(Seconds{1e-3 * std::exp(0.002 * normal())});
    }
    strata::Run run = run_of({scripted_step("a", Pass::forward, times)});
    run.whole.end_to_end.values = times;
    run.whole.calibration.values = loop;
    return run;
}

// How many of `repetitions` comparisons of two stored runs have the verdict.
int count_stored(Verdict verdict, int repetitions, double between, double factor,
                 const ComparisonRules& rules = {}) {
    RandomStream random(17, 3);
    std::uint64_t next = 0;
    int count = 0;
    for (int i = 0; i < repetitions; ++i) {
        const strata::Run before = stored_run(random, next, between, 1);
        const strata::Run after = stored_run(random, next, between, factor);
        count += compare_whole({&before, 1}, {&after, 1}, rules).verdict == verdict ? 1 : 0;
    }
    return count;
}

// Processes of a quiet machine differ by 0.5 to 3 %.
TEST(Compare, ThreeTenthsMoreTimeIsFoundInTwoStoredRunsByThePrior) {
    for (const double between : {0.005, 0.015, 0.03}) {
        EXPECT_GE(count_stored(Verdict::slower, 300, between, 1.3), 285) << between;
        EXPECT_GE(count_stored(Verdict::slower, 300, between, 1.4), 285) << between;
    }
}

TEST(Compare, EqualStoredRunsAreCalledDifferentInAtMostOnePercent) {
    for (const double between : {0.005, 0.015, 0.03, 0.05}) {
        EXPECT_LE(count_stored(Verdict::slower, 500, between, 1) +
                      count_stored(Verdict::faster, 500, between, 1),
                  between < 0.05 ? 5 : 10)  // the prior itself predicts 5, give or take 2
            << between;
    }
}

TEST(Compare, AMachineWhoseProcessesWereMeasuredShowsSmallerDifferences) {
    const ComparisonRules own{.spread = {.processes = 0.01, .created = "2026-11-27T00:00:00Z"}};
    EXPECT_LE(count_stored(Verdict::slower, 200, 0.015, 1.1), 20);
    EXPECT_GE(count_stored(Verdict::slower, 200, 0.01, 1.1, own), 190);
    EXPECT_LE(count_stored(Verdict::slower, 500, 0.01, 1, own), 5);
}

// The sides alternated on a noisy machine: it drifts by 1 % between processes, processes differ by
// 2 %, and 15 % of them are disturbed by 15 % on average.
std::pair<std::vector<strata::Run>, std::vector<strata::Run>> noisy_rounds(std::uint64_t seed,
                                                                           double factor) {
    RandomStream random(seed, 5);
    std::uint64_t next = 0;
    double machine = 0;
    std::pair<std::vector<strata::Run>, std::vector<strata::Run>> sides;
    const auto process = [&](double share) {
        machine += 0.01 * static_cast<double>(random.normal(next++));
        double level = machine + 0.02 * static_cast<double>(random.normal(next++));
        const bool is_disturbed = random.uniform(next++) < 0.15;
        level -= is_disturbed ? 0.15 * std::log(1 - random.uniform(next++)) : 0;
        strata::Run run = run_of({});
        run.id = static_cast<std::int64_t>(next);
        run.whole.end_to_end.values = {Seconds{share * std::exp(level)}};
        return run;
    };
    for (int round = 0; round < RoundLimits().most; ++round) {
        for (const bool is_first : {true, false}) {
            const bool is_before = is_first == (round % 2 == 0);
            (is_before ? sides.first : sides.second).push_back(process(is_before ? 1 : factor));
        }
    }
    return sides;
}

Verdict verdict_of_rounds(std::uint64_t seed, double factor) {
    const auto [before, after] = noisy_rounds(seed, factor);
    for (std::size_t rounds = 1;; ++rounds) {
        const auto some_before = std::span(before).first(rounds);
        const auto some_after = std::span(after).first(rounds);
        if (ends_comparison(some_before, some_after, RoundLimits())) {
            return *compare_whole(some_before, some_after).verdict;
        }
    }
}

TEST(Compare, FivePercentInInterleavedRoundsIsFoundOnANoisyMachine) {
    int found = 0, wrong = 0;
    constexpr int repetitions = 60;
    for (int i = 0; i < repetitions; ++i) {
        const auto seed = static_cast<std::uint64_t>(i);
        found += verdict_of_rounds(seed, 1.05) == Verdict::slower ? 1 : 0;
        const Verdict equal = verdict_of_rounds(1000 + seed, 1);
        wrong += equal == Verdict::slower || equal == Verdict::faster ? 1 : 0;
    }
    EXPECT_GE(found, 57);  // 95 %
    EXPECT_LE(wrong, 2);   // 1 is expected at most
}

// For any samples, few or many, near or far apart.
TEST(Compare, AVerdictAgreesWithItsInterval) {
    RandomStream random(23, 1);
    std::uint64_t next = 0;
    const auto uniform = [&](double low, double high) {
        return low + (high - low) * random.uniform(next++);
    };
    const auto side = [&](std::size_t processes, std::size_t samples, double noise) {
        std::vector<strata::Run> runs;
        for (std::size_t i = 0; i < processes; ++i) {
            std::vector<StepResult> steps;
            for (const char* layer : {"a", "b", "c", "d", "e", "f"}) {
                const double level = std::exp(uniform(-0.2, 0.2));
                std::vector<Seconds> times;
                for (std::size_t k = 0; k < samples; ++k) {
                    times.push_back(Seconds{level * std::exp(noise * uniform(-1, 1))});
                }
                steps.push_back(scripted_step(layer, Pass::forward, std::move(times)));
            }
            runs.push_back(run_of(std::move(steps)));
            runs.back().whole.end_to_end = std::get<Samples>(runs.back().steps[0].time);
        }
        return runs;
    };
    std::array<int, 4> seen = {};
    for (int i = 0; i < 150; ++i) {
        const double noise = std::pow(10, uniform(-4, 0));
        const auto before = side(1 + next % 5, 1 + next % 9, noise);
        const auto after = side(1 + next % 4, 1 + next % 7, noise);
        const double margin = i % 2 == 0 ? 0.02 : 0.2;
        const Comparison comparison = compare(before, after, {.margin = margin});
        std::vector<ComparedTime> all = comparison.rows;
        all.push_back(comparison.whole);
        all.push_back(comparison.sum);
        for (const ComparedTime& time : all) {
            const Ratio& ratio = *time.ratio;
            ASSERT_LE(ratio.low, ratio.value);
            ASSERT_GE(ratio.high, ratio.value);
            EXPECT_EQ(time.verdict, verdict_of(ratio, margin));
            if (time.verdict == Verdict::unclear) {
                EXPECT_LE(ratio.low, 1 + margin);
                EXPECT_GE(ratio.high, 1 / (1 + margin));
            }
            ++seen.at(static_cast<std::size_t>(*time.verdict));
        }
    }
    for (const int count : seen) {
        EXPECT_GT(count, 0) << "of each verdict";
    }
}

}  // namespace
}  // namespace strata
