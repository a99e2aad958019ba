// SPDX-License-Identifier: MIT
#include "run/overrides.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using Variables = std::map<std::string, std::string>;

constexpr bool on_device = true;

Execution asked(DataType dtype, SinglePrecision single_precision = SinglePrecision::full) {
    return {.numerics = {.dtype = dtype, .single_precision = single_precision}};
}

// The only sentence; empty if there is no doubt.
std::string doubt(const Variables& variables, const Execution& execution, bool device) {
    const auto doubts = doubts_about_overrides(variables, execution, device);
    if (doubts.empty()) {
        return {};
    }
    EXPECT_EQ(doubts.size(), 1U);
    EXPECT_EQ(doubts.front().kind, DoubtKind::overridden);
    return doubts.front().sentence;
}

TEST(Overrides, WithoutVariablesNothingIsDoubted) {
    EXPECT_EQ(doubt({}, asked(DataType::f32), on_device), "");
    EXPECT_EQ(doubt({}, asked(DataType::f32), !on_device), "");
    EXPECT_EQ(doubt({{"CUDNN_LOGLEVEL_DBG", "2"}, {"OMP_NUM_THREADS", "4"}}, asked(DataType::f32),
                    on_device),
              "");
}

TEST(Overrides, ForbiddenOrPermittedTf32ContradictsTheRequest) {
    const Variables never = {{"NVIDIA_TF32_OVERRIDE", "0"}};
    const Variables always = {{"NVIDIA_TF32_OVERRIDE", "1"}};
    const Execution tf32 = asked(DataType::f32, SinglePrecision::tf32);
    EXPECT_TRUE(doubt(never, tf32, on_device).starts_with("NVIDIA_TF32_OVERRIDE=0 "));
    EXPECT_TRUE(
        doubt(always, asked(DataType::f32), on_device).starts_with("NVIDIA_TF32_OVERRIDE=1 "));
    EXPECT_EQ(doubt(never, asked(DataType::f32), on_device), "");
    EXPECT_EQ(doubt(always, tf32, on_device), "");
    EXPECT_EQ(doubt(always, asked(DataType::bf16), on_device), "");
    EXPECT_EQ(doubt(never, tf32, !on_device), "");
}

TEST(Overrides, ALaunchThatWaitsIsADoubtOnADevice) {
    const Variables blocking = {{"CUDA_LAUNCH_BLOCKING", "1"}};
    EXPECT_NE(doubt(blocking, asked(DataType::bf16), on_device).find("unset it"),
              std::string::npos);
    EXPECT_EQ(doubt({{"CUDA_LAUNCH_BLOCKING", "0"}}, asked(DataType::bf16), on_device), "");
    EXPECT_EQ(doubt(blocking, asked(DataType::bf16), !on_device), "");
}

TEST(Overrides, FewerBitsThanF32AreADoubtOnProcessors) {
    const Variables fewer = {{"ONEDNN_DEFAULT_FPMATH_MODE", "BF16"}};
    EXPECT_NE(doubt(fewer, asked(DataType::f32), !on_device).find("fewer bits"), std::string::npos);
    EXPECT_EQ(doubt(fewer, asked(DataType::bf16), !on_device), "");
    EXPECT_EQ(doubt({{"ONEDNN_DEFAULT_FPMATH_MODE", "STRICT"}}, asked(DataType::f32), !on_device),
              "");
}

}  // namespace
}  // namespace strata
