// SPDX-License-Identifier: MIT
#include "backend/cuda/nvml/library.h"

#include <gtest/gtest.h>

#include <set>

namespace strata::testing {

namespace {

using cuda::bind_nvml;
using cuda::NvmlHandle;
using cuda::NvmlLibrary;
using cuda::NvmlStatus;

NvmlStatus new_limits(NvmlHandle, unsigned long long* mask) {
    *mask = 12;
    return cuda::nvml_success;
}

NvmlStatus old_limits(NvmlHandle, unsigned long long* mask) {
    *mask = 4;
    return cuda::nvml_success;
}

unsigned long long limits_of(const NvmlLibrary& library) {
    unsigned long long mask = 0;
    EXPECT_EQ(library.clock_limits(nullptr, &mask), cuda::nvml_success);
    return mask;
}

void* address_of(NvmlStatus (*function)(NvmlHandle, unsigned long long*)) {
    return reinterpret_cast<void*>(function);
}

TEST(NvmlLibrary, TheNewestNameOfAFunctionIsTaken) {
    const std::map<std::string, void*> symbols = {
        {"nvmlDeviceGetCurrentClocksEventReasons", address_of(new_limits)},
        {"nvmlDeviceGetCurrentClocksThrottleReasons", address_of(old_limits)}};
    const NvmlLibrary library = bind_nvml([&](const char* name) -> void* {
        return symbols.contains(name) ? symbols.at(name) : nullptr;
    });
    EXPECT_EQ(limits_of(library), 12);
    EXPECT_FALSE(library.power);
}

TEST(NvmlLibrary, AnOlderLibraryIsBoundByTheOlderName) {
    const NvmlLibrary library = bind_nvml([](const char* name) {
        return std::string(name) == "nvmlDeviceGetCurrentClocksThrottleReasons"
                   ? address_of(old_limits)
                   : nullptr;
    });
    EXPECT_EQ(limits_of(library), 4);
}

TEST(NvmlLibrary, EveryFunctionIsLookedUpByANameOfNvmls) {
    std::set<std::string> asked;
    bind_nvml([&](const char* name) -> void* {
        asked.insert(name);
        return nullptr;
    });
    EXPECT_EQ(asked.size(), 23U);
    for (const std::string& name : asked) {
        EXPECT_TRUE(name.starts_with("nvmlDeviceGet") || name.starts_with("nvmlSystemGet") ||
                    name.starts_with("nvmlInit"))
            << name;
    }
}

TEST(NvmlLibrary, AStatusHasAText) {
    EXPECT_EQ(cuda::words_of_nvml(cuda::nvml_no_permission), "no permission");
    EXPECT_EQ(cuda::words_of_nvml(4711), "status 4711");
}

TEST(NvmlLibrary, WithoutADriverThereIsAReasonAndNoLibrary) {
    const cuda::OpenedNvml opened = cuda::open_nvml();
    EXPECT_NE(opened.library.has_value(), !opened.refusal.empty());
}

}  // namespace

}  // namespace strata::testing
