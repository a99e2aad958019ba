// SPDX-License-Identifier: MIT
#include "device/host.h"
#include "base/file.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <thread>

namespace strata {
namespace {

// A machine described by its kernel's files.
class FakeMachine {
public:
    void tell(const std::string& file, const std::string& text) const {
        replace_file(folder_.path() / file, text);
    }

    Host host() const { return detect_host(folder_.path()); }

private:
    TemporaryDirectory folder_;
};

TEST(Detect, AHostIsReadFromTheKernelsFiles) {
    const FakeMachine machine;
    machine.tell("proc/cpuinfo",
                 "processor\t: 0\nmodel name\t: AMD EPYC 7B13\nflags\t\t: fpu avx2 fma\n\n"
                 "processor\t: 1\nmodel name\t: other\n");
    machine.tell("proc/meminfo", "MemTotal:       24684084 kB\n");
    const Host host = machine.host();
    EXPECT_EQ(host.model, "AMD EPYC 7B13");
    EXPECT_EQ(host.memory, Bytes{24684084.0 * 1024});
    EXPECT_TRUE(has_instructions(host, "avx2"));
    EXPECT_FALSE(has_instructions(host, "avx"));
}

TEST(Detect, AThreadThatIsBoundStillSeesTheProcessorsOfTheProcess) {
    const Host free = detect_host();
    Host bound;
    std::thread([&] {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(static_cast<std::size_t>(free.processors.front()), &set);
        ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
        bound = detect_host();
    }).join();
    EXPECT_EQ(bound.processors, free.processors);
}

TEST(Detect, AMachineThatReportsNothingIsStillAHost) {
    const Host host = FakeMachine().host();
    EXPECT_EQ(host.model, "unknown processor");
    EXPECT_EQ(host.memory, std::nullopt);
    EXPECT_FALSE(host.processors.empty());
}

TEST(Detect, CachesOfSeveralThreadsAddUpUnlessTheyAreShared) {
    const Cache own{.level = 2, .size = {100}, .shared_by = 1};
    const Cache shared{.level = 3, .size = {1000}, .shared_by = 8};
    EXPECT_EQ(capacity_for(own, 4), Bytes{400});
    EXPECT_EQ(capacity_for(shared, 4), Bytes{1000});
    EXPECT_EQ(capacity_for(shared, 9), Bytes{2000});
}

TEST(Detect, NamesAreValidFileNames) {
    EXPECT_EQ(device_name({.model = "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz"}, 2),
              "intel-xeon-platinum-8481c-2t");
    EXPECT_EQ(device_name({.model = "../../etc"}, 1), "etc-1t");
    EXPECT_EQ(device_name({.model = ""}, 1), "unknown-1t");
}

TEST(Detect, ThisMachineHasAProcessorAndItsMemory) {
    const Host host = detect_host();
    EXPECT_FALSE(host.processors.empty());
    EXPECT_GT(host.memory.value_or(Bytes{}).value, 1e8);
}

Host host_with(std::vector<std::string> instructions) {
    return {.model = "A processor",
            .processors = {0, 1},
            .caches = {{.level = 1, .size = Bytes{48e3}, .shared_by = 1},
                       {.level = 2, .size = Bytes{2e6}, .shared_by = 1},
                       {.level = 3, .size = Bytes{30e6}, .shared_by = 2}},
            .memory = Bytes{8e9},
            .instructions = std::move(instructions)};
}

Device ceilings() {
    Device device{.name = "a-processor-2t", .model = "A processor", .threads = 2};
    device.compute = {{"f32", {FlopRate{256e9}, "measured"}}};
    device.memory = {{"L2", {}, {Bandwidth{200e9}, "measured"}},
                     {"DRAM", {}, {Bandwidth{20e9}, "measured"}}};
    return device;
}

TEST(HostName, TellsThreadsAndRegisters) {
    EXPECT_EQ(host_name_in("host"), HostName());
    EXPECT_EQ(host_name_in("host-12t"), (HostName{.threads = 12}));
    EXPECT_EQ(host_name_in("host-1t-avx2"), (HostName{.threads = 1, .is_narrow = true}));
    for (const char* other : {"hos", "host-", "host-t", "host-0t", "host-1", "hostess", "host--1t",
                              "host-99999999999999999999t", "v100"}) {
        EXPECT_FALSE(host_name_in(other)) << other;
    }
    for (const char* name : {"host", "host-3t", "host-3t-avx2", "host-avx2"}) {
        EXPECT_EQ(text_of(*host_name_in(name)), name);
    }
}

TEST(HostDescription, ItsPeakIsMeasured) {
    const DeviceDescription wide =
        description_of({.threads = 2}, host_with({"avx2", "avx512f"}), ceilings());
    EXPECT_EQ(wide.kind, DeviceKind::cpu);
    EXPECT_DOUBLE_EQ(derived_f32_peak(wide, wide.boost_clock)->value, 256e9);
    EXPECT_DOUBLE_EQ(wide.boost_clock->value.value, 2e9);
    EXPECT_EQ(wide.l2->value, Bytes{4e6});
    EXPECT_EQ(wide.l3->value, Bytes{30e6});
    EXPECT_EQ(wide.dram_bandwidth->value, Bandwidth{20e9});
}

TEST(HostDescription, HalfTheRegistersGiveHalfThePeakAtTheSameClock) {
    const Host host = host_with({"avx2", "avx512f"});
    const auto wide = description_of({.threads = 2}, host, ceilings());
    const auto narrow = description_of({.threads = 2, .is_narrow = true}, host, ceilings());
    EXPECT_EQ(narrow.boost_clock->value, wide.boost_clock->value);
    EXPECT_DOUBLE_EQ(derived_f32_peak(narrow, narrow.boost_clock)->value, 128e9);
}

// Zen 4 computes as fast with AVX2 as with AVX-512.
TEST(HostDescription, ThePeakMeasuredWithAvx2AppliesToIt) {
    Device measured = ceilings();
    measured.compute.push_back({std::string(f32_of_avx2), {FlopRate{250e9}, "a test"}});
    const Host host = host_with({"avx2", "avx512f"});
    const auto narrow = description_of({.threads = 2, .is_narrow = true}, host, measured);
    EXPECT_DOUBLE_EQ(derived_f32_peak(narrow, narrow.boost_clock)->value, 250e9);
    const auto wide = description_of({.threads = 2}, host, measured);
    EXPECT_DOUBLE_EQ(derived_f32_peak(wide, wide.boost_clock)->value, 256e9);
}

}  // namespace
}  // namespace strata
