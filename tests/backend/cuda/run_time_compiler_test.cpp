// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/run_time_compiler.h"

#include "backend/cuda/engine.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/problems.h"

#include <cudnn.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {

std::size_t told_runtime = 0;  // 0: the library's own

}  // namespace

std::size_t cudnnGetCudartVersion() {
    static const auto library = reinterpret_cast<decltype(&cudnnGetCudartVersion)>(
        dlsym(RTLD_NEXT, "cudnnGetCudartVersion"));
    return told_runtime == 0 ? library() : told_runtime;
}

// There is no driver here, so cuDNN offers no fused attention either way; only the reason differs.
namespace strata::testing {

namespace {

// The algorithm of an attention's step on such a chip, if cuDNN needs the NVRTC of this CUDA.
std::string algorithm_on(int compute_capability, std::size_t runtime) {
    cuda::DeviceProperties device = described_h200();
    device.compute_capability = compute_capability;
    const Graph graph = graph_of_problem("attention(2x40x128, 2x40x128, 2x40x128) heads=2");
    told_runtime = runtime;
    const cuda::Program program =
        cuda::prepare_program(graph, {.numerics = {.dtype = DataType::f16}}, device);
    told_runtime = 0;
    return program.steps.front().step.algorithm;
}

TEST(RunTimeCompiler, MatchingCudnnsVersionIsFound) {
    EXPECT_EQ(cuda::refusal_of_run_time_compiler(), "");
    EXPECT_EQ(algorithm_on(90, 0), "unfused");
}

TEST(RunTimeCompiler, ThatIsMissingIsTheReasonForUnfusedAttention) {
    EXPECT_EQ(algorithm_on(90, 99000),
              "unfused: NVRTC (libnvrtc.so.99) is not found, which cuDNN compiles fused attention "
              "with; install that of CUDA 99 (PyPI: nvidia-cuda-nvrtc), or name its folder in "
              "STRATA_CUDA_LIBRARIES");
}

TEST(RunTimeCompiler, IsNotBlamedIfAChipHasNoFusedAttention) {
    EXPECT_EQ(algorithm_on(75, 99000), "unfused");
}

TEST(RunTimeCompiler, IsNamedAsPyPINamesItForEachVersion) {
    told_runtime = 11080;
    EXPECT_NE(cuda::refusal_of_run_time_compiler().find("nvidia-cuda-nvrtc-cu11)"),
              std::string::npos)
        << cuda::refusal_of_run_time_compiler();
    told_runtime = 0;
}

}  // namespace

}  // namespace strata::testing
