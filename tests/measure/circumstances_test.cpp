// SPDX-License-Identifier: MIT
#include "measure/circumstances.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Circumstances, AsManyThreadsAsProcessorsAloneOnAMachineRaiseNoDoubt) {
    EXPECT_TRUE(diagnose(Circumstances{.threads = 2, .processors = 2}).empty());
}

TEST(Circumstances, MoreThreadsThanProcessorsAreADoubt) {
    const auto doubts = diagnose(Circumstances{.threads = 8, .processors = 2});
    ASSERT_EQ(doubts.size(), 1u);
    EXPECT_EQ(doubts[0].kind, DoubtKind::oversubscribed);
    EXPECT_NE(doubts[0].sentence.find("--threads 2 or fewer"), std::string::npos);
}

TEST(Circumstances, AnotherStrataBesideIsADoubt) {
    const auto doubts = diagnose(Circumstances{.is_shared = true});
    ASSERT_EQ(doubts.size(), 1u);
    EXPECT_EQ(doubts[0].kind, DoubtKind::shared_machine);
}

}  // namespace
}  // namespace strata
