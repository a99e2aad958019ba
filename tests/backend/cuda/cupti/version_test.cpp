// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/version.h"

#include <gtest/gtest.h>

namespace strata::cuda {
namespace {

constexpr std::uint32_t cuda_12_4 = 22, cuda_12_6 = 24, cuda_12_9 = 27, cuda_12_9_update_1 = 28;

bool fits(std::uint32_t running, std::uint32_t built_with) {
    return compatibility_of(running, built_with).refusal.empty();
}

TEST(CuptiVersion, TheSameAnUpdateAndALaterMinorVersionFit) {
    EXPECT_TRUE(fits(cuda_12_6, cuda_12_6));
    EXPECT_TRUE(fits(cuda_12_9, cuda_12_4));
    EXPECT_TRUE(fits(130001, 130000));
    EXPECT_TRUE(fits(130100, 130101)) << "an update of the same minor version";
    EXPECT_TRUE(fits(130500, 130001));
    EXPECT_TRUE(fits(cuda_12_9, cuda_12_9_update_1));
}

TEST(CuptiVersion, AnOlderMinorVersionAndAnotherMajorOneAreRefused) {
    EXPECT_FALSE(fits(cuda_12_4, cuda_12_6));
    EXPECT_FALSE(fits(130001, 130100));
    EXPECT_FALSE(fits(cuda_12_9, 130000));
    EXPECT_FALSE(fits(140000, 130000));
    EXPECT_FALSE(fits(18, cuda_12_4)) << "CUDA 11.8";
    EXPECT_EQ(compatibility_of(cuda_12_4, 130001).refusal,
              "CUPTI of CUDA 12.4 is loaded, and strata was built with that of CUDA 13.0 update 1");
}

TEST(CuptiVersion, TheFirstCuptiOf13Point0HasAWarning) {
    EXPECT_NE(compatibility_of(130000, 130000).warning.find("install update 1"), std::string::npos);
    EXPECT_TRUE(compatibility_of(130001, 130000).warning.empty());
}

}  // namespace
}  // namespace strata::cuda
