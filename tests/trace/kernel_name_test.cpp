// SPDX-License-Identifier: MIT
#include "trace/kernel_name.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(KernelName, LosesItsArguments) {
    EXPECT_EQ(bare_kernel_name("lrnForward_evenC<int=5, float, float>"), "lrnForward_evenC");
    EXPECT_EQ(bare_kernel_name("activation_fw_4d_kernel<float, int=128, "
                               "cudnn::detail::relu_func<float, bool=0>>"),
              "activation_fw_4d_kernel");
    EXPECT_EQ(bare_kernel_name("maxwell_sgemm_128x128_raggedMn_tn"),
              "maxwell_sgemm_128x128_raggedMn_tn");
}

TEST(KernelName, LosesResultTypeScopeAndParameters) {
    EXPECT_EQ(bare_kernel_name("void cudnn::ops::scale<float, 128>(T*, int)"), "scale");
    EXPECT_EQ(bare_kernel_name("(anonymous namespace)::fill(float*)"), "fill");
    EXPECT_EQ(bare_kernel_name("void at::native::k<f(int)::{lambda(int)#1}>(int)"), "k");
}

TEST(KernelName, StaysWhereNothingElseIsLeft) {
    EXPECT_EQ(bare_kernel_name("<unknown>"), "<unknown>");
    EXPECT_EQ(bare_kernel_name(")))>>"), ")))>>");
    EXPECT_EQ(bare_kernel_name(""), "");
}

}  // namespace
}  // namespace strata
