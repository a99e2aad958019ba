// SPDX-License-Identifier: MIT
#include "sweep/measured.h"

#include "store/owner.h"
#include "store/statement.h"
#include "tests/support/scripted_backend.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <set>

namespace strata {
namespace {

using strata::testing::ScriptedBackend;
using strata::testing::ScriptedExecutable;

// Sweeps of tiny networks on a scripted backend, in their own database.
class MeasuredSweeps : public ::testing::Test {
protected:
    MeasuredSweeps() {
        spec_ = parse_sweep(
            "batch = [1, 2]\nanchor_every = 4\n"
            "options = { warmup = 0, min_time = 0, max_time = 0.2, min_samples = 3, precision = "
            "\"100%\" "
            "}\n"
            "[[network]]\nfamily = \"fc\"\nlayers = [1, 2, 3]\nnodes = [4, 8]\ninputs = 4\n"
            "outputs = 4\n",
            "tiny.toml");
        spec_.backends = {"scripted"};
        hooks_.campaign.backend = [this](const Job&) {
            return std::make_unique<ScriptedBackend>(script_);
        };
        hooks_.campaign.observer.stop = &stop_;
        hooks_.begins = [this](const StoredPoint& point) {
            if (point.repeat == 0) {
                order_.push_back(point.position);
            }
        };
    }

    ExitCode measure(const Shard& shard = {}) {
        return measure_sweep(spec_, part_of(shard, count_points(spec_)), database_, hooks_);
    }
    StoredSweep stored() const {
        return StoredSweep::open(database_, spec_.name, identity_of(spec_), count_points(spec_));
    }
    std::int64_t number(const std::string& sql) const {
        Statement statement(database_, sql);
        statement.start().next();
        return statement.integer(0);
    }
    // Interrupts after that many points.
    void stop_after(std::size_t count) {
        hooks_.ends = [this, count](const StoredPoint&) { stop_ = order_.size() >= count; };
    }

    SweepSpec spec_;
    TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.sqlite");
    std::function<void(ScriptedExecutable&)> script_ = [](ScriptedExecutable&) {};
    MeasuredSweepHooks hooks_;
    std::atomic<bool> stop_{false};
    std::vector<std::int64_t> order_;
};

TEST_F(MeasuredSweeps, MeasureEveryPointOnceInTheOrderGivenByTheSeed) {
    EXPECT_EQ(measure(), ExitCode::done);
    EXPECT_EQ(std::set(order_.begin(), order_.end()).size(), 12U);
    EXPECT_EQ(order_.size(), 12U);
    EXPECT_FALSE(std::ranges::is_sorted(order_));
    EXPECT_EQ(stored().outcomes().at(PointOutcome::ok), 12);
    EXPECT_EQ(number("SELECT count(*) FROM sweep_result WHERE repeat = 0 AND median_s > 0"), 12);
    const std::vector<std::int64_t> first = order_;
    order_.clear();
    spec_.seed = 2;
    measure();
    EXPECT_NE(order_, first);
}

TEST_F(MeasuredSweeps, RepeatTheAnchor) {
    measure();
    EXPECT_EQ(stored().anchor_times().size(), 3U);
    EXPECT_EQ(number("SELECT count(DISTINCT position) FROM sweep_point WHERE repeat > 0"), 1);
    spec_.anchor_every = 0;
    spec_.seed = 3;
    measure();
    EXPECT_TRUE(stored().anchor_times().empty());
}

TEST_F(MeasuredSweeps, ContinueAfterAnInterrupt) {
    stop_after(5);
    EXPECT_EQ(measure(), ExitCode::interrupted);
    EXPECT_EQ(stored().outcomes().at(PointOutcome::ok), 5);
    stop_ = false;
    hooks_.ends = {};
    EXPECT_EQ(measure(), ExitCode::done);
    EXPECT_EQ(order_.size(), 12U);
    EXPECT_EQ(std::set(order_.begin(), order_.end()).size(), 12U);
    EXPECT_EQ(number("SELECT count(*) FROM run WHERE state = 'complete'"), 12 + 3);
    measure();
    EXPECT_EQ(order_.size(), 12U);
}

// The state after kill -9: a claim whose process is dead or, before its parent has waited for it, a
// zombie.
TEST_F(MeasuredSweeps, TakeOverThePointOfAProcessThatHasDied) {
    spec_.anchor_every = 0;
    const StoredPoint point = planned_point(spec_, 7);
    stored();
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    siginfo_t end{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT), 0);
    stored().claim(point);
    const std::string owner =
        host_name() + "/" + std::to_string(child) + "/1";  // a zombie with that process id
    Statement(database_, "UPDATE sweep_point SET owner = ?").run(owner);
    EXPECT_TRUE(stored().is_free(7, 0));
    measure();
    EXPECT_EQ(stored().outcomes().at(PointOutcome::ok), 12);
    waitpid(child, nullptr, 0);
}

TEST_F(MeasuredSweeps, LeaveAPointToTheLivingProcessThatClaimedIt) {
    spec_.anchor_every = 0;
    stored().claim(planned_point(spec_, 7));
    const pid_t child = fork();
    if (child == 0) {
        const Database own = Database::open(directory_.path() / "runs.sqlite");
        const StoredSweep sweep =
            StoredSweep::open(own, spec_.name, identity_of(spec_), count_points(spec_));
        _exit(sweep.is_free(7, 0) || sweep.claim(planned_point(spec_, 7)) ? 1 : 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST_F(MeasuredSweeps, SkipPointsBeyondTheMemoryLimit) {
    spec_.limits.memory = Bytes{1};
    EXPECT_EQ(measure(), ExitCode::done);
    EXPECT_EQ(stored().outcomes().at(PointOutcome::skipped), 12);
    EXPECT_EQ(number("SELECT count(*) FROM run"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM sweep_result WHERE reason LIKE "
                     "'it needs %, and --max-memory gives 1 B'"),
              12 + 3);
}

TEST_F(MeasuredSweeps, KeepWhyAPointFailedAndContinue) {
    spec_.anchor_every = 0;
    int asked = 0;
    hooks_.campaign.backend = [&](const Job&) -> std::unique_ptr<Backend> {
        if (++asked % 2 == 0) {
            throw Error("the library has no such kernel");
        }
        return std::make_unique<ScriptedBackend>(script_);
    };
    EXPECT_EQ(measure(), ExitCode::done);
    EXPECT_EQ(stored().outcomes().at(PointOutcome::failed), 6);
    EXPECT_EQ(stored().outcomes().at(PointOutcome::ok), 6);
    EXPECT_EQ(number("SELECT count(*) FROM sweep_result "
                     "WHERE reason = 'the library has no such kernel' AND run IS NULL"),
              6);
}

TEST_F(MeasuredSweeps, ReportExhaustedMemoryAsSuch) {
    hooks_.campaign.backend = [](const Job&) -> std::unique_ptr<Backend> {
        throw std::bad_alloc();
    };
    measure();
    EXPECT_EQ(stored().outcomes().at(PointOutcome::out_of_memory), 12);
}

TEST_F(MeasuredSweeps, ShareTheirPointsBetweenShards) {
    for (const std::int64_t index : {1, 2, 3, 4, 5}) {
        measure({.index = index, .count = 5});
    }
    EXPECT_EQ(order_.size(), 12U);
    EXPECT_EQ(std::set(order_.begin(), order_.end()).size(), 12U);
}

}  // namespace
}  // namespace strata
