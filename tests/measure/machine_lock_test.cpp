// SPDX-License-Identifier: MIT
#include "measure/machine_lock.h"

#include "tests/support/child_process.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace strata {
namespace {

class MachineLockTest : public ::testing::Test {
protected:
    TemporaryDirectory folder_;
    std::filesystem::path file_ = folder_.path() / "lock";
};

TEST_F(MachineLockTest, OneProcessHoldsItAndTheOthersKnowWhich) {
    MachineLock mine(file_);
    ASSERT_TRUE(mine.try_acquire());
    const pid_t me = ::getpid();
    EXPECT_EQ(status_of_child([&] {
                  MachineLock theirs(file_);
                  return !theirs.try_acquire() && theirs.holder().value_or(me) == me ? 0 : 1;
              }),
              0);
}

TEST_F(MachineLockTest, ItEndsWithItsOwner) {
    EXPECT_EQ(status_of_child([&] { return MachineLock(file_).try_acquire() ? 0 : 1; }), 0);
    MachineLock mine(file_);
    EXPECT_TRUE(mine.try_acquire());
    EXPECT_TRUE(MachineLock(std::move(mine)).try_acquire()) << "a moved one is the same";
    EXPECT_TRUE(MachineLock(file_).try_acquire());
}

TEST_F(MachineLockTest, SomethingOtherThanAFileIsLeftAloneAndBlocksNobody) {
    std::filesystem::create_symlink("/etc/passwd", file_);
    EXPECT_TRUE(MachineLock(file_).try_acquire());
    EXPECT_TRUE(MachineLock(folder_.path()).try_acquire());
    EXPECT_TRUE(MachineLock("/missing/folder/lock").try_acquire());
    EXPECT_EQ(MachineLock(file_).holder(), std::nullopt);
}

}  // namespace
}  // namespace strata
