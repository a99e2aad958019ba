// SPDX-License-Identifier: MIT
#include "measure/ceilings.h"
#include "measure/kernels/kernels.h"
#include "measure/rates.h"
#include "tests/support/fake_clock.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

constexpr CeilingEffort little{
    .time_of_sample = {1e-4}, .max_time_per_kernel = {1e-3}, .max_memory = {6 << 20}};

// A small machine with this one's processors, on which every level is measured.
Host small_host() {
    Host host = detect_host();
    host.caches = {{.level = 1, .size = {32 << 10}},
                   {.level = 2, .size = {256 << 10}},
                   {.level = 3, .size = {8 << 20}, .shared_by = 64}};
    host.memory = Bytes{1 << 30};
    return host;
}

std::vector<std::string> names(const Device& device) {
    std::vector<std::string> all;
    for (const MemoryLevel& level : device.memory) {
        all.push_back(level.name);
    }
    return all;
}

TEST(Ceilings, EveryTypeAndLevelHasARateAndASource) {
    std::size_t heard = 0;
    const Device device = measure_ceilings(small_host(), 1, little, [&](const auto&) { ++heard; });
    EXPECT_GT(peak_of(device, "f32").value().value, 1e6);
    EXPECT_GT(peak_of(device, "f64").value().value, 1e6);
    EXPECT_EQ(names(device), (std::vector<std::string>{"L1", "L2", "L3", "DRAM"}));
    EXPECT_EQ(device.memory[1].capacity, Bytes{256 << 10});
    EXPECT_EQ(device.memory.back().capacity, std::nullopt);
    EXPECT_EQ(device.compute[0].peak.source.find("measured 2"), 0u);
    EXPECT_GE(heard, 10u);
    EXPECT_EQ(parse_device(to_toml(device), "own").memory.size(), 4u);
}

TEST(Ceilings, AnOversizedCacheIsStatedInTheSource) {
    Host host = small_host();
    host.caches[2].size = {512 << 20};
    const Device device = measure_ceilings(host, 1, little);
    EXPECT_NE(device.memory.back().bandwidth.source.find("which served part of it"),
              std::string::npos);
}

TEST(Ceilings, AMachineWithoutSpecialInstructionsUsesPortableLoops) {
    Host host = small_host();
    host.instructions.clear();
    host.caches.clear();
    const Device device = measure_ceilings(host, 1, little);
    EXPECT_NE(device.compute[0].peak.source.find("portable"), std::string::npos);
    EXPECT_EQ(peak_of(device, "bf16"), std::nullopt);
    EXPECT_EQ(names(device), std::vector<std::string>{"DRAM"});
}

TEST(Ceilings, SeveralThreadsAreMeasuredTogether) {
    Host host = small_host();
    host.processors = {host.processors.front(), host.processors.back()};
    EXPECT_EQ(measure_ceilings(host, 2, little).threads, 2);
}

TEST(Ceilings, TheTriadsOfAllInstructionSetsGiveTheSameResult) {
    const Host host = detect_host();
    for (const MemoryKernel& kernel : memory_kernels()) {
        const auto has = [&](auto flag) { return has_instructions(host, flag); };
        const bool wide = kernel.instructions.starts_with("avx512");
        if (kernel.pattern == MemoryPattern::read || (wide && !has("avx512f")) ||
            (!kernel.instructions.empty() && !wide && !(has("avx2") && has("fma")))) {
            continue;
        }
        alignas(64) static std::array<float, 2 * memory_granule> memory;
        const std::size_t third = memory.size() / 3;
        std::fill(memory.begin(), memory.end(), 0.0F);
        std::fill_n(memory.begin() + static_cast<std::ptrdiff_t>(third), third, 3.0F);
        std::fill_n(memory.begin() + static_cast<std::ptrdiff_t>(2 * third), third, 4.0F);
        kernel.run(memory, 1);
        EXPECT_TRUE(std::all_of(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(third),
                                [](float a) { return a == 5.0F; }))
            << kernel.name;
    }
}

TEST(Rates, AreOfTheShortestAndTheMedianTime) {
    const Rates rates = rates_from("copy", 12, {Seconds{3}, Seconds{2}, Seconds{4}});
    EXPECT_EQ(rates.kernel, "copy");
    EXPECT_EQ(rates.best, 6);
    EXPECT_EQ(rates.median, 4);
    EXPECT_EQ(rates.samples, 3U);
}

TEST(Rates, TheBestKernelIsTheCeilingAndTheOthersAreListedWithIt) {
    const Fact<Bandwidth> fact =
        best_of<Bandwidth>({{"read", 5e9, 4e9, 20}, {"copy", 8e9, 6e9, 20}}, ", 64 MiB");
    EXPECT_EQ(fact.value, Bandwidth{8e9});
    EXPECT_EQ(fact.source.find("measured 20"), 0U);
    EXPECT_NE(
        fact.source.find("copy, 64 MiB; best of 20, median 25.0 % lower; others: read 5 GB/s"),
        std::string::npos)
        << fact.source;
}

// Passes with these bandwidths of main memory, and how many were made.
struct Passes {
    std::vector<double> bandwidths;
    Seconds each{10};
    testing::FakeClock clock = {};
    std::size_t made = 0;

    Device repeat(const Repetition& limits = {}) {
        return repeat_until_agreed(
            [this] {
                clock.advance(each);
                Device device{.name = "d", .model = "m"};
                const double value = bandwidths[std::min(made++, bandwidths.size() - 1)];
                device.memory = {
                    {.name = "DRAM", .capacity = {}, .bandwidth = {{value}, "measured", true}}};
                return device;
            },
            limits, clock);
    }
};

TEST(Ceilings, OnAQuietMachineTwoPassesAreEnough) {
    Passes passes{{88.3e9, 87.9e9}};
    const Device device = passes.repeat();
    EXPECT_EQ(passes.made, 2u);
    EXPECT_EQ(memory_bandwidth_of(device), Bandwidth{88.3e9});
    EXPECT_TRUE(doubtful_ceilings(device).empty());
}

TEST(Ceilings, ADisturbedCalibrationIsRepeatedUntilItsBestValuesAgree) {
    Passes passes{{60.8e9, 71e9, 88.3e9, 65e9, 87e9}};
    const Device device = passes.repeat();
    EXPECT_EQ(passes.made, 5u);
    EXPECT_EQ(memory_bandwidth_of(device), Bandwidth{88.3e9});
    EXPECT_TRUE(doubtful_ceilings(device).empty());
}

TEST(Ceilings, AnUnreproducibleCalibrationEndsInTimeAndStaysDoubtful) {
    Passes passes{{50e9, 60e9, 70e9, 80e9, 90e9, 100e9, 110e9, 120e9, 130e9}};
    const Device device = passes.repeat();
    EXPECT_EQ(passes.made, 6u) << "of ten seconds each";
    EXPECT_EQ(memory_bandwidth_of(device), Bandwidth{100e9});
    EXPECT_EQ(doubtful_ceilings(device), std::vector<std::string>{"DRAM bandwidth"});
}

TEST(Ceilings, OnePassLeavesEveryCeilingDoubtful) {
    const Device device = measure_ceilings(small_host(), 1, little);
    EXPECT_EQ(doubtful_ceilings(device).size(), device.compute.size() + device.memory.size());
}

}  // namespace
}  // namespace strata
