// SPDX-License-Identifier: MIT
#include "backend/cuda/cache_preparation.h"

#include "backend/cuda/engine.h"
#include "backend/cuda/executable.h"
#include "graph/builder.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/host_machine.h"
#include "tests/backend/networks.h"
#include "tests/backend/verified.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace strata::testing {

namespace {

using cuda::Call;

// An H200 with a cache small enough for a test to read.
cuda::DeviceProperties small_device() {
    cuda::DeviceProperties device = described_h200();
    device.l2_bytes = 4096;
    return device;
}

// Records what is put on its stream: stamps, flushes and other calls. Each flush takes 100 s of its
// clock, every other call 1 s.
class WritingMachine : public HostMachine {
public:
    WritingMachine() : HostMachine(small_device()) {}

    cuda::Memory allocate(std::size_t bytes) override {
        allocated += bytes;
        cuda::Memory memory = HostMachine::allocate(bytes);
        blocks.emplace_back(static_cast<std::byte*>(memory.get()), bytes);
        return memory;
    }
    void enqueue(const Call& call, std::span<void* const> addresses) override {
        const auto* kernel = std::get_if<cuda::Kernel>(&call.function);
        const bool is_flush = kernel != nullptr && kernel->name == "read";
        log += is_flush ? "f" : "c";
        now_ += Seconds{is_flush ? 100.0 : 1.0};
        HostMachine::enqueue(call, addresses);
    }
    void stamp(std::size_t number) override {
        log += "s";
        stamps_.resize(std::max(stamps_.size(), number + 1));
        stamps_[number] = now_;
    }
    Seconds between(std::size_t earlier, std::size_t later) override {
        return stamps_.at(later) - stamps_.at(earlier);
    }
    std::size_t workspace() const override { return 1000; }

    std::string log;
    std::size_t allocated = 0;
    std::vector<std::span<std::byte>> blocks;

private:
    Seconds now_;
    std::vector<Seconds> stamps_;
};

// Three steps of one call each.
Graph three_steps() {
    GraphBuilder builder("three");
    TensorId x = builder.input("x", {{1, 2, 4, 4}});
    for (const char* name : {"a", "b", "c"}) {
        x = builder.add(name, Activation{}, {x});
    }
    return builder.finish({x});
}

struct Timed {
    std::shared_ptr<WritingMachine> machine = std::make_shared<WritingMachine>();
    std::unique_ptr<cuda::CudaExecutable> executable = {};
    std::vector<Seconds> times = {};
    Seconds whole = {};
};

Timed timed(CacheState caches) {
    const Graph graph = three_steps();
    Timed timed;
    const Execution execution = {.numerics = {.mode = Mode::inference}};
    timed.executable = std::make_unique<cuda::CudaExecutable>(
        graph, cuda::prepare_program(graph, execution, small_device()), timed.machine);
    timed.executable->prepare_caches(caches);
    timed.machine->log.clear();
    timed.times.resize(timed.executable->steps().size());
    timed.whole = timed.executable->run_timed(timed.times);
    return timed;
}

double sum(const std::vector<Seconds>& times) {
    double all = 0;
    for (const Seconds time : times) {
        all += time.value;
    }
    return all;
}

TEST(CachePreparation, AsLeftOneStampEndsAStepAndBeginsTheNext) {
    const Timed done = timed(CacheState::as_left);
    EXPECT_EQ(done.machine->log, "scscscs");
    EXPECT_EQ(done.whole, Seconds{3});
    EXPECT_EQ(sum(done.times), 3);
}

TEST(CachePreparation, ColdFlushesBeforeEachStepAndOutsideItsTime) {
    const Timed done = timed(CacheState::cold);
    EXPECT_EQ(done.machine->log, "sfscsfscsfscs");
    EXPECT_EQ(sum(done.times), 3) << "only the steps' own";
    EXPECT_EQ(done.whole, Seconds{303}) << "steps and flushes close to the whole";
}

// Lines that were written would be written back while the step runs, within its time.
TEST(CachePreparation, ColdLeavesNoDirtyLines) {
    WritingMachine machine;
    cuda::CachePreparation caches(CacheState::cold, machine);
    ASSERT_EQ(machine.blocks.size(), 1U);
    const std::span<std::byte> memory = machine.blocks.front();
    std::ranges::fill(memory, std::byte{1});
    caches.enqueue([] { FAIL() << "the step does not run"; });
    EXPECT_EQ(machine.log, "f");
    EXPECT_TRUE(std::ranges::all_of(memory, [](std::byte b) { return b == std::byte{1}; }));
}

TEST(CachePreparation, WarmRunsEachStepAgainOutsideItsTime) {
    const Timed done = timed(CacheState::warm);
    EXPECT_EQ(done.machine->log, "scscscscscscs");
    EXPECT_EQ(sum(done.times), 3);
    EXPECT_EQ(done.whole, Seconds{6});
}

TEST(CachePreparation, EndToEndIterationsAreUnchanged) {
    for (const CacheState caches : {CacheState::as_left, CacheState::cold, CacheState::warm}) {
        const Timed done = timed(caches);
        done.machine->log.clear();
        EXPECT_EQ(done.executable->run(), Seconds{3});
        EXPECT_EQ(done.machine->log, "scccs");
    }
}

TEST(CachePreparation, DeviceMemoryIncludesFlushAndScratchMemory) {
    const Timed plain = timed(CacheState::as_left);
    const Timed cold = timed(CacheState::cold);
    const auto held = plain.executable->device_memory();
    ASSERT_TRUE(held.has_value());
    EXPECT_EQ(held->value, static_cast<double>(plain.machine->allocated + 1000));
    EXPECT_EQ(*cold.executable->device_memory() - *held, Bytes{2 * 4096 + sizeof(float)});
}

TEST(CachePreparation, AStepIsTheSameWhateverTheCachesHold) {
    const Graph graph = branching_network();
    const auto values_after = [&](CacheState caches) {
        const auto machine = std::make_shared<WritingMachine>();
        cuda::CudaExecutable executable(
            graph,
            cuda::prepare_program(graph, {.numerics = {.mode = Mode::inference}}, small_device()),
            machine);
        executable.prepare_caches(caches);
        std::vector<Seconds> times(executable.steps().size());
        executable.run_timed(times);
        executable.run_timed(times);
        return executable.read(graph.outputs.front(), Content::value);
    };
    const HostValues left = values_after(CacheState::as_left);
    EXPECT_EQ(values_after(CacheState::cold), left);
    EXPECT_EQ(values_after(CacheState::warm), left);
}

}  // namespace

}  // namespace strata::testing
