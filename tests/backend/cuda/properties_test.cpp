// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/device.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

TEST(Properties, SurviveTheWayThroughText) {
    const std::string text = to_json(described_h200());
    EXPECT_EQ(to_json(cuda::parse_device_properties(text)), text);
}

TEST(Properties, CudnnTakesTheDescription) {
    EXPECT_NO_THROW(cuda::device_descriptor(described_h200()));
}

TEST(Properties, WhatIsMissingIsNamed) {
    const std::string sentence =
        error_of([] { cuda::parse_device_properties(R"({"deviceName": "x"})"); });
    EXPECT_NE(sentence.find("multiProcessorCount"), std::string::npos) << sentence;
}

TEST(Properties, OtherTextIsRefused) {
    EXPECT_THROW(cuda::parse_device_properties("no json"), Error);
    EXPECT_THROW(cuda::read_device_properties("/does/not/exist"), Error);
}

}  // namespace

}  // namespace strata::testing
