// SPDX-License-Identifier: MIT
#include "trace/kernel_name.h"
#include "tests/trace/scripted_trace.h"

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

TEST(KernelName, AShortOneNamesTheClassThatMakesTheKernel) {
    EXPECT_EQ(short_kernel_name("void strata::cuda::each_kernel<strata::cuda::(anonymous "
                                "namespace)::BiasBody>(strata::cuda::(anonymous "
                                "namespace)::BiasBody, long)"),
              "each_kernel<BiasBody>");
    EXPECT_EQ(short_kernel_name("void strata::cuda::each_kernel<strata::cuda::MapBody<1, 1, "
                                "strata::cuda::(anonymous namespace)::Forward<(strata::Kind)0> > "
                                ">(long)"),
              "each_kernel<MapBody<Forward>>");
    EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, "
                                "at::native::CUDAFunctor_add<float>, std::array<char*, 3> >(int)"),
              "vectorized_elementwise_kernel<CUDAFunctor_add>");
    EXPECT_EQ(short_kernel_name("void cutlass__5x_cudnn::Kernel<cutlass_tensorop_fprop_align4>("
                                "cutlass_tensorop_fprop_align4::Params)"),
              "Kernel<cutlass_tensorop_fprop_align4>");
}

TEST(KernelName, AMangledOneIsReadAsFarAsNeeded) {
    EXPECT_EQ(short_kernel_name("_ZN17cutlass__5x_cudnn6KernelINS_4conv6kernel23ImplicitGemmConvolu"
                                "tionINS1_11threadblock22ImplicitGemmMultistageEEEEvNT_6ParamsE"),
              "Kernel<ImplicitGemmConvolution>");
    EXPECT_EQ(short_kernel_name("_ZN2at6native4fillIfEEvPf"), "fill");
    for (const char* broken : {"_ZN", "_ZN99999999short", "_ZNS", "_Z", "_ZNIN"}) {
        EXPECT_EQ(short_kernel_name(broken), broken);
    }
    EXPECT_EQ(short_kernel_name("_ZN1kINS"), "k");
}

TEST(KernelName, AShortOneIsTheBareNameOfEverythingElse) {
    for (const char* name : {"void implicit_convolve_sgemm<float, float, 1024, (Kind)0>(int, float "
                             "const*, kernel_params<float>)",
                             "maxwell_sgemm_128x128_raggedMn_tn", "<unknown>", "", ")))>>",
                             "a<b<c<d<", "a<,,,", "::<::<::<"}) {
        EXPECT_EQ(short_kernel_name(name), bare_kernel_name(name)) << name;
    }
}

using Invocations = std::vector<std::optional<std::uint32_t>>;

TEST(Invocation, CountsEachFullNameInTheOrderOfStarts) {
    const std::vector spans = {kernel("sgemm<2>", 30, 40), kernel("sgemm<1>", 50, 60),
                               kernel("sgemm<1>", 10, 20)};
    EXPECT_EQ(invocations_of(spans), (Invocations{1, 2, 1}));
}

TEST(Invocation, CountsEachDeviceByItself) {
    std::vector spans = {kernel("relu", 10, 20), kernel("relu", 11, 20)};
    spans[1].device = 1;
    EXPECT_EQ(invocations_of(spans), (Invocations{1, 1}));
}

TEST(Invocation, CopiesAndKernelsWithoutAStartHaveNone) {
    std::vector spans = {kernel("relu", 0, 0), kernel("host to device", 1, 2),
                         kernel("relu", 5, 6)};
    spans[1].kind = SpanKind::copy;
    EXPECT_EQ(invocations_of(spans), (Invocations{std::nullopt, std::nullopt, 1}));
}

}  // namespace
}  // namespace strata
