// SPDX-License-Identifier: MIT
#include "backend/cuda/gpu_machine.h"

#include "tests/backend/cuda/scripted_runtime.h"

#include <gtest/gtest.h>

// With CUDA's runtime replaced by a scripted one (scripted_runtime.h).
namespace strata::testing {

namespace {

using cuda::Call;

class GpuMachine : public ::testing::Test {
protected:
    void SetUp() override { restart_scripted_runtime(); }

    // One piece of work between two stamps.
    void enqueue_stamped() {
        machine_->stamp(0);
        machine_->enqueue(Call{work_, {}}, {});
        machine_->stamp(1);
    }

    std::shared_ptr<Work> work_ = std::make_shared<Work>(1);
    std::shared_ptr<cuda::Machine> machine_ = cuda::open_gpu();
};

TEST_F(GpuMachine, TellsTheTimeBetweenStampsOnItsStream) {
    enqueue_stamped();
    EXPECT_NEAR(machine_->between(0, 1).value, 1e-3, 1e-9);
}

TEST_F(GpuMachine, ARecordingRunsOnlyWhenItIsRepeated) {
    const auto replay = machine_->record([&] { enqueue_stamped(); });
    work_->take(2);
    replay->enqueue();
    EXPECT_NEAR(machine_->between(0, 1).value, 2e-3, 1e-9);
}

// A stamp within a recording keeps the time of the previous repetition until the next one reaches
// it.
TEST_F(GpuMachine, TheTimeOfARepetitionIsItsOwn) {
    const auto replay = machine_->record([&] { enqueue_stamped(); });
    for (const double milliseconds : {5.0, 3.0, 7.0}) {
        work_->take(milliseconds);
        replay->enqueue();
        EXPECT_NEAR(machine_->between(0, 1).value, milliseconds * 1e-3, 1e-9);
    }
}

}  // namespace

}  // namespace strata::testing
