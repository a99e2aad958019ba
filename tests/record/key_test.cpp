// SPDX-License-Identifier: MIT
#include "record/key.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Settings settings() {
    return {.backend = "onednn",
            .network = "alexnet",
            .batch = 32,
            .mode = "training",
            .dtype = "f32",
            .threads = 2,
            .algorithm = "direct",
            .policy = "warmup=3",
            .further = {{"seed", "1"}}};
}

TEST(Key, EqualSettingsHaveEqualKeysFromVersionToVersion) {
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
    EXPECT_TRUE(differs([](Settings& s) { s.mode = "inference"; }));
    EXPECT_TRUE(differs([](Settings& s) { s.dtype = "bf16"; }));
    EXPECT_TRUE(differs([](Settings& s) { s.threads = 1; }));
    EXPECT_TRUE(differs([](Settings& s) { s.algorithm = "winograd"; }));
    EXPECT_TRUE(differs([](Settings& s) { s.policy = "warmup=4"; }));
    EXPECT_TRUE(differs([](Settings& s) { s.further["seed"] = "2"; }));
    EXPECT_TRUE(differs([](Settings& s) { s.further["slice"] = ""; }));
}

TEST(Key, TextThatMovesFromOneSettingToTheNextIsAnotherKey) {
    Settings one = settings();
    Settings other = settings();
    one.backend = "a";
    one.network = "bc";
    other.backend = "ab";
    other.network = "c";
    EXPECT_NE(key_of(one), key_of(other));
}

}  // namespace
}  // namespace strata
