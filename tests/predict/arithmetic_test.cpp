// SPDX-License-Identifier: MIT
#include "predict/arithmetic.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

TEST(Arithmetic, PeaksAreThoseOfTheTypesUnits) {
    const DeviceDescription v100 = find_description("v100");
    EXPECT_NEAR(peak_of(v100, Arithmetic::f16) / peak_of(v100, Arithmetic::f32), 8, 0.1);
    EXPECT_TRUE(has_matrix_units(v100, Arithmetic::f16));
    EXPECT_FALSE(has_matrix_units(v100, Arithmetic::f32));
    const DeviceDescription a100 = find_description("a100-40");
    EXPECT_NEAR(peak_of(a100, Arithmetic::f16) / peak_of(a100, Arithmetic::tf32), 2, 0.01);
}

// The P100 computes fp16 in pairs; GeForce boards of its architecture are very slow at it.
TEST(Arithmetic, PascalHasHalfPrecisionInItsDataCentreBoardsOnly) {
    const DeviceDescription p100 = find_description("p100");
    EXPECT_NEAR(peak_of(p100, Arithmetic::f16) / peak_of(p100, Arithmetic::f32), 2, 0.01);
    EXPECT_FALSE(has_matrix_units(p100, Arithmetic::f16));
    const DeviceDescription geforce = find_description("gtx-1080-ti");
    EXPECT_NEAR(peak_of(geforce, Arithmetic::f32) / peak_of(geforce, Arithmetic::f16), 64, 1e-9);
}

TEST(Arithmetic, ALimitOfPowerLowersWhatABoardSustains) {
    const auto share = [](const char* name) { return sustained_share(find_description(name)); };
    EXPECT_EQ(share("a100-40"), 1);
    EXPECT_LT(share("p4"), share("p40"));
    EXPECT_NEAR(share("t4"), 0.69, 0.02);
    EXPECT_LT(share("l4"), share("t4"));
    EXPECT_GT(share("l4"), 0.27);
    EXPECT_NEAR(share("h100"), 0.75, 0.01);
    DeviceDescription unlimited = find_description("t4");
    unlimited.power.reset();
    EXPECT_EQ(sustained_share(unlimited), 1);
}

TEST(Arithmetic, WhatADeviceLacksIsNamed) {
    EXPECT_THROW(peak_of(find_description("v100"), Arithmetic::bf16), Error);
    EXPECT_THROW(peak_of(find_description("k40"), Arithmetic::f16), Error);
    DeviceDescription bare = find_description("v100");
    bare.lanes.reset();
    bare.f32_peak.reset();
    EXPECT_THROW(peak_of(bare, Arithmetic::f32), Error);
}

TEST(Arithmetic, TpusMultiplyNumbersOfFp32InBf16) {
    const DeviceDescription tpu = find_description("tpu-v3");
    EXPECT_EQ(peak_of(tpu, Arithmetic::f32), peak_of(tpu, Arithmetic::bf16));
}

}  // namespace

}  // namespace strata::testing
