// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

// Test vectors of draft-eastlake-fnv, appendix C.
TEST(Hash, TextGivesThePublishedFnv1aValues) {
    EXPECT_EQ(hash_of(""), 0xcbf29ce484222325);
    EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8c);
    EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8);
}

TEST(Hash, BytesHashLikeTheTextTheySpell) {
    constexpr std::array bytes = {std::byte{'a'}};
    EXPECT_EQ(hash_of(bytes), hash_of("a"));
    constexpr std::array high = {std::byte{0xFF}};
    EXPECT_EQ(hash_of(high), hash_of("\xFF"));
}

TEST(Hash, PartsInOrderHashLikeTheWhole) {
    EXPECT_EQ(hash_of("bar", hash_of("foo")), hash_of("foobar"));
    EXPECT_NE(hash_of("foo", hash_of("bar")), hash_of("foobar"));
}

}  // namespace
}  // namespace strata
