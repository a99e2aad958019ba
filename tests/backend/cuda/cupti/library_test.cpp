// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/library.h"

#include "backend/cuda/cupti/activity_calls.h"

#include <cupti_version.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string_view>

namespace {

bool is_cupti_installed = true;

}  // namespace

// The loader, on a machine that may lack CUPTI.
extern "C" void* dlopen(const char* file, int mode) noexcept {
    static const auto loader =
        reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
    const bool hides = file != nullptr && !is_cupti_installed &&
                       std::string_view(file).find("libcupti.so") != std::string_view::npos;
    return loader(hides ? "libstrata_absent.so" : file, mode);
}

namespace strata::testing {

namespace {

TEST(CuptiLibrary, IsOpenedByItsFirstCall) {
    is_cupti_installed = true;
    std::uint32_t version = 0;
    ASSERT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
    EXPECT_EQ(version, CUPTI_API_VERSION);
}

TEST(CuptiLibrary, ThatIsMissingIsTheReasonForNoTrace) {
    is_cupti_installed = false;
    try {
        cuda::cupti_function("cuptiSubscribe");
        ADD_FAILURE() << "CUPTI was opened";
    } catch (const cuda::ProfilerError& error) {
        const std::string sentence = error.what();
        EXPECT_EQ(error.trouble(), cuda::ProfilerTrouble::no_library);
        EXPECT_TRUE(sentence.starts_with("cannot trace or count: CUPTI is not found ("))
            << sentence;
        EXPECT_TRUE(sentence.ends_with("name its folder in STRATA_CUDA_LIBRARIES")) << sentence;
    }
    is_cupti_installed = true;
}

TEST(CuptiLibrary, WithoutAFunctionIsTooOld) {
    try {
        cuda::cupti_function("cuptiDoesNotExist");
        ADD_FAILURE() << "the function was found";
    } catch (const cuda::ProfilerError& error) {
        EXPECT_EQ(error.trouble(), cuda::ProfilerTrouble::old_library);
    }
}

}  // namespace

}  // namespace strata::testing
