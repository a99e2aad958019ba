// SPDX-License-Identifier: MIT
#include "scale/exchanger.h"

#include "base/error.h"
#include "tests/support/local_communicator.h"

#include <gtest/gtest.h>

#include <array>

namespace strata::testing {

namespace {

// Calls work(exchanger) on each rank, on a thread of its own.
template <class Work>
void on_ranks(int ranks, Seconds limit, Work&& work) {
    LocalRanks all(ranks);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&, rank] {
            Exchanger exchanger([&] { return all.open(rank); }, limit);
            work(exchanger);
        });
    }
}

TEST(Exchanger, SumsInTheOrderOfItsPosts) {
    std::array<std::array<float, 2>, 3> sums{};
    on_ranks(3, Seconds{10}, [&](Exchanger& exchanger) {
        const auto rank = static_cast<std::size_t>(exchanger.rank());
        std::array<float, 2> own = {static_cast<float>(rank), 1};
        std::array<float, 2> first{};
        auto one = exchanger.post({Collective::all_reduce, 3, std::as_bytes(std::span(own)),
                                   std::as_writable_bytes(std::span(first))});
        auto two = exchanger.post({Collective::all_reduce, 3, std::as_bytes(std::span(first)),
                                   std::as_writable_bytes(std::span(sums[rank]))});
        const ExchangeTimes before = one.get(), after = two.get();
        EXPECT_GE(after.begin, before.end);
    });
    for (const auto& sum : sums) {
        EXPECT_EQ(sum, (std::array<float, 2>{9, 9}));
    }
}

TEST(Exchanger, NamesTheRankThatIsAliveButDoesNotCome) {
    std::string trouble;
    std::promise<void> told;
    on_ranks(2, Seconds{0.2}, [&](Exchanger& exchanger) {
        if (exchanger.rank() == 1) {
            told.get_future().wait();  // its exchanger answers meanwhile
            return;
        }
        try {
            exchanger.meet(2);
        } catch (const Error& error) {
            trouble = error.what();
        }
        told.set_value();
    });
    EXPECT_NE(trouble.find("rank 1 is alive but did not come"), std::string::npos) << trouble;
}

TEST(Exchanger, NamesTheRankThatSendsNothing) {
    LocalRanks all(2);
    Exchanger exchanger([&] { return all.open(0); }, Seconds{0.1});
    try {
        exchanger.meet(2);
        ADD_FAILURE() << "rank 1 is not there";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("rank 1 did not come"), std::string::npos);
    }
}

TEST(Exchanger, ExchangesPostedBeforeOneFailsEndWithTheSameError) {
    LocalRanks all(2);
    Exchanger exchanger([&] { return all.open(0); }, Seconds{0.1});
    std::array<float, 1> own = {1}, sum = {};
    const Exchange exchange{Collective::all_reduce, 2, std::as_bytes(std::span(own)),
                            std::as_writable_bytes(std::span(sum))};
    auto first = exchanger.post(exchange), second = exchanger.post(exchange);
    EXPECT_THROW(first.get(), AbsentRanks);
    try {
        second.get();
        ADD_FAILURE() << "rank 1 is not there";
    } catch (const AbsentRanks& absent) {
        EXPECT_EQ(absent.ranks(), std::set<int>{1});
    }
}

TEST(Exchanger, TheFirstRankTellsErrorsUnlessItIsAbsent) {
    EXPECT_TRUE(is_told_by(0, Error("the parameters differ")));
    EXPECT_FALSE(is_told_by(1, Error("the parameters differ")));
    EXPECT_FALSE(is_told_by(1, AbsentRanks("rank 2 is slow", {2})));
    EXPECT_TRUE(is_told_by(1, AbsentRanks("rank 0 is slow", {0})));
}

TEST(Exchanger, ThrowsWhatItsOpenerThrows) {
    EXPECT_THROW(
        Exchanger([]() -> std::unique_ptr<Communicator> { throw Error("no MPI"); }, Seconds{1}),
        Error);
}

}  // namespace

}  // namespace strata::testing
