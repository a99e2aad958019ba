// SPDX-License-Identifier: MIT
#include "record/identity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace strata {
namespace {

Settings settings() {
    return {.backend = "onednn",
            .network = "alexnet",
            .batch = 32,
            .execution = {.scheduling = {.threads = 2},
                          .engine = {.algorithm = ConvolutionAlgorithm::direct}},
            .unknown = {{"policy", "warmup=3"}, {"seed", "1"}}};
}

TEST(Key, EqualSettingsHaveEqualKeysInAllVersions) {
    EXPECT_EQ(key_of(settings()), key_of(settings()));
    EXPECT_EQ(key_of(settings()), "423372419b10e229");
}

TEST(Key, EverySettingCounts) {
    const std::string key = key_of(settings());
    const auto differs = [&](auto change) {
        Settings other = settings();
        change(other);
        return key_of(other) != key;
    };
    EXPECT_TRUE(differs([](Settings& s) { s.backend = "reference"; }));
    EXPECT_TRUE(differs([](Settings& s) { s.network = "vgg-16"; }));
    EXPECT_TRUE(differs([](Settings& s) { s.batch = 16; }));
    EXPECT_TRUE(differs([](Settings& s) { s.execution.numerics.mode = Mode::inference; }));
    EXPECT_TRUE(differs([](Settings& s) { s.execution.numerics.dtype = DataType::bf16; }));
    EXPECT_TRUE(differs([](Settings& s) { s.execution.scheduling.threads = 1; }));
    EXPECT_TRUE(differs(
        [](Settings& s) { s.execution.engine.algorithm = ConvolutionAlgorithm::winograd; }));
    EXPECT_TRUE(differs([](Settings& s) { s.unknown["policy"] = "warmup=4"; }));
    EXPECT_TRUE(differs([](Settings& s) { s.unknown["seed"] = "2"; }));
    EXPECT_TRUE(differs([](Settings& s) { s.slice = "conv*"; }));
    EXPECT_TRUE(differs([](Settings& s) { s.dims["tokens"] = 64; }));
    EXPECT_TRUE(differs([](Settings& s) { s.content["network"] = "0123456789abcdef"; }));
}

TEST(Key, MovingTextBetweenSettingsChangesTheKey) {
    Settings one = settings();
    Settings other = settings();
    one.backend = "a";
    one.network = "bc";
    other.backend = "ab";
    other.network = "c";
    EXPECT_NE(key_of(one), key_of(other));
}

TEST(Provenance, NoBuildEntryIsEmpty) {
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
