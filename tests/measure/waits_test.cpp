// SPDX-License-Identifier: MIT
#include "measure/waits.h"

#include "measure/sampler.h"
#include "measure/statistics.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <functional>

namespace strata {
namespace {

using testing::FakeClock;

// Waits planned by a test: those accrued since the last call.
class PlannedWaits final : public WaitingTime {
public:
    void restart() override { accrued = {}; }
    Seconds since_last() override {
        ++readings;
        return std::exchange(accrued, {});
    }

    Seconds accrued;
    int readings = 0;
};

TEST(Waits, OnlyAPieceThatWaitedIsDisturbed) {
    PlannedWaits waits;
    WaitWatch watch(waits, Seconds{1e-3});
    watch.begin();
    EXPECT_TRUE(watch.took(Seconds{2e-3}));
    waits.accrued = {4e-3};
    EXPECT_TRUE(watch.took(Seconds{6e-3}));
    EXPECT_TRUE(watch.took(Seconds{2e-3}));
    const auto found = watch.end();
    ASSERT_EQ(found.size(), 3u);
    EXPECT_FALSE(is_disturbed(Seconds{2e-3}, found[0].longest));
    EXPECT_TRUE(is_disturbed(Seconds{6e-3}, found[1].longest));
    EXPECT_FALSE(is_disturbed(Seconds{2e-3}, found[2].longest));
}

TEST(Waits, ShortPiecesShareAReadingSoThatReadingCostsLittle) {
    PlannedWaits waits;
    WaitWatch watch(waits, Seconds{1e-3});
    watch.begin();
    for (int piece = 0; piece < 100; ++piece) {
        waits.accrued += piece == 5 ? Seconds{3e-4} : Seconds{};
        watch.took(Seconds{1e-4});
    }
    const auto found = watch.end();
    EXPECT_EQ(waits.readings, 10);
    ASSERT_EQ(found.size(), 100u);
    EXPECT_EQ(std::ranges::count_if(found, [](const Wait& w) { return w.longest > Seconds{}; }), 10)
        << "which of them waited is not known";
    EXPECT_EQ(total_of(found), Seconds{3e-4}) << "a reading counts once";
}

TEST(Waits, AWaitMuchShorterThanThePieceDoesNotDisturbIt) {
    EXPECT_FALSE(is_disturbed(Seconds{80e-3}, Seconds{1e-3}));
    EXPECT_TRUE(is_disturbed(Seconds{80e-3}, Seconds{5e-3}));
}

class TaskFolder {
public:
    void write(const std::string& thread, const std::string& schedstat) {
        std::filesystem::create_directories(folder_.path() / thread);
        std::ofstream(folder_.path() / thread / "schedstat") << schedstat;
    }
    const std::filesystem::path& path() const { return folder_.path(); }

private:
    TemporaryDirectory folder_;
};

TEST(Waits, TheLongestWaitOfAnyThreadIsRead) {
    TaskFolder tasks;
    tasks.write("10", "100 5000 3\n");
    tasks.write("11", "100 1000000 3\n");
    const auto waits = thread_waits(tasks.path());
    ASSERT_TRUE(waits);
    EXPECT_EQ(waits->since_last(), Seconds{});
    tasks.write("10", "200 2005000 4\n");
    tasks.write("11", "200 1500000 4\n");
    EXPECT_DOUBLE_EQ(waits->since_last().value, 2e-3);
}

TEST(Waits, ThreadsAddedLaterAreFoundAtTheNextStart) {
    TaskFolder tasks;
    tasks.write("10", "100 0 3\n");
    const auto waits = thread_waits(tasks.path());
    tasks.write("11", "100 0 3\n");
    waits->restart();
    tasks.write("11", "100 3000000 3\n");
    EXPECT_DOUBLE_EQ(waits->since_last().value, 3e-3);
}

TEST(Waits, AKernelThatDoesNotCountThemIsNotUsed) {
    TaskFolder tasks;
    tasks.write("10", "0 0 0\n");
    EXPECT_FALSE(thread_waits(tasks.path()));
    EXPECT_FALSE(thread_waits(tasks.path() / "absent"));
    tasks.write("10", "nonsense\n");
    EXPECT_FALSE(thread_waits(tasks.path()));
}

// An iteration of one part with times and waits planned by a test.
class WatchedIteration final : public Iteration {
public:
    struct Turn {
        Seconds time;
        Seconds waited;
    };

    WatchedIteration(FakeClock& clock, std::function<Turn(std::size_t)> turn)
        : clock_(clock), turn_(std::move(turn)) {}

    Seconds run() override { return pass(); }
    Seconds run_timed(std::span<Seconds> parts) override {
        parts[0] = pass();
        watch_.took(parts[0]);
        return parts[0];
    }
    std::size_t parts() const override { return 1; }
    WaitWatch* watch() override { return &watch_; }

private:
    Seconds pass() {
        const Turn turn = turn_(turns_++);
        waits_.accrued += turn.waited;
        clock_.advance(turn.time);
        return turn.time;
    }

    FakeClock& clock_;
    std::function<Turn(std::size_t)> turn_;
    std::size_t turns_ = 0;
    PlannedWaits waits_;
    WaitWatch watch_{waits_, Seconds{0.25e-3}};
};

SampledIteration sampled_with(const std::function<WatchedIteration::Turn(std::size_t)>& turn) {
    FakeClock clock;
    WatchedIteration iteration(clock, turn);
    return sample(
        iteration, {.warmup = 0, .min_time = {1}},
        [&] {
            clock.advance({7e-4});
            return Seconds{7e-4};
        },
        clock);
}

TEST(Waits, AStepThatOftenWaitsIsTimedByItsUndisturbedSamples) {
    const auto sampled = sampled_with([](std::size_t turn) {
        const Seconds waited{turn % 5 < 3 ? 16e-3 : 0};
        return WatchedIteration::Turn{Seconds{0.4e-3} + waited, waited};
    });
    const Estimate part = estimate(sampled.parts[0]);
    EXPECT_GT(median_of(sampled.parts[0].values), Seconds{10e-3}) << "a quantum of the scheduler";
    EXPECT_EQ(part.median, Seconds{0.4e-3});
    EXPECT_EQ(part.use, SampleUse::clean);
    EXPECT_EQ(part.disturbed + part.samples, sampled.parts[0].values.size());
    EXPECT_NEAR(static_cast<double>(part.disturbed),
                0.6 * static_cast<double>(sampled.parts[0].values.size()), 2);
}

TEST(Waits, AStepThatIsSlowEverySecondTimeByItselfKeepsItsSlowSamples) {
    const auto on_a_machine = [](Seconds delay) {
        return [delay](std::size_t turn) {
            const Seconds waited = turn % 3 == 0 ? delay : Seconds{};
            return WatchedIteration::Turn{Seconds{turn / 2 % 2 == 0 ? 1e-3 : 5e-3} + waited,
                                          waited};
        };
    };
    const auto quiet = sampled_with(on_a_machine(Seconds{}));
    EXPECT_EQ(estimate(quiet.parts[0]), estimate(quiet.parts[0].values));
    const auto busy = sampled_with(on_a_machine(Seconds{8e-3}));
    const auto kept = clean_values(busy.parts[0]);
    const auto slow = std::ranges::count(kept, Seconds{5e-3});
    EXPECT_NEAR(static_cast<double>(slow) / static_cast<double>(kept.size()), 0.5, 0.1);
}

TEST(Waits, AStepThatAlwaysWaitsKeepsAllSamplesAndIsMarked) {
    const auto sampled = sampled_with([](std::size_t) {
        return WatchedIteration::Turn{{20e-3}, {4e-3}};
    });
    const Estimate part = estimate(sampled.parts[0]);
    EXPECT_EQ(part.use, SampleUse::disturbed);
    EXPECT_EQ(part.samples, sampled.parts[0].values.size());
    EXPECT_EQ(part.disturbed, part.samples);
    EXPECT_EQ(estimate(sampled.end_to_end).use, SampleUse::disturbed);
}

TEST(Waits, ThinnedSamplesKeepTheirMarks) {
    const auto sampled = sampled_with([](std::size_t turn) {
        const Seconds waited{turn % 7 == 0 ? 1e-5 : 0};
        return WatchedIteration::Turn{Seconds{1e-5} + waited, waited};
    });
    for (const Samples* samples : {&sampled.end_to_end, &sampled.instrumented, &sampled.parts[0]}) {
        ASSERT_EQ(samples->disturbed.size(), samples->values.size());
    }
    for (std::size_t i = 0; i < sampled.end_to_end.values.size(); ++i) {
        if (sampled.end_to_end.values[i] > Seconds{1.5e-5}) {
            ASSERT_TRUE(sampled.end_to_end.disturbed[i]);
        }
    }
}

TEST(Waits, UnwatchedSamplesOfAnEarlierAttemptCountAsUndisturbed) {
    FakeClock clock;
    WatchedIteration iteration(clock, [](std::size_t) {
        return WatchedIteration::Turn{{2e-3}, {1e-3}};
    });
    SampledIteration earlier;
    earlier.parts = {{{Seconds{1e-3}, Seconds{1e-3}}}};
    earlier.end_to_end = earlier.instrumented = earlier.parts[0];
    const auto sampled = sample(
        iteration, {.warmup = 0, .min_time = {0.1}}, [] { return Seconds{7e-4}; }, clock, {},
        earlier);
    ASSERT_GT(sampled.parts[0].values.size(), 2u);
    ASSERT_EQ(sampled.parts[0].disturbed.size(), sampled.parts[0].values.size());
    EXPECT_FALSE(sampled.parts[0].disturbed[1]);
    EXPECT_TRUE(sampled.parts[0].disturbed[2]);
}

}  // namespace
}  // namespace strata
