// SPDX-License-Identifier: MIT
#include "measure/environment.h"

#include "tests/measure/fake_machine.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

namespace strata {
namespace {

using testing::FakeMachine;

TEST(Environment, AServerIsDescribedInWords) {
    FakeMachine machine;
    machine
        .tell("proc/cpuinfo", "model name\t: AMD EPYC\nmicrocode\t: 0x1\ncpu MHz\t\t: 2600.000\n")
        .tell("proc/meminfo", "MemTotal:  1000 kB\nMemAvailable:  900 kB\n")
        .tell("proc/loadavg", "0.42 0.1 0.0 1/2 3\n")
        .tell("proc/sys/kernel/perf_event_paranoid", "2\n")
        .tell("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
        .tell("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n")
        .tell("sys/devices/system/cpu/smt/active", "0\n")
        .tell("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
        .tell("sys/fs/cgroup/cpu.max", "150000 100000\n");
    auto facts = describe_environment(machine.root());
    EXPECT_EQ(facts["cpu.model"], "AMD EPYC");
    EXPECT_EQ(facts["cpu.microcode"], "0x1");
    EXPECT_EQ(facts["cpu.frequency"], "2600 MHz");
    EXPECT_EQ(facts["cpu.governor"], "performance");
    EXPECT_EQ(facts["cpu.turbo"], "off");
    EXPECT_EQ(facts["cpu.smt"], "off");
    EXPECT_EQ(facts["memory.total"], "1024000 bytes");
    EXPECT_EQ(facts["memory.available"], "921600 bytes");
    EXPECT_EQ(facts["memory.huge_pages"], "madvise");
    EXPECT_EQ(facts["cgroup.cpu_quota"], "1.50 processors");
    EXPECT_EQ(facts["load"], "0.42 (1 minute)");
    EXPECT_EQ(facts["perf_event_paranoid"], "2");
    EXPECT_FALSE(facts.contains("hypervisor"));
}

TEST(Environment, UnknownFactsHaveNoKey) {
    const auto facts = describe_environment(FakeMachine().root());
    for (const char* key : {"cpu.model", "cpu.frequency", "cpu.turbo", "cpu.governor", "load",
                            "memory.total", "cgroup.cpu_quota", "hypervisor"}) {
        EXPECT_FALSE(facts.contains(key)) << key;
    }
    EXPECT_TRUE(facts.contains("cpu.affinity"));
    EXPECT_TRUE(facts.contains("kernel"));
    EXPECT_TRUE(facts.contains("perf_event.cycles"));  // can be counted, or the reason
}

TEST(Environment, NoQuotaIsNotAQuota) {
    FakeMachine machine;
    machine.tell("sys/fs/cgroup/cpu.max", "max 100000\n");
    EXPECT_FALSE(describe_environment(machine.root()).contains("cgroup.cpu_quota"));
    FakeMachine old;
    old.tell("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
        .tell("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_FALSE(describe_environment(old.root()).contains("cgroup.cpu_quota"));
    old.tell("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
    EXPECT_EQ(describe_environment(old.root()).at("cgroup.cpu_quota"), "4.00 processors");
}

TEST(Environment, AVirtualMachineIsRecognised) {
    FakeMachine machine;
    machine.tell("proc/cpuinfo", "flags\t\t: fpu hypervisor avx\n");
    EXPECT_TRUE(describe_environment(machine.root()).contains("hypervisor"));
}

TEST(Environment, TextsFromTheKernelAreMadeSafeToPrint) {
    FakeMachine machine;
    machine.tell("proc/cpuinfo", "model name\t: evil\x1b[2J\n");
    EXPECT_EQ(describe_environment(machine.root()).at("cpu.model"), "evil?[2J");
}

TEST(Environment, OnlyVariablesThatAffectLibrariesAreKept) {
    const std::array<const char*, 7> entries = {"NVIDIA_TF32_OVERRIDE=0",
                                                "PATH=/usr/bin",
                                                "CUDNN_LOGLEVEL_DBG=",
                                                "OMP_PLACES={0:2}=x",
                                                "OMPI_COMM_WORLD=1",
                                                "malformed",
                                                nullptr};
    const std::map<std::string, std::string> expected = {
        {"NVIDIA_TF32_OVERRIDE", "0"}, {"CUDNN_LOGLEVEL_DBG", ""}, {"OMP_PLACES", "{0:2}=x"}};
    EXPECT_EQ(library_variables(entries.data()), expected);
}

TEST(Environment, AVariableOfThisProcessIsFound) {
    ASSERT_EQ(::setenv("ONEDNN_STRATA_TEST", "on\033[2J", 1), 0);
    EXPECT_EQ(library_variables()["ONEDNN_STRATA_TEST"], "on?[2J");
    ::unsetenv("ONEDNN_STRATA_TEST");
    EXPECT_FALSE(library_variables().contains("ONEDNN_STRATA_TEST"));
}

}  // namespace
}  // namespace strata
