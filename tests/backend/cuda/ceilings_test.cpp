// SPDX-License-Identifier: MIT
#include "backend/cuda/ceilings.h"

#include "backend/cuda/device/values.h"
#include "backend/cuda/kernels/streams.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/host_machine.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

namespace strata::testing {

namespace {

using cuda::Call;
using cuda::StreamPattern;

// Computes nothing: products and streams take the scripted times, everything else 2 us.
class ClockedMachine : public HostMachine {
public:
    explicit ClockedMachine(cuda::DeviceProperties device = described_h200())
        : HostMachine(std::move(device)) {}

    cuda::Memory allocate(std::size_t bytes) override {
        largest = std::max(largest, bytes);
        cuda::Memory memory = HostMachine::allocate(64);
        begins.insert(memory.get());
        return memory;
    }
    void finalize(const Call&) override {
        if (refused.contains(finalized++)) {
            throw cuda::DeviceError(cuda::DeviceTrouble::library_refused, "no such algorithm");
        }
    }
    void copy(cuda::Transfer, void* machine, void* host, std::size_t bytes) override {
        if (begins.contains(machine)) {
            const auto* begin = static_cast<const std::byte*>(host);
            copied[machine].assign(begin, begin + bytes);
        }
    }
    void enqueue(const Call& call, std::span<void* const> addresses) override {
        const auto* kernel = std::get_if<cuda::Kernel>(&call.function);
        if (kernel == nullptr) {
            worked += product;
            operands = {addresses[0], addresses[1], addresses[2]};
        }
        const bool streams =
            kernel != nullptr && (kernel->name == "read" || kernel->name == "write" ||
                                  kernel->name == "copy" || kernel->name == "triad");
        now_ += kernel == nullptr ? time_of_product() : streams ? pass : Seconds{2e-6};
    }
    void stamp(std::size_t number) override { stamps_.at(number) = now_; }
    Seconds between(std::size_t earlier, std::size_t later) override {
        return stamps_.at(later) - stamps_.at(earlier);
    }

    virtual Seconds time_of_product() { return product; }

    Seconds product{1e-3};
    Seconds worked;  // by products
    std::vector<void*> operands = {};
    std::set<void*> begins = {};  // of what was allocated
    std::map<void*, std::vector<std::byte>> copied = {};
    Seconds pass{1e-3};
    std::set<int> refused = {};
    int finalized = 0;
    std::size_t largest = 0;

private:
    Seconds now_;
    std::array<Seconds, 2> stamps_;
};

Device measured(ClockedMachine& machine) {
    return cuda::measure_ceilings(machine, nullptr, {});
}

double relative(double value, double expected) {
    return std::abs(value / expected - 1);
}

TEST(GpuCeilings, ProductsCountTwoOperationsForEachMultiplication) {
    ClockedMachine machine;
    const Device device = measured(machine);
    std::vector<std::string> names;
    for (const ComputeCeiling& ceiling : device.compute) {
        names.push_back(ceiling.dtype);
        EXPECT_LT(relative(ceiling.peak.value.value, 2.0 * 8192 * 8192 * 8192 / 1e-3), 1e-9);
        EXPECT_NE(ceiling.peak.source.find("by strata calibrate: cublaslt"), std::string::npos);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"f32", "tf32", "f16", "bf16"}));
}

// Zeros, or twice the same buffer, would draw less power than a network does.
TEST(GpuCeilings, ProductsAreOfDifferentRandomNormalNumbers) {
    ClockedMachine machine;
    measured(machine);
    ASSERT_EQ(machine.operands.size(), 3U);
    const auto& a = machine.copied.at(machine.operands[0]);  // bf16, the last type
    const auto& b = machine.copied.at(machine.operands[1]);
    EXPECT_NE(machine.operands[0], machine.operands[1]);
    EXPECT_NE(a, b);
    const auto count = static_cast<std::int64_t>(a.size() / 2);
    const HostValues values = cuda::decode(a, {count}, {cuda::ElementType::bf16});
    double sum = 0;
    double squares = 0;
    for (const float value : values) {
        sum += value;
        squares += double{value} * value;
    }
    EXPECT_NEAR(sum / static_cast<double>(count), 0, 0.01);
    EXPECT_NEAR(squares / static_cast<double>(count), 1, 0.01);
}

// Half a second at full clock, and then the power limit: a network's product may be as short as
// the first half.
TEST(GpuCeilings, TheCeilingOfProductsIsTheBestRateAndTheSustainedOneIsKept) {
    class Throttled : public ClockedMachine {
        Seconds time_of_product() override {
            return worked < Seconds{0.4} ? product : product * 2.0;
        }
    } machine;
    class Watch : public DeviceWatch {
        std::map<std::string, std::string> describe() override { return {}; }
        DeviceState state() override { return {.core_clock = Frequency{1755e6}, .watts = 690}; }
    } watch;
    const Device device = cuda::measure_ceilings(machine, &watch, {});
    const ComputeCeiling& f32 = device.compute.front();
    const double work = 2.0 * 8192 * 8192 * 8192;
    EXPECT_LT(relative(f32.peak.value.value, work / 1e-3), 1e-9);
    ASSERT_TRUE(f32.sustained.has_value());
    EXPECT_LT(relative(f32.sustained->value.value, work / 2e-3), 1e-9);
    EXPECT_NE(f32.sustained->source.find("the second half of a second, 1755 MHz, 690 W"),
              std::string::npos)
        << f32.sustained->source;
    EXPECT_EQ(parse_device(to_toml(device), "").compute.front().sustained->value,
              f32.sustained->value);
}

// A read of 100 passes that the compiler makes in one.
TEST(GpuCeilings, AnImpossibleRateOfACacheIsNoCeiling) {
    class Removed : public ClockedMachine {
    public:
        using ClockedMachine::ClockedMachine;
        void enqueue(const Call& call, std::span<void* const> addresses) override {
            const auto* kernel = std::get_if<cuda::Kernel>(&call.function);
            const Seconds usual = pass;
            pass = kernel != nullptr && kernel->name == "read" ? usual / faster : usual;
            ClockedMachine::enqueue(call, addresses);
            pass = usual;
        }
        double faster = 3;
    };
    Removed machine;
    const auto source = [&] { return measured(machine).memory.front().bandwidth.source; };
    EXPECT_NE(source().find(": read, 15 MiB; best"), std::string::npos)
        << "three times is possible";
    machine.faster = 5;
    EXPECT_NE(source().find("left out: read with 7.86 TB/s, 5.0 times the best of"),
              std::string::npos)
        << source();
    machine.faster = 50;
    EXPECT_NE(source().find("left out: read with 78.6 TB/s, but 132 multiprocessors load at most "
                            "33.5 TB/s at 1.98 GHz"),
              std::string::npos)
        << source();
    machine.pass = Seconds{1e-5};
    machine.faster = 1;
    EXPECT_EQ(measured(machine).memory.size(), 1U) << "no pattern is possible";
}

TEST(GpuCeilings, BandwidthCountsEveryArrayThatAPassMoves) {
    ClockedMachine machine;
    const Device device = measured(machine);
    ASSERT_EQ(device.memory.size(), 2U);
    const MemoryLevel& main_memory = device.memory.back();
    EXPECT_EQ(main_memory.name, "DRAM");
    EXPECT_FALSE(main_memory.capacity.has_value());
    const double array = 1 << 30;
    EXPECT_EQ(machine.largest, static_cast<std::size_t>(array));
    EXPECT_LT(relative(main_memory.bandwidth.value.value, 3 * array / 1e-3), 1e-9);
    EXPECT_NE(main_memory.bandwidth.source.find("triad, 3072 MiB; best of 20"), std::string::npos)
        << main_memory.bandwidth.source;
    EXPECT_NE(main_memory.bandwidth.source.find("read 1.07 TB/s"), std::string::npos);
}

TEST(GpuCeilings, TheCacheIsReadInAQuarterOfItManyTimes) {
    ClockedMachine machine;
    const Device device = measured(machine);
    const MemoryLevel& cache = device.memory.front();
    EXPECT_EQ(cache.name, "L2");
    EXPECT_EQ(cache.capacity, Bytes{62914560});
    EXPECT_LT(relative(cache.bandwidth.value.value, 62914560.0 / 4 * 100 / 1e-3), 1e-3);
    cuda::DeviceProperties unknown = described_h200();
    unknown.l2_bytes = 0;
    ClockedMachine without(unknown);
    EXPECT_EQ(measured(without).memory.size(), 1U);
}

TEST(GpuCeilings, ALaunchIsOneOfManyRecorded) {
    ClockedMachine machine;
    const Device device = measured(machine);
    ASSERT_TRUE(device.launch.has_value());
    EXPECT_LT(relative(device.launch->value.value, 2e-6), 1e-9);
    EXPECT_NE(device.launch->source.find("one by one: 2.00 us"), std::string::npos);
}

TEST(GpuCeilings, LaunchesThatCannotBeRecordedAreMeasuredOneByOne) {
    class Unrecorded : public ClockedMachine {
        std::unique_ptr<cuda::Replay> record(const std::function<void()>&) override {
            return nullptr;
        }
    } machine;
    const Device device = measured(machine);
    ASSERT_TRUE(device.launch.has_value());
    EXPECT_LT(relative(device.launch->value.value, 2e-6), 1e-9);
    EXPECT_NE(device.launch->source.find("because graph capture failed"), std::string::npos);
}

TEST(GpuCeilings, RefusedProductsAreLeftOut) {
    ClockedMachine machine;
    for (int i = 5; i < 10; ++i) {
        machine.refused.insert(i);  // all five of TF32
    }
    machine.refused.insert(0);
    const Device device = measured(machine);
    EXPECT_EQ(device.compute.size(), 3U);
    EXPECT_TRUE(peak_of(device, "f32").has_value());
    EXPECT_FALSE(peak_of(device, "tf32").has_value());
}

TEST(GpuCeilings, ALostDeviceEndsIt) {
    class Lost : public ClockedMachine {
        void enqueue(const Call&, std::span<void* const>) override {
            throw cuda::DeviceError(cuda::DeviceTrouble::device_lost, "gone");
        }
    } machine;
    EXPECT_THROW(measured(machine), cuda::DeviceError);
}

TEST(GpuCeilings, AreReadBackFromTheirFile) {
    ClockedMachine machine;
    const Device device = measured(machine);
    EXPECT_EQ(device.name, "nvidia-h200");
    EXPECT_EQ(device.model, "NVIDIA H200");
    EXPECT_EQ(to_toml(parse_device(to_toml(device), "nvidia-h200.toml")), to_toml(device));
}

// Streams compute the stated results, whatever the number of passes.
TEST(Streams, ReadWriteCopyAndAddUp) {
    std::vector<float> a(64), b(64, 2), c(64, 7);
    std::iota(a.begin(), a.end(), 1.0F);
    const auto run = [&](StreamPattern pattern, std::vector<void*> addresses) {
        std::vector<std::span<const std::byte>> memory;
        for (void* address : addresses) {
            memory.emplace_back(static_cast<const std::byte*>(address), 64 * sizeof(float));
        }
        run_emulated(cuda::stream(pattern, 64, 3), std::move(memory), addresses);
    };
    run(StreamPattern::read, {a.data(), c.data()});
    EXPECT_EQ(c, std::vector<float>(64, 7)) << "a read writes nothing";
    run(StreamPattern::triad, {a.data(), b.data(), c.data()});
    EXPECT_EQ(c.front(), 1 + 3 * 2);
    EXPECT_EQ(c.back(), 64 + 3 * 2);
    run(StreamPattern::copy, {a.data(), b.data()});
    EXPECT_EQ(b, a);
    run(StreamPattern::write, {a.data()});
    EXPECT_EQ(a, std::vector<float>(64, 0));
}

}  // namespace

}  // namespace strata::testing
