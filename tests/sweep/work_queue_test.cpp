// SPDX-License-Identifier: MIT
#include "sweep/work_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace strata {
namespace {

using Places = WorkQueue::Places;

TEST(WorkQueue, GivesPortionsInTheirOrderAndNothingAfterTheEnd) {
    WorkQueue queue;
    queue.keep_ahead(2);
    queue.give({1, 2});
    queue.give({3});
    EXPECT_EQ(queue.take(), (Places{1, 2}));
    EXPECT_EQ(queue.take(), (Places{3}));
    queue.give({4});
    queue.end();
    EXPECT_TRUE(queue.take().empty());
}

TEST(WorkQueue, WantsPortionsForWaitingThreadsAndThoseToKeepAhead) {
    WorkQueue queue;
    queue.keep_ahead(2);
    EXPECT_EQ(queue.wanted(), 2U);
    queue.give({1});
    EXPECT_EQ(queue.wanted(), 1U);
    queue.take();
    EXPECT_EQ(queue.wanted(), 2U);
    std::jthread waiting([&] { queue.take(); });
    while (queue.wanted() < 3) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    queue.end();
    EXPECT_EQ(queue.wanted(), 0U);
}

TEST(WorkQueue, ReportsSettledPlacesOnce) {
    WorkQueue queue;
    queue.settle({5, 6});
    queue.settle({1});
    EXPECT_EQ(queue.take_settled(), (Places{5, 6, 1}));
    EXPECT_TRUE(queue.take_settled().empty());
}

}  // namespace
}  // namespace strata
