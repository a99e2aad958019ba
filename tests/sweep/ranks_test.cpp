// SPDX-License-Identifier: MIT
#include "sweep/ranks.h"

#include "store/owner.h"
#include "tests/support/local_communicator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace strata {
namespace {

using Places = std::vector<std::int64_t>;
using strata::testing::LocalRanks;

constexpr std::int64_t places_in_all = 200;

RankIntroduction introduction(const std::string& process = this_process()) {
    return {.process = process,
            .sweep = "grid",
            .processors = {0, 1},
            .settled = {},
            .database = "/tmp/of a rank"};
}

// The name of a process of this host that has died.
std::string dead_process() {
    return host_name() + "/999999999/1";
}

// Counts which rank does which place. Every rank is a pair of threads, as in the program.
class SharedSweep {
public:
    explicit SharedSweep(int ranks) : ranks_(ranks) {}

    // Processes the queue until it ends.
    std::jthread worker(WorkQueue& queue, int rank) {
        return std::jthread([this, &queue, rank] {
            for (auto portion = queue.take(); !portion.empty(); portion = queue.take()) {
                {
                    const std::lock_guard lock(mutex_);
                    for (const std::int64_t place : portion) {
                        doers_[place].push_back(rank);
                    }
                }
                queue.settle(portion);
            }
        });
    }

    // A rank that stays to the end.
    std::jthread member(int rank, Places settled = {}) {
        return std::jthread([this, rank, settled = std::move(settled)] {
            const auto communicator = ranks_.open(rank);
            SweepMember member(*communicator, places_in_all);
            RankIntroduction own = introduction();
            own.settled = settled;
            EXPECT_TRUE(member.join(own));
            WorkQueue queue;
            queue.keep_ahead(1);
            std::jthread thread = worker(queue, rank);
            EXPECT_TRUE(member.run(queue, [] { return false; }));
            thread.join();
            member.leave(queue);
        });
    }

    ManagerHooks hooks() {
        ManagerHooks hooks;
        hooks.tell = [this](const std::string& sentence) { told_.push_back(sentence); };
        return hooks;
    }

    std::map<int, std::int64_t> places_by_rank() const {
        std::map<int, std::int64_t> counts;
        for (const auto& [place, doers] : doers_) {
            ++counts[doers.front()];
        }
        return counts;
    }

    LocalRanks ranks_;
    std::mutex mutex_;
    std::map<std::int64_t, std::vector<int>> doers_;
    std::vector<std::string> told_;
};

TEST(RankIntroductions, AreReadBackUnchanged) {
    RankIntroduction own = introduction();
    own.settled = {0, 1, 2, 7};
    own.workers = 3;
    const auto read = parse_introduction(text_of(own), places_in_all);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->process, own.process);
    EXPECT_EQ(read->sweep, own.sweep);
    EXPECT_EQ(read->processors, own.processors);
    EXPECT_EQ(read->settled, own.settled);
    EXPECT_EQ(read->workers, 3);
    EXPECT_EQ(read->database, own.database);
    for (const char* text :
         {"", "a\nb\n0\n0\n", "a\nb\nx\n0\n\n/f", "a\nb\n0\n-1\n\n/f", "a\nb\n0\n0\n200\n/f"}) {
        EXPECT_FALSE(parse_introduction(text, places_in_all)) << text;
    }
}

TEST(WorkersOfRanks, DivideTheProcessorsSharedByRanksOfOneHost) {
    const auto rank = [](const std::string& host, Places processors) {
        KnownRank known;
        known.introduction = introduction(host + "/1/1");
        known.introduction->processors = std::move(processors);
        return known;
    };
    // Two unbound ranks on one host and one bound to a separate processor there, two on another,
    // crowded host, and one that never came.
    const std::vector<KnownRank> ranks = {rank("a", {0, 1, 2}), rank("a", {0, 1, 2}),
                                          rank("a", {3}),       rank("b", {0}),
                                          rank("b", {0}),       KnownRank{}};
    EXPECT_EQ(workers_of(ranks), (std::vector<int>{2, 1, 1, 1, 1, 0}));
    std::vector<KnownRank> told = ranks;
    told[1].introduction->workers = 7;
    EXPECT_EQ(workers_of(told), (std::vector<int>{2, 7, 1, 1, 1, 0}));
}

TEST(SharedSweeps, DoEachPointOnceOverAllRanks) {
    SharedSweep sweep(3);
    const auto communicator = sweep.ranks_.open(0);
    const std::jthread first = sweep.member(1), second = sweep.member(2);
    SweepManager manager(*communicator, introduction(), places_in_all, 8, sweep.hooks());
    manager.gather();
    WorkQueue queue;
    queue.keep_ahead(1);
    const std::jthread own = sweep.worker(queue, 0);
    manager.run(queue);
    EXPECT_EQ(manager.left(), 0);
    EXPECT_EQ(sweep.doers_.size(), static_cast<std::size_t>(places_in_all));
    for (const auto& [place, doers] : sweep.doers_) {
        EXPECT_EQ(doers.size(), 1U) << place;
    }
    for (std::size_t rank = 1; rank < 3; ++rank) {
        EXPECT_TRUE(manager.ranks()[rank].has_said_bye) << rank;
        EXPECT_EQ(manager.ranks()[rank].trouble, "") << rank;
    }
    EXPECT_TRUE(sweep.told_.empty());
}

TEST(SharedSweeps, LeaveOutPointsInAnyRanksDatabase) {
    SharedSweep sweep(2);
    const auto communicator = sweep.ranks_.open(0);
    const std::jthread member = sweep.member(1, {3, 4, 5});
    RankIntroduction own = introduction();
    own.settled = {5, 6};
    SweepManager manager(*communicator, own, places_in_all, 8, sweep.hooks());
    manager.gather();
    EXPECT_EQ(manager.left(), places_in_all - 4);
    WorkQueue queue;
    queue.keep_ahead(1);
    const std::jthread work = sweep.worker(queue, 0);
    manager.run(queue);
    EXPECT_EQ(sweep.doers_.size(), static_cast<std::size_t>(places_in_all - 4));
    for (const std::int64_t place : {3, 4, 5, 6}) {
        EXPECT_EQ(sweep.doers_.count(place), 0U) << place;
    }
}

TEST(SharedSweeps, EndCompleteIfARankThatHoldsPointsDies) {
    SharedSweep sweep(3);
    const auto communicator = sweep.ranks_.open(0);
    const std::jthread member = sweep.member(2);
    // It joins, takes a portion, and is not heard of again.
    const auto dying = sweep.ranks_.open(1);
    std::jthread death([&] {
        SweepMember rank(*dying, places_in_all);
        if (!rank.join(introduction(dead_process()))) {
            return;  // on a busy machine it is found dead before it is welcomed
        }
        WorkQueue queue;
        queue.keep_ahead(1);
        bool has_work = false;
        rank.run(queue, [&] {
            has_work = has_work || queue.wanted() == 0;
            return has_work;
        });
    });
    SweepManager manager(*communicator, introduction(), places_in_all, 8, sweep.hooks());
    manager.gather();
    WorkQueue queue;
    queue.keep_ahead(1);
    const std::jthread own = sweep.worker(queue, 0);
    manager.run(queue);
    EXPECT_EQ(manager.left(), 0);
    EXPECT_EQ(sweep.doers_.size(), static_cast<std::size_t>(places_in_all));
    EXPECT_EQ(sweep.places_by_rank().count(1), 0U);
    ASSERT_EQ(sweep.told_.size(), 1U);
    EXPECT_NE(sweep.told_.front().find("rank 1 on " + host_name() + " is lost"), std::string::npos)
        << sweep.told_.front();
}

TEST(SharedSweeps, CountARankThatIsSilentForTooLongAsDead) {
    SharedSweep sweep(2);
    const auto communicator = sweep.ranks_.open(0);
    const auto silent = sweep.ranks_.open(1);
    silent->send(0, says_hello, text_of(introduction("another-host/1/1")));
    SweepManager manager(*communicator, introduction(), places_in_all, 8, sweep.hooks(),
                         {.silence = Seconds{0.5}});
    manager.gather();
    silent->send(0, says_want, "1");
    WorkQueue queue;
    queue.keep_ahead(1);
    // So that rank 0 waits for its portion at the latest.
    const std::jthread own = sweep.worker(queue, 0);
    manager.run(queue);
    EXPECT_EQ(manager.left(), 0);
    EXPECT_EQ(sweep.places_by_rank().at(0), places_in_all);
    ASSERT_EQ(sweep.told_.size(), 1U);
    EXPECT_NE(sweep.told_.front().find("it sent nothing for"), std::string::npos);
}

TEST(SharedSweeps, SendARankWithAnotherGridAway) {
    SharedSweep sweep(2);
    const auto communicator = sweep.ranks_.open(0);
    std::optional<int> share = 1;
    std::jthread stranger([&] {
        const auto own = sweep.ranks_.open(1);
        RankIntroduction other = introduction();
        other.sweep = "another grid";
        share = SweepMember(*own, places_in_all).join(other);
    });
    SweepManager manager(*communicator, introduction(), places_in_all, 8, sweep.hooks(),
                         {.farewell = Seconds{0.1}});
    manager.gather();
    stranger.join();
    EXPECT_FALSE(share);
    EXPECT_EQ(sweep.told_.size(), 1U);
    WorkQueue queue;
    queue.keep_ahead(1);
    const std::jthread own = sweep.worker(queue, 0);
    manager.run(queue);
    EXPECT_EQ(manager.left(), 0);
}

TEST(SharedSweeps, ContinueIfARanksWorkFails) {
    SharedSweep sweep(2);
    const auto communicator = sweep.ranks_.open(0);
    std::jthread failing([&] {
        const auto own = sweep.ranks_.open(1);
        SweepMember member(*own, places_in_all);
        ASSERT_TRUE(member.join(introduction()));
        WorkQueue queue;
        queue.keep_ahead(1);
        member.run(queue, [&] { return queue.wanted() == 0; });  // as soon as it has something
        member.leave(queue, "the disk is full");
    });
    SweepManager manager(*communicator, introduction(), places_in_all, 8, sweep.hooks());
    manager.gather();
    WorkQueue queue;
    std::jthread own;
    // Rank 0 begins late, so that the other has a portion.
    std::jthread late([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        own = sweep.worker(queue, 0);
    });
    manager.run(queue);
    late.join();
    EXPECT_EQ(manager.left(), 0);
    ASSERT_EQ(sweep.told_.size(), 1U);
    EXPECT_NE(sweep.told_.front().find("the disk is full"), std::string::npos);
}

TEST(SharedSweeps, EndForAMemberWhoseManagerDies) {
    SharedSweep sweep(2);
    const auto manager = sweep.ranks_.open(0);
    const auto own = sweep.ranks_.open(1);
    manager->send(1, says_alive, dead_process());
    manager->send(1, says_welcome, "3");
    SweepMember member(*own, places_in_all);
    EXPECT_EQ(member.join(introduction()), 3);
    WorkQueue queue;
    queue.keep_ahead(1);
    EXPECT_FALSE(member.run(queue, [] { return false; }));
    EXPECT_TRUE(queue.take().empty());
}

TEST(SharedSweeps, StopEarlyWhenAsked) {
    SharedSweep sweep(2);
    const auto communicator = sweep.ranks_.open(0);
    const std::jthread member = sweep.member(1);
    std::atomic<bool> stop{false};
    ManagerHooks hooks = sweep.hooks();
    hooks.is_stopped = [&] { return stop.load(); };
    hooks.progress = [&](std::int64_t left) { stop = left < places_in_all; };
    SweepManager manager(*communicator, introduction(), places_in_all, 4, hooks);
    manager.gather();
    WorkQueue queue;  // nobody works here
    manager.run(queue);
    EXPECT_GT(manager.left(), 0);
    EXPECT_TRUE(manager.ranks()[1].has_said_bye);
}

}  // namespace
}  // namespace strata
