// SPDX-License-Identifier: MIT
#include "store/plan.h"

#include "store/load.h"
#include "store/owner.h"
#include "store/statement.h"
#include "tests/store/sample_run.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace strata {
namespace {

constexpr std::size_t planned = 3;

// Measures one place of a plan like a command, up to its last checkpoint.
Run measure_partly(const Database& database, const StoredPlan& plan, std::size_t index) {
    auto run = planned_run();
    begin_run(database, run, plan.position(index));
    Checkpoints checkpoints(database, run);
    run.steps[0].time = Samples{{{static_cast<double>(index) + 1}}};
    checkpoints.store(run);
    return run;
}

void measure(const Database& database, const StoredPlan& plan, std::size_t index) {
    auto run = measure_partly(database, plan, index);
    run.state = RunState::complete;
    finish_run(database, run);
}

class PlanTest : public ::testing::Test {
protected:
    StoredPlan open(const std::string& identity = "alexnet") const {
        return StoredPlan::open(database_, identity, planned);
    }

    TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "runs.sqlite";
    Database database_ = Database::open(file_);
};

TEST_F(PlanTest, ACommandKilledInItsThirdRunContinuesThere) {
    EXPECT_EQ(status_of_child([&] {
                  const Database database = Database::open(file_);
                  const StoredPlan plan = StoredPlan::open(database, "alexnet", planned);
                  measure(database, plan, 0);
                  measure(database, plan, 1);
                  measure_partly(database, plan, 2);
                  ::raise(SIGKILL);
                  return 0;
              }),
              128 + SIGKILL);

    const StoredPlan again = open();
    EXPECT_EQ(again.id(), 1);
    EXPECT_TRUE(again.complete_run(0));
    EXPECT_TRUE(again.complete_run(1));
    EXPECT_FALSE(again.complete_run(2));
    auto partial = again.partial_run(2);
    ASSERT_TRUE(partial);
    EXPECT_EQ(std::get<Samples>(partial->steps[0].time).values.at(0), Seconds{3});

    begin_run(database_, *partial, again.position(2));
    std::get<Samples>(partial->steps[0].time).values.push_back({4});
    partial->state = RunState::complete;
    finish_run(database_, *partial);
    EXPECT_EQ(std::get<Samples>(again.complete_run(2)->steps[0].time).values.size(), 2U);
    EXPECT_NE(open().id(), again.id()) << "a finished plan is not found again";
}

TEST_F(PlanTest, AClosedPlanIsNotFoundAgain) {
    const StoredPlan plan = open();
    measure(database_, plan, 0);
    plan.close();
    EXPECT_NE(open().id(), plan.id());
    EXPECT_FALSE(open().complete_run(0));
}

TEST_F(PlanTest, AnotherCommandHasAnotherPlan) {
    const StoredPlan plan = open("alexnet");
    EXPECT_NE(open("vgg-16").id(), plan.id());
    EXPECT_NE(StoredPlan::open(database_, "alexnet", planned + 1).id(), plan.id());
    EXPECT_EQ(open("alexnet").id(), plan.id());
}

TEST_F(PlanTest, APlanOfALivingProcessIsLeftAlone) {
    const StoredPlan mine = open();
    EXPECT_EQ(status_of_child([&] {
                  const Database database = Database::open(file_);
                  return StoredPlan::open(database, "alexnet", planned).id() != mine.id() ? 0 : 1;
              }),
              0);
}

TEST_F(PlanTest, ARunThatCouldNotBeContinuedStaysStoredOutsideThePlan) {
    const StoredPlan plan = open();
    const auto old = measure_partly(database_, plan, 0);
    auto fresh = planned_run();
    begin_run(database_, fresh, plan.position(0));
    EXPECT_EQ(plan.partial_run(0)->id, fresh.id);
    EXPECT_EQ(load_run(database_, old.id).state, RunState::partial);
}

TEST_F(PlanTest, AContinuedRunKeepsItsPlaceUnasked) {
    const StoredPlan plan = open();
    auto run = measure_partly(database_, plan, 1);
    begin_run(database_, run);
    EXPECT_EQ(plan.partial_run(1)->id, run.id);
}

TEST(Owner, ThisProcessIsAliveAndAnInventedOneIsNot) {
    EXPECT_TRUE(is_alive(this_process()));
    EXPECT_FALSE(is_alive(host_name() + "/1/12345678901"));
    EXPECT_FALSE(is_alive("elsewhere" + this_process()));
    EXPECT_FALSE(is_alive(""));
}

// A killed process that its parent has not waited for keeps its entry in /proc.
TEST(Owner, AZombieProcessIsDead) {
    const TemporaryDirectory directory;
    const auto file = directory.path() / "name";
    const pid_t child = ::fork();
    if (child == 0) {
        std::ofstream(file) << this_process();
        ::raise(SIGKILL);
    }
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
    std::string name;
    std::getline(std::ifstream(file) >> std::ws, name);
    EXPECT_TRUE(std::filesystem::exists("/proc/" + std::to_string(child) + "/stat"));
    EXPECT_FALSE(name.empty());
    EXPECT_FALSE(is_alive(name)) << name;
    ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace strata
