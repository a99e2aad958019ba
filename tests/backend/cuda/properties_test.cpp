// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/descriptor.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

TEST(Properties, SurviveARoundTripThroughText) {
    const std::string text = to_json(described_h200());
    cuda::DeviceProperties read = cuda::parse_device_properties(text);
    read.description.clear();
    EXPECT_EQ(to_json(read), text);
}

TEST(Properties, KeysThatOnlyCudnnKnowsArePreserved) {
    std::string text = to_json(described_h200());
    text.insert(1, R"("clusterLaunch":1,)");
    EXPECT_EQ(to_json(cuda::parse_device_properties(text)), text);
}

TEST(Properties, AChangedFieldIsDescribedOnceTheDescriptionIsCleared) {
    cuda::DeviceProperties read = cuda::parse_device_properties(to_json(described_h200()));
    read.description.clear();
    read.multiprocessors = 7;
    EXPECT_EQ(cuda::parse_device_properties(to_json(read)).multiprocessors, 7);
}

TEST(Properties, CudnnTakesTheDescription) {
    EXPECT_NO_THROW(cuda::device_descriptor(described_h200()));
}

TEST(Properties, MissingKeysAreNamed) {
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
