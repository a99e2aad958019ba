// SPDX-License-Identifier: MIT
#include "device/device.h"

#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace strata {
namespace {

const Device tiny{.name = "tiny",
                  .model = "m",
                  .threads = 1,
                  .compute = {{.dtype = "f32", .peak = {{1e9}, "s"}}},
                  .memory = {{.name = "L1", .capacity = Bytes{1024}, .bandwidth = {{8e9}, "s"}},
                             {.name = "DRAM", .capacity = {}, .bandwidth = {{2e9}, "s"}}}};

// Sets an environment variable for its own lifetime.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) {
            before_ = before;
        }
        value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(Device, AnUnknownCeilingIsNothing) {
    EXPECT_EQ(peak_of(tiny, "f32"), FlopRate{1e9});
    EXPECT_EQ(peak_of(tiny, "bf16"), std::nullopt);
    EXPECT_EQ(memory_bandwidth_of(tiny), Bandwidth{2e9});
    EXPECT_EQ(memory_bandwidth_of({}), std::nullopt);
}

TEST(Device, TheEnvironmentChoosesTheFileOfThisMachine) {
    const TemporaryDirectory folder;
    const auto file = folder.path() / "devices" / "mine.toml";
    const Variable variable("STRATA_DEVICE", file.string());
    EXPECT_EQ(own_device_file(1), file);
    EXPECT_FALSE(own_device(1).has_value());
    write_device(file, tiny);
    EXPECT_EQ(own_device(1)->name, "tiny");
}

TEST(Device, ByDefaultTheFileIsNamedAfterTheHostInTheDataHome) {
    const Variable none("STRATA_DEVICE", "");
    {
        const Variable data("XDG_DATA_HOME", "/data");
        EXPECT_EQ(own_device_file(1).parent_path(), "/data/strata/devices");
        EXPECT_EQ(own_device_file(1).extension(), ".toml");
    }
    const Variable no_data("XDG_DATA_HOME", "");
    {
        const Variable home("HOME", "/home/someone");
        EXPECT_EQ(own_device_file(1).parent_path(), "/home/someone/.local/share/strata/devices");
    }
    const Variable no_home("HOME", "");
    EXPECT_NE(error_of([] { own_device_file(1); }).find("STRATA_DEVICE"), std::string::npos);
}

// Gives each test its own folder.
class OwnDevices : public ::testing::Test {
protected:
    static Device with(int threads, double peak) {
        Device device = tiny;
        device.threads = threads;
        device.compute[0].peak.value = {peak};
        return device;
    }

    TemporaryDirectory folder_;
    Variable variable_{"STRATA_DEVICE", (folder_.path() / "mine.toml").string()};
};

TEST_F(OwnDevices, CeilingsOfOneThreadNeverReplaceThoseOfTwo) {
    write_device(own_device_file(2), with(2, 2e9));
    EXPECT_EQ(own_device_file(2), folder_.path() / "mine.toml") << "an older file keeps its place";
    EXPECT_EQ(own_device_file(1), folder_.path() / "mine-1t.toml");
    EXPECT_FALSE(own_device(1).has_value()) << "no percentage rather than a wrong one";
    write_device(own_device_file(1), with(1, 1e9));
    EXPECT_EQ(peak_of(*own_device(1), "f32"), FlopRate{1e9});
    EXPECT_EQ(peak_of(*own_device(2), "f32"), FlopRate{2e9});
}

TEST_F(OwnDevices, AllNumbersOfThreadsAreFoundAndNoForeignFiles) {
    EXPECT_TRUE(own_devices().empty());
    write_device(own_device_file(2), with(2, 2e9));
    write_device(own_device_file(1), with(1, 1e9));
    write_device(folder_.path() / "mine-box.toml", with(4, 4e9));
    write_device(folder_.path() / "mine-set.toml", with(4, 4e9));
    const auto devices = own_devices();
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(devices[0].threads, 1);
    EXPECT_EQ(devices[1].threads, 2);
}

TEST(Device, WithoutAHomeThereAreNoCeilingsAndNoError) {
    const Variable own("STRATA_DEVICE", ""), data("XDG_DATA_HOME", ""), home("HOME", "");
    EXPECT_FALSE(own_device(1).has_value());
    EXPECT_FALSE(device_of("NVIDIA H200").has_value());
    EXPECT_TRUE(own_devices().empty());
}

TEST(Device, MergingCalibrationsKeepsTheBetterValueAndItsSource) {
    Device now = tiny;
    now.compute[0].peak = {{0.8e9}, "a busy moment"};
    now.compute.push_back({.dtype = "bf16", .peak = {{3e9}, "new"}});
    now.memory = {{.name = "DRAM", .capacity = {}, .bandwidth = {{3e9}, "better"}}};
    now.launch = Fact<Seconds>{{2e-6}, "slower"};
    Device before = tiny;
    before.launch = Fact<Seconds>{{1e-6}, "faster"};
    const BestOfBoth best = best_of_both(before, now);
    EXPECT_EQ(peak_of(best.device, "f32"), FlopRate{1e9});
    EXPECT_EQ(best.device.compute[0].peak.source, "s");
    EXPECT_EQ(peak_of(best.device, "bf16"), FlopRate{3e9});
    ASSERT_EQ(best.device.memory.size(), 2u) << "L1 was not found again, and is kept";
    EXPECT_EQ(memory_bandwidth_of(best.device), Bandwidth{3e9}) << "main memory stays the last";
    EXPECT_EQ(best.device.launch->source, "faster");
    ASSERT_EQ(best.remeasured.size(), 4u);
    EXPECT_EQ(best.remeasured[0].ceiling, "f32 peak");
    EXPECT_EQ(best.remeasured[0].now, 0.8e9);
    EXPECT_EQ(best.remeasured[1].ceiling, "L1 bandwidth");
    EXPECT_EQ(best.remeasured[1].now, std::nullopt);
    EXPECT_EQ(best.remeasured[2].before, 2e9);
}

TEST(Device, AnImpossibleBandwidthOfACacheIsNotKept) {
    Device before = tiny;
    before.memory[0].bandwidth = {{33e9}, "a loop without loads"};
    const BestOfBoth best = best_of_both(before, tiny);
    EXPECT_EQ(best.device.memory[0].bandwidth.value, Bandwidth{8e9});
    EXPECT_EQ(best.device.memory[0].bandwidth.source, "s");
    EXPECT_TRUE(best.remeasured[1].was_impossible);
    before.memory[0].bandwidth.value = {31e9};
    EXPECT_EQ(best_of_both(before, tiny).device.memory[0].bandwidth.value, Bandwidth{31e9});
    before.memory[1].bandwidth.value = {33e9};
    EXPECT_EQ(memory_bandwidth_of(best_of_both(before, tiny).device), Bandwidth{33e9})
        << "main memory may be shared";
}

TEST(Device, ACeilingIsDoubtfulUntilAnotherCalibrationComesNearIt) {
    Device once = tiny;
    once.memory.back().bandwidth = {{60.8e9}, "a busy moment", true};
    const std::string name = once.memory.back().name + " bandwidth";
    EXPECT_EQ(doubtful_ceilings(once), std::vector<std::string>{name});
    Device again = once;
    again.memory.back().bandwidth.value = {88.3e9};
    const Device higher = best_of_both(once, again).device;
    EXPECT_EQ(memory_bandwidth_of(higher), Bandwidth{88.3e9});
    EXPECT_EQ(doubtful_ceilings(higher), std::vector<std::string>{name}) << "reached once";
    EXPECT_EQ(doubtful_ceilings(best_of_both(higher, once).device), std::vector<std::string>{name});
    again.memory.back().bandwidth.value = {87e9};
    const Device repeated = best_of_both(higher, again).device;
    EXPECT_EQ(memory_bandwidth_of(repeated), Bandwidth{88.3e9});
    EXPECT_TRUE(doubtful_ceilings(repeated).empty());
    EXPECT_TRUE(doubtful_ceilings(best_of_both(repeated, once).device).empty())
        << "a busy moment later on takes nothing away";
}

TEST(Device, ADoubtfulCeilingIsMarkedInItsFile) {
    Device device = tiny;
    EXPECT_EQ(to_toml(device).find("doubtful"), std::string::npos);
    device.compute[0].peak.is_doubtful = true;
    device.launch = Fact<Seconds>{{1e-6}, "s", true};
    EXPECT_EQ(doubtful_ceilings(parse_device(to_toml(device), "file")),
              (std::vector<std::string>{"f32 peak", "launch"}));
}

TEST(Device, AModelsNameBecomesAFileName) {
    EXPECT_EQ(device_file_name("NVIDIA H200"), "nvidia-h200");
    EXPECT_EQ(device_file_name(" NVIDIA A100-SXM4-40GB (MIG) "), "nvidia-a100-sxm4-40gb-mig");
    EXPECT_EQ(device_file_name("../../etc/passwd"), "etc-passwd");
    EXPECT_EQ(device_file_name("\xff/"), "unknown");
    EXPECT_EQ(device_file_name(std::string(1000, 'x')).size(), 100u);
}

TEST(Device, AnotherDevicesCeilingsBelongToItsModelAndNeverToThisMachine) {
    const TemporaryDirectory folder;
    const Variable data("XDG_DATA_HOME", folder.path().string());
    const Variable own("STRATA_DEVICE", (folder.path() / "own.toml").string());
    write_device(own_device_file(1), tiny);
    EXPECT_FALSE(device_of("NVIDIA H200").has_value());
    Device gpu = tiny;
    gpu.model = "NVIDIA H200";
    write_device(device_file_of(gpu.model), gpu);
    EXPECT_EQ(device_of("NVIDIA H200")->model, "NVIDIA H200");
    EXPECT_FALSE(device_of("NVIDIA-H200").has_value()) << "the same file, another model";
    EXPECT_EQ(own_device(1)->model, "m");
}

TEST(Device, AFileThatCannotBeReadIsNamed) {
    EXPECT_EQ(error_of([] { read_device("/missing.toml"); }).find("/missing.toml: "), 0u);
}

}  // namespace
}  // namespace strata
