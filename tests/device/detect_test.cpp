// SPDX-License-Identifier: MIT
#include "device/detect.h"

#include "base/small_file.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <thread>

namespace strata {
namespace {

// A machine as its kernel describes it in files.
class FakeMachine {
public:
    void tell(const std::string& file, const std::string& text) const {
        replace_file(folder_.path() / file, text);
    }

    void cache(int index, const std::string& level, const std::string& type,
               const std::string& size, const std::string& shared) const {
        const auto folder = "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        tell(folder + "level", level + "\n");
        tell(folder + "type", type + "\n");
        tell(folder + "size", size + "\n");
        tell(folder + "shared_cpu_list", shared + "\n");
    }

    Host host() const { return detect_host(folder_.path()); }

private:
    TemporaryDirectory folder_;
};

TEST(Detect, TheKernelsFilesMakeAHost) {
    const FakeMachine machine;
    machine.tell("proc/cpuinfo",
                 "processor\t: 0\nmodel name\t: AMD EPYC 7B13\nflags\t\t: fpu avx2 fma\n\n"
                 "processor\t: 1\nmodel name\t: other\n");
    machine.tell("proc/meminfo", "MemTotal:       24684084 kB\n");
    machine.cache(3, "3", "Unified", "32768K", "0-7,16-23");
    machine.cache(0, "1", "Data", "32K", "0,16");
    machine.cache(1, "1", "Instruction", "32K", "0,16");
    const Host host = machine.host();
    EXPECT_EQ(host.model, "AMD EPYC 7B13");
    EXPECT_EQ(host.memory, Bytes{24684084.0 * 1024});
    EXPECT_TRUE(has_instructions(host, "avx2"));
    EXPECT_FALSE(has_instructions(host, "avx"));
    ASSERT_EQ(host.caches.size(), 2u);
    EXPECT_EQ(host.caches[0].size, Bytes{32 * 1024});
    EXPECT_EQ(host.caches[0].shared_by, 2);
    EXPECT_EQ(host.caches[1].level, 3);
    EXPECT_EQ(host.caches[1].shared_by, 16);
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

TEST(Detect, AMachineThatTellsNothingIsStillAHost) {
    const Host host = FakeMachine().host();
    EXPECT_EQ(host.model, "unknown processor");
    EXPECT_EQ(host.memory, std::nullopt);
    EXPECT_FALSE(host.processors.empty());
}

TEST(Detect, NonsenseOfTheKernelIsLeftOut) {
    const FakeMachine machine;
    machine.cache(0, "1", "Data", "-32K", "0");
    machine.cache(1, "2", "Unified", "", "0");
    machine.cache(2, "x", "Unified", "2M", "0");
    machine.cache(3, "3", "Unified", "2M", "nonsense");
    const auto caches = machine.host().caches;
    ASSERT_EQ(caches.size(), 1u);
    EXPECT_EQ(caches[0].size, Bytes{2 * 1024 * 1024});
    EXPECT_EQ(caches[0].shared_by, 1);
}

TEST(Detect, CachesOfSeveralThreadsAddUpUnlessTheyAreShared) {
    const Cache own{.level = 2, .size = {100}, .shared_by = 1};
    const Cache shared{.level = 3, .size = {1000}, .shared_by = 8};
    EXPECT_EQ(capacity_for(own, 4), Bytes{400});
    EXPECT_EQ(capacity_for(shared, 4), Bytes{1000});
    EXPECT_EQ(capacity_for(shared, 9), Bytes{2000});
}

TEST(Detect, NamesAreFitForFiles) {
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

}  // namespace
}  // namespace strata
