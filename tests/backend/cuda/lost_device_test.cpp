// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"
#include "backend/cuda/executable.h"
#include "backend/device_watch.h"
#include "graph/builder.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/scripted_runtime.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

// Work that hangs and kernels that fail, on a scripted runtime (scripted_runtime.h). It ends the
// process with another exit code if it is called after the device was given up, or if one of its
// own calls would wait for ever.
namespace strata::testing {

namespace {

using cuda::Call;
using cuda::DeviceTrouble;

constexpr Seconds limit{0.01};
constexpr int of_our_own = 7;  // the process's intended exit code
constexpr int torn_down = 97;  // it reached CUDA's exit handlers
constexpr int nothing_thrown = 96;

// Like CUDA's own handlers, which are registered before anything can hang.
void register_teardown() {
    std::atexit([] { std::_Exit(torn_down); });
}

Call endless() {
    static const auto work = std::make_shared<Work>(never_ends);
    return {work, {}};
}

// Runs this on a machine that is destroyed afterwards, and ends the process. A death test's
// statement.
template <class Doing>
[[noreturn]] void end_after(const Doing& doing) {
    register_teardown();
    restart_scripted_runtime();
    try {
        const auto machine = cuda::open_gpu();
        machine->limit_waits(limit);
        doing(*machine);
        std::_Exit(nothing_thrown);
    } catch (const cuda::DeviceError& error) {
        std::fputs(error.trouble() == DeviceTrouble::timed_out ? error.what() : "", stderr);
    }
    std::exit(of_our_own);
}

constexpr const char* told = "work on the GPU has not ended after 0.01 s: a kernel hangs";

TEST(Hangs, AHangingKernelIsReportedAndCudaIsNoLongerCalled) {
    const auto wait = [](cuda::Machine& machine) {
        const cuda::Memory memory = machine.allocate(100);
        machine.stamp(0);
        machine.enqueue(endless(), {});
        machine.stamp(1);
        machine.between(0, 1);
    };
    EXPECT_EXIT(end_after(wait), ::testing::ExitedWithCode(of_our_own), told);
}

TEST(Hangs, ACopyIsAlsoLimited) {
    const auto copy = [](cuda::Machine& machine) {
        const cuda::Memory memory = machine.allocate(100);
        scripted_runtime().milliseconds_of_copies = never_ends;
        std::array<std::byte, 100> host = {};
        machine.copy(cuda::Transfer::from_machine, memory.get(), host.data(), host.size());
    };
    EXPECT_EXIT(end_after(copy), ::testing::ExitedWithCode(of_our_own), told);
}

TEST(Hangs, ACopyDoesNotWaitBehindAHangingKernel) {
    const auto copy = [](cuda::Machine& machine) {
        const cuda::Memory memory = machine.allocate(100);
        machine.enqueue(endless(), {});
        std::array<std::byte, 100> host = {};
        machine.copy(cuda::Transfer::to_machine, memory.get(), host.data(), host.size());
    };
    EXPECT_EXIT(end_after(copy), ::testing::ExitedWithCode(of_our_own), told);
}

TEST(Hangs, ARecordedIterationIsLimitedAndItsGraphIsNotDestroyed) {
    const auto repeat = [](cuda::Machine& machine) {
        const auto replay = machine.record([&] { machine.enqueue(endless(), {}); });
        replay->enqueue();
        machine.wait();
    };
    EXPECT_EXIT(end_after(repeat), ::testing::ExitedWithCode(of_our_own), told);
}

TEST(Hangs, MemoryIsNeitherAllocatedNorFreedAfterAHangingKernel) {
    const auto allocate = [](cuda::Machine& machine) {
        machine.enqueue(endless(), {});
        machine.allocate(100);
    };
    EXPECT_EXIT(end_after(allocate), ::testing::ExitedWithCode(of_our_own), told);
    const auto free = [](cuda::Machine& machine) {
        cuda::Memory memory = machine.allocate(100);
        machine.enqueue(endless(), {});
        memory.reset();
        machine.wait();
    };
    EXPECT_EXIT(end_after(free), ::testing::ExitedWithCode(of_our_own), "");
}

// Nothing waits for the work, but destroying the machine would.
TEST(Hangs, ADestructorGivesUpSilently) {
    const auto destroy = [] {
        register_teardown();
        restart_scripted_runtime();
        {
            const auto machine = cuda::open_gpu();
            machine->limit_waits(limit);
            machine->stamp(0);
            machine->enqueue(endless(), {});
        }
        std::exit(device_hangs() ? of_our_own : nothing_thrown);
    };
    EXPECT_EXIT(destroy(), ::testing::ExitedWithCode(of_our_own), "");
}

Graph three_activations() {
    GraphBuilder builder("three");
    TensorId x = builder.input("x", {{1, 2, 4, 4}});
    for (const char* name : {"a", "b", "c"}) {
        x = builder.add(name, Activation{}, {x});
    }
    return builder.finish({x});
}

constexpr int launches_of_probes = 3;
const Execution inference = {.numerics = {.mode = Mode::inference}};

// Prepares the network and runs it twice; the second time it is recorded.
void run_network(const std::shared_ptr<cuda::Machine>& machine) {
    const Graph graph = three_activations();
    cuda::CudaExecutable executable(
        graph, cuda::prepare_program(graph, inference, described_h200()), machine);
    executable.run();
    executable.run();
}

// The layer that is reported to have failed at this launch; empty if none is.
std::optional<LayerId> blamed_for(int launch, const std::shared_ptr<cuda::Machine>& machine) {
    scripted_runtime().bad_launch = launch;
    try {
        run_network(machine);
    } catch (const StepFailure& failure) {
        return failure.task().layer;
    }
    return {};
}

TEST(Hangs, AStepIsKnownByItsProbeAndByTheFirstIteration) {
    const auto run = [](int launch, LayerId layer) {
        register_teardown();
        restart_scripted_runtime();
        auto machine = cuda::open_gpu();
        machine->limit_waits(limit);
        const auto blamed = blamed_for(launch, machine);
        machine.reset();
        std::exit(blamed == layer ? of_our_own : nothing_thrown);
    };
    EXPECT_EXIT(run(1, 1), ::testing::ExitedWithCode(of_our_own), "");
    EXPECT_EXIT(run(launches_of_probes + 2, 2), ::testing::ExitedWithCode(of_our_own), "");
}

// Every call after it fails with the same error, whatever it is for.
TEST(StickyErrors, AreBlamedOnlyOnTheStepThatRan) {
    for (const cudaError_t error : {cudaErrorIllegalAddress, cudaErrorLaunchFailure}) {
        for (int launch = 0; launch < 2 * launches_of_probes; ++launch) {
            restart_scripted_runtime();
            scripted_runtime().error_of_bad_launch = error;
            const auto backend = cuda::make_backend();
            EXPECT_EQ(blamed_for(launch, cuda::open_gpu()),
                      static_cast<LayerId>(launch % launches_of_probes));
            EXPECT_NO_THROW(backend->info()) << "the run is described after the loss";
            EXPECT_FALSE(device_hangs()) << "its process may end as always";
        }
    }
    restart_scripted_runtime();
}

TEST(StickyErrors, LeaveTheDeviceLostForAllLaterCalls) {
    restart_scripted_runtime();
    const auto machine = cuda::open_gpu();
    scripted_runtime().sticky = cudaErrorIllegalAddress;
    const auto is_lost = [](const auto& doing) {
        try {
            doing();
        } catch (const DeviceFailure& failure) {
            return failure.fate() == DeviceFate::lost &&
                   dynamic_cast<const StepFailure*>(&failure) == nullptr;
        }
        return false;
    };
    EXPECT_TRUE(is_lost([&] { machine->wait(); }));
    EXPECT_TRUE(is_lost([&] { machine->allocate(1); }));
    EXPECT_TRUE(is_lost([&] { machine->stamp(0); }));
    restart_scripted_runtime();
}

}  // namespace

}  // namespace strata::testing
