// SPDX-License-Identifier: MIT
#include "device/host.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

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

TEST(HostName, IsToldByThreadsAndRegisters) {
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

TEST(HostDescription, ItsPeakIsTheMeasuredOne) {
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

}  // namespace
}  // namespace strata
