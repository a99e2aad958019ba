// SPDX-License-Identifier: MIT
#include "backend/cuda/nvml/state.h"

#include "tests/backend/cuda/nvml/scripted_nvml.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

using cuda::NvmlDevice;
using cuda::NvmlLibrary;

NvmlDevice device(const NvmlLibrary& library, const std::string& bus = NvmlScript().bus) {
    return {{.library = library, .refusal = {}}, bus};
}

bool tells_nothing(const DeviceState& state) {
    return !state.core_clock && !state.memory_clock && !state.watts && !state.celsius &&
           !state.performance_state && !state.other_processes && !state.limits;
}

TEST(Nvml, ADeviceThatReportsEverythingIsDescribedInUnits) {
    const NvmlScript script;
    const std::map<std::string, std::string> expected = {{"gpu.nvml", "13.580.65.06"},
                                                         {"gpu.driver", "580.65.06"},
                                                         {"gpu.uuid", "GPU-5f0c"},
                                                         {"gpu.core_clock.most", "1980 MHz"},
                                                         {"gpu.core_clock.setting", "1980 MHz"},
                                                         {"gpu.memory_clock.most", "3201 MHz"},
                                                         {"gpu.memory_clock.setting", "3201 MHz"},
                                                         {"gpu.power.limit", "700 W"},
                                                         {"gpu.ecc", "on"},
                                                         {"gpu.mig", "off"},
                                                         {"gpu.persistence", "on"},
                                                         {"gpu.compute_mode", "exclusive process"}};
    EXPECT_EQ(device(scripted_nvml(script)).describe(), expected);
}

TEST(Nvml, AMomentHasClocksPowerHeatAndLimits) {
    const NvmlScript script = {.limits = 0x4};
    const DeviceState state = device(scripted_nvml(script)).state();
    EXPECT_EQ(state.core_clock, Frequency{1755e6});
    EXPECT_EQ(state.memory_clock, Frequency{3201e6});
    EXPECT_NEAR(state.watts.value(), 612.345, 1e-9);
    EXPECT_EQ(state.celsius, 57);
    EXPECT_EQ(state.performance_state, 0);
    EXPECT_EQ(state.other_processes, 0);
    EXPECT_EQ(state.limits, std::vector{ClockLimit::power_cap});
}

TEST(Nvml, FunctionsThatALibraryLacksAreLeftOutAndNamed) {
    const NvmlScript script;
    NvmlLibrary old = scripted_nvml(script);
    old.clock_limits = nullptr;
    old.mig = nullptr;
    old.processes = nullptr;
    const auto words = device(old).describe();
    EXPECT_FALSE(words.contains("gpu.mig"));
    EXPECT_EQ(words.at("gpu.nvml.refused"),
              "mig (not in this version of the library), clock_limits (not in this version of the "
              "library)");
    const DeviceState state = device(old).state();
    EXPECT_FALSE(state.limits.has_value());
    EXPECT_FALSE(state.other_processes.has_value());
    EXPECT_TRUE(state.core_clock.has_value());
}

TEST(Nvml, WithoutPermissionNothingIsReportedAndNothingIsZero) {
    const NvmlScript script = {.answer = cuda::nvml_no_permission};
    const NvmlDevice refusing = device(scripted_nvml(script));
    EXPECT_TRUE(tells_nothing(refusing.state()));
    const auto words = refusing.describe();
    EXPECT_FALSE(words.contains("gpu.power.limit"));
    EXPECT_NE(words.at("gpu.nvml.refused").find("power (no permission)"), std::string::npos);
    EXPECT_EQ(words.at("gpu.driver"), "580.65.06");
}

TEST(Nvml, WithoutTheLibraryTheReasonIsKept) {
    NvmlDevice absent({.library = {}, .refusal = "libnvidia-ml.so.1: no such file"},
                      "0000:1B:00.0");
    EXPECT_TRUE(tells_nothing(absent.state()));
    cuda::NvmlWatch watch("NVIDIA H200", absent);
    const std::map<std::string, std::string> expected = {
        {"gpu.name", "NVIDIA H200"}, {"gpu.nvml", "absent: libnvidia-ml.so.1: no such file"}};
    EXPECT_EQ(watch.describe(), expected);
    EXPECT_TRUE(tells_nothing(watch.state()));
}

TEST(Nvml, ALibraryThatDoesNotStartOrLacksEverythingCountsAsAbsent) {
    EXPECT_EQ(device(NvmlLibrary()).refusal(),
              "NVML does not begin: not in this version of the library");
    const NvmlScript script;
    NvmlLibrary unloaded = scripted_nvml(script);
    unloaded.initialise = [] { return 9; };
    EXPECT_EQ(device(unloaded).refusal(), "NVML does not begin: the driver is not loaded");
    EXPECT_TRUE(tells_nothing(device(unloaded).state()));
}

TEST(Nvml, AnotherBusIsAnotherDevice) {
    const NvmlScript script;
    EXPECT_EQ(device(scripted_nvml(script), "0000:5D:00.0").refusal(),
              "NVML does not give the device at 0000:5D:00.0: no such device");
}

TEST(Nvml, AZeroClockAndAnUnknownStateAreNotReported) {
    const NvmlScript script = {.core_megahertz = 0, .performance_state = 32};
    const DeviceState state = device(scripted_nvml(script)).state();
    EXPECT_FALSE(state.core_clock.has_value());
    EXPECT_FALSE(state.performance_state.has_value());
}

TEST(Nvml, OtherProcessesAreCountedWithoutThisOne) {
    NvmlScript script = {.processes = 3};
    const NvmlDevice shared = device(scripted_nvml(script));
    EXPECT_EQ(shared.state().other_processes, 2);
    script.processes = 0;  // it does not even see this one
    EXPECT_FALSE(shared.state().other_processes.has_value());
}

TEST(Nvml, EveryBitIsALimitAndNewBitsAreNotLost) {
    EXPECT_TRUE(cuda::limits_of_mask(0).empty());
    EXPECT_EQ(cuda::limits_of_mask(0x1 | 0x2),
              (std::vector{ClockLimit::idle, ClockLimit::setting}));
    EXPECT_EQ(cuda::limits_of_mask(0x20 | 0x40 | 0x80),
              (std::vector{ClockLimit::software_thermal, ClockLimit::hardware_thermal,
                           ClockLimit::power_brake}));
    EXPECT_EQ(cuda::limits_of_mask(0x8 | 0x10 | 0x100 | 0x400),
              (std::vector{ClockLimit::hardware_slowdown, ClockLimit::sync_boost,
                           ClockLimit::display, ClockLimit::unknown}));
}

}  // namespace

}  // namespace strata::testing
