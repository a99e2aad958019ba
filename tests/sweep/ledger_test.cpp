// SPDX-License-Identifier: MIT
#include "sweep/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

using Places = std::vector<std::int64_t>;

TEST(PlacesText, IsReadBackUnchanged) {
    for (const Places& places :
         {Places{}, Places{0}, Places{0, 1, 2}, Places{3, 5, 6, 7, 99}, Places{9, 4, 5, 1}}) {
        EXPECT_EQ(parse_places(places_text(places), 100), places) << places_text(places);
    }
    EXPECT_EQ(places_text(Places{3, 5, 6, 7, 99}), "3,5-7,99");
}

TEST(PlacesText, RefusesInvalidPlaces) {
    for (const char* text : {"100", "0-100", "-1", "7-5", "1,", ",", "x", "1-2-3", "0x1",
                             "99999999999999999999", "0-99,0-99", " 1"}) {
        EXPECT_FALSE(parse_places(text, 100)) << text;
    }
}

TEST(WorkLedger, HandsOutEveryOpenPlaceOnce) {
    std::vector<bool> settled(1000);
    settled[0] = settled[500] = settled[999] = true;
    WorkLedger ledger(settled, 3, 16);
    EXPECT_EQ(ledger.left(), 997);
    std::vector<int> seen(1000);
    for (int rank = 0;; rank = (rank + 1) % 3) {
        const Places places = ledger.take(rank);
        if (places.empty()) {
            break;
        }
        EXPECT_LE(places.size(), 16U);
        for (const std::int64_t place : places) {
            ++seen[static_cast<std::size_t>(place)];
        }
        ledger.settle(rank, places);
    }
    for (std::size_t place = 0; place < seen.size(); ++place) {
        EXPECT_EQ(seen[place], settled[place] ? 0 : 1) << place;
    }
    EXPECT_TRUE(ledger.is_complete());
}

TEST(WorkLedger, HandsOutLessTowardsTheEnd) {
    WorkLedger ledger(std::vector<bool>(400), 2, 32);
    std::size_t last = 33;
    for (Places places = ledger.take(0); !places.empty(); places = ledger.take(1)) {
        EXPECT_LE(places.size(), last);
        last = places.size();
        ledger.settle(0, places);
    }
    EXPECT_EQ(last, 1U);
}

TEST(WorkLedger, HasSomethingForEveryWorker) {
    WorkLedger ledger(std::vector<bool>(400), 2, 32);
    ledger.share_among(50);
    EXPECT_EQ(ledger.take(0).size(), 2U);
    ledger.share_among(4000);
    EXPECT_EQ(ledger.take(1).size(), 1U);
}

TEST(WorkLedger, ReopensWhatARankHadNotSettled) {
    WorkLedger ledger(std::vector<bool>(64), 2, 8);
    const Places lost = ledger.take(1);
    ASSERT_EQ(lost.size(), 8U);
    ledger.settle(1, Places{lost[0], lost[1]});
    EXPECT_EQ(ledger.release(1), 6);
    EXPECT_EQ(ledger.release(1), 0);
    const Places again = ledger.take(0);
    EXPECT_EQ(Places(again.begin(), again.begin() + 6), Places(lost.begin() + 2, lost.end()));
    EXPECT_FALSE(ledger.is_complete());
}

TEST(WorkLedger, CountsAPlaceThatTwoRanksSettleOnce) {
    WorkLedger ledger(std::vector<bool>(16), 2, 4);
    const Places places = ledger.take(1);
    ledger.release(1);
    ledger.settle(1, places);  // it was only slow
    EXPECT_EQ(ledger.left(), static_cast<std::int64_t>(16 - places.size()));
    ledger.settle(0, places);
    EXPECT_EQ(ledger.left(), static_cast<std::int64_t>(16 - places.size()));
    for (Places rest = ledger.take(0); !rest.empty(); rest = ledger.take(0)) {
        for (const std::int64_t place : rest) {
            EXPECT_EQ(std::ranges::count(places, place), 0);
        }
        ledger.settle(0, rest);
    }
    EXPECT_TRUE(ledger.is_complete());
}

TEST(WorkLedger, IsCompleteOnlyWhenAllHeldPlacesAreSettled) {
    WorkLedger ledger(std::vector<bool>(4), 2, 4);
    Places held;
    for (Places places = ledger.take(0); !places.empty(); places = ledger.take(0)) {
        held.insert(held.end(), places.begin(), places.end());
    }
    EXPECT_EQ(held.size(), 4U);
    EXPECT_TRUE(ledger.take(1).empty());
    EXPECT_FALSE(ledger.is_complete());
    ledger.settle(0, held);
    EXPECT_TRUE(ledger.is_complete());
}

}  // namespace
}  // namespace strata
