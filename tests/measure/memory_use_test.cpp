// SPDX-License-Identifier: MIT
#include "measure/memory_use.h"

#include "tests/measure/fake_machine.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace strata {
namespace {

TEST(MemoryUse, ThePeakIncludesFreedMemoryAndCanBeResetIfAllowed) {
    const auto before = read_memory_use();
    if (!before.peak || !before.resident) {
        GTEST_SKIP() << "this kernel does not tell the peak";
    }
    constexpr std::size_t size = std::size_t{64} << 20;
    // Mapped, so that it is released immediately under every allocator and sanitizer.
    void* block = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(block, MAP_FAILED);
    std::memset(block, 1, size);
    EXPECT_GE(read_memory_use().resident->value, before.resident->value + 0.9 * size);
    ::munmap(block, size);
    const auto after = read_memory_use();
    EXPECT_GE(after.peak->value, before.resident->value + 0.9 * size);
    if (reset_peak_memory()) {
        EXPECT_LT(read_memory_use().peak->value, after.peak->value - 0.5 * size);
    }
}

TEST(MemoryUse, AllocationIsThePeakIncreaseAndUnknownIfMoreWasReleased) {
    const MemoryUse before = {.resident = Bytes{4096.0}, .peak = Bytes{9000.0}};
    EXPECT_EQ(memory_taken(before, {.resident = {}, .peak = Bytes{6144.0}}), Bytes{2048.0});
    EXPECT_EQ(memory_taken(before, {.resident = {}, .peak = Bytes{4000.0}}), std::nullopt);
    EXPECT_EQ(memory_taken(before, {}), std::nullopt);
    EXPECT_EQ(memory_taken({}, before), std::nullopt);
}

TEST(MemoryUse, WithoutTheKernelsFileNothingIsKnown) {
    const auto use = read_memory_use(testing::FakeMachine().root());
    EXPECT_EQ(use.resident, std::nullopt);
    EXPECT_EQ(use.peak, std::nullopt);
}

TEST(MemoryUse, AvailableMemoryIsReadFromTheKernelsFile) {
    testing::FakeMachine machine;
    machine.tell("proc/meminfo", "MemTotal:  1000 kB\nMemAvailable:  900 kB\n");
    EXPECT_EQ(available_memory(machine.root()), Bytes{900.0 * 1024});
    EXPECT_EQ(available_memory(testing::FakeMachine().root()), std::nullopt);
}

}  // namespace
}  // namespace strata
