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

// Sets a variable for as long as it lives.
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

TEST(Device, WhatIsNotKnownIsNothing) {
    EXPECT_EQ(peak_of(tiny, "f32"), FlopRate{1e9});
    EXPECT_EQ(peak_of(tiny, "bf16"), std::nullopt);
    EXPECT_EQ(memory_bandwidth_of(tiny), Bandwidth{2e9});
    EXPECT_EQ(memory_bandwidth_of({}), std::nullopt);
}

TEST(Device, TheFileOfThisMachineIsWhereTheEnvironmentSays) {
    const TemporaryDirectory folder;
    const auto file = folder.path() / "devices" / "mine.toml";
    const Variable variable("STRATA_DEVICE", file.string());
    EXPECT_EQ(own_device_file(), file);
    EXPECT_FALSE(own_device().has_value());
    write_device(file, tiny);
    EXPECT_EQ(own_device()->name, "tiny");
}

TEST(Device, WithoutAWordItIsNamedAfterTheHostBelowTheDataHome) {
    const Variable none("STRATA_DEVICE", "");
    {
        const Variable data("XDG_DATA_HOME", "/data");
        EXPECT_EQ(own_device_file().parent_path(), "/data/strata/devices");
        EXPECT_EQ(own_device_file().extension(), ".toml");
    }
    const Variable no_data("XDG_DATA_HOME", "");
    {
        const Variable home("HOME", "/home/someone");
        EXPECT_EQ(own_device_file().parent_path(), "/home/someone/.local/share/strata/devices");
    }
    const Variable no_home("HOME", "");
    EXPECT_NE(error_of([] { own_device_file(); }).find("STRATA_DEVICE"), std::string::npos);
}

TEST(Device, AModelMakesAFileName) {
    EXPECT_EQ(device_file_name("NVIDIA H200"), "nvidia-h200");
    EXPECT_EQ(device_file_name(" NVIDIA A100-SXM4-40GB (MIG) "), "nvidia-a100-sxm4-40gb-mig");
    EXPECT_EQ(device_file_name("../../etc/passwd"), "etc-passwd");
    EXPECT_EQ(device_file_name("\xff/"), "unknown");
    EXPECT_EQ(device_file_name(std::string(1000, 'x')).size(), 100u);
}

TEST(Device, AnotherDevicesCeilingsAreThoseOfItsModelAndNeverThisMachines) {
    const TemporaryDirectory folder;
    const Variable data("XDG_DATA_HOME", folder.path().string());
    const Variable own("STRATA_DEVICE", (folder.path() / "own.toml").string());
    write_device(own_device_file(), tiny);
    EXPECT_FALSE(device_of("NVIDIA H200").has_value());
    Device gpu = tiny;
    gpu.model = "NVIDIA H200";
    write_device(device_file_of(gpu.model), gpu);
    EXPECT_EQ(device_of("NVIDIA H200")->model, "NVIDIA H200");
    EXPECT_FALSE(device_of("NVIDIA-H200").has_value()) << "the same file, another model";
    EXPECT_EQ(own_device()->model, "m");
}

TEST(Device, AFileThatCannotBeReadIsNamed) {
    EXPECT_EQ(error_of([] { read_device("/missing.toml"); }).find("/missing.toml: "), 0u);
}

}  // namespace
}  // namespace strata
