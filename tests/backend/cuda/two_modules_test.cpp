// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/streams.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

namespace {

const void* launched = nullptr;

}  // namespace

// Replaces the runtime's: without a GPU nothing else of a launch is visible.
cudaError_t cudaLaunchKernel(const void* kernel, dim3, dim3, void**, std::size_t, cudaStream_t) {
    launched = kernel;
    return cudaSuccess;
}

// The program opens both modules if a command compares loads through L1 with loads past it.
namespace strata::testing {

namespace {

std::filesystem::path module_of(const void* address) {
    Dl_info info = {};
    return dladdr(address, &info) == 0 ? "" : std::filesystem::path(info.dli_fname).filename();
}

struct Module {
    void* handle;
    decltype(&cuda::stream) stream;
};

Module open(const char* file) {
    void* handle =
        dlopen((std::filesystem::path(STRATA_MODULES) / file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        ADD_FAILURE() << dlerror();
        return {};
    }
    void* function = dlsym(handle, "_ZN6strata4cuda6streamENS0_13StreamPatternEll");
    return {handle, reinterpret_cast<decltype(&cuda::stream)>(function)};
}

// Both have functions with the same names, and neither may call the other's.
TEST(TwoModules, InOneProcessEachLaunchesItsOwnKernel) {
    const std::array files = {"libstrata_cuda.so", "libstrata_cuda_past_l1.so"};
    const std::array modules = {open(files[0]), open(files[1])};
    const std::array reads = {cuda::Reads::through_l1, cuda::Reads::past_l1};
    for (const std::size_t i : {0U, 1U, 0U}) {
        ASSERT_NE(modules[i].stream, nullptr) << files[i];
        const cuda::Kernel kernel = modules[i].stream(cuda::StreamPattern::write, 64, 1);
        EXPECT_EQ(kernel.reads, reads[i]) << files[i];
        std::array<void*, 1> addresses = {};
        EXPECT_EQ(kernel.launch(nullptr, addresses), cudaSuccess);
        EXPECT_EQ(module_of(launched), std::string(files[i]));
    }
}

}  // namespace

}  // namespace strata::testing
