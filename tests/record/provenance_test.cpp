// SPDX-License-Identifier: MIT
#include "record/provenance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace strata {
namespace {

TEST(Provenance, NothingAboutTheBuildIsLeftEmpty) {
    for (const auto& [key, value] : build_provenance()) {
        EXPECT_TRUE(!value.empty() || key == "build.flags" || key == "build.type") << key;
    }
}

TEST(Provenance, TheCommitIsAHashOrSaysThatItIsUnknown) {
    const std::string commit(strata_commit());
    const bool hash = commit.find_first_not_of("0123456789abcdef") >= 12;
    EXPECT_TRUE(hash || commit == "unknown") << commit;
}

TEST(Provenance, TheVersionHasThreeNumbers) {
    const std::string version(strata_version());
    EXPECT_EQ(std::count(version.begin(), version.end(), '.'), 2) << version;
}

}  // namespace
}  // namespace strata
