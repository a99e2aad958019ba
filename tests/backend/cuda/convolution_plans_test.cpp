// SPDX-License-Identifier: MIT
#include "backend/cuda/convolution.h"
#include "backend/cuda/engine.h"
#include "backend/cuda/executable.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/scripted_runtime.h"
#include "tests/backend/problems.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

// Plans that a scripted cuDNN executes or refuses (scripted_runtime.h).
namespace strata::testing {

namespace {

using cuda::BuiltPlan;
using cuda::PlanChoice;

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

std::shared_ptr<const BuiltPlan> plan(std::int64_t engine, std::size_t workspace,
                                      double milliseconds = 1) {
    auto made = std::make_shared<BuiltPlan>(
        BuiltPlan{cuda::Descriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR), {engine}, workspace});
    scripted_runtime().milliseconds_of_plans[made->plan.get()] = milliseconds;
    return made;
}

cuda::ConvolutionProblem small_problem() {
    return {.x = {1, 2, 4, 4},
            .w = {2, 2, 1, 1},
            .y = {1, 2, 4, 4},
            .window = {.kernel = {1, 1},
                       .stride = {1, 1},
                       .dilation = {1, 1},
                       .pad_begin = {0, 0},
                       .pad_end = {0, 0}}};
}

class ConvolutionPlans : public ::testing::Test {
protected:
    void SetUp() override {
        restart_scripted_runtime();
        machine_ = cuda::open_gpu();
        operands_ = machine_->allocate(4096);
    }

    // The first of these, after which cuDNN offers the others.
    static std::shared_ptr<PlanChoice> choice_of(
        std::vector<std::shared_ptr<const BuiltPlan>> plans) {
        auto choice = std::make_shared<PlanChoice>();
        choice->plans = {plans.front()};
        choice->is_tried = true;
        choice->next = [plans, at = std::size_t{1}]() mutable {
            return at < plans.size() ? plans[at++] : nullptr;
        };
        return choice;
    }

    std::shared_ptr<cuda::LibraryCall> probed(const std::shared_ptr<PlanChoice>& choice) {
        const auto call = cuda::convolution_call(small_problem(), choice);
        const std::array<void*, 3> addresses = {operands_.get(), operands_.get(), operands_.get()};
        machine_->finalize({call, {}});
        machine_->probe({call, {}}, addresses);
        return call;
    }

    std::shared_ptr<cuda::Machine> machine_;
    cuda::Memory operands_;
};

TEST_F(ConvolutionPlans, OnlyTheScratchMemoryOfTheFastestIsKept) {
    const auto choice = std::make_shared<PlanChoice>();
    choice->plans = {plan(1, mebibyte, 3), plan(2, 64 * mebibyte, 2), plan(3, 2 * mebibyte, 1)};
    const std::weak_ptr<const BuiltPlan> greediest = choice->plans[1];
    const std::size_t taken = scripted_runtime().taken_memory;
    const auto call = probed(choice);
    EXPECT_EQ(call->chosen()->now.implementation, "cudnn:eng3");
    EXPECT_EQ(call->workspace(), 2 * mebibyte);
    EXPECT_EQ(machine_->workspace(), 2 * mebibyte);
    EXPECT_EQ(scripted_runtime().taken_memory, taken + 2 * mebibyte);
    EXPECT_TRUE(greediest.expired());
}

TEST_F(ConvolutionPlans, APlanWhoseScratchMemoryDoesNotFitIsNotTheFastest) {
    const auto choice = std::make_shared<PlanChoice>();
    choice->plans = {plan(1, mebibyte, 3), plan(2, 8192 * mebibyte, 1)};
    EXPECT_EQ(probed(choice)->chosen()->now.implementation, "cudnn:eng1");
}

TEST_F(ConvolutionPlans, TheFirstThatTheDeviceAcceptsIsUsedAndSaysHowManyWereRefused) {
    scripted_runtime().answers_to_plans = {CUDNN_STATUS_NOT_SUPPORTED};
    const auto choice = choice_of({plan(1, 0), plan(2, 8192 * mebibyte), plan(3, mebibyte)});
    const auto call = probed(choice);
    EXPECT_EQ(call->chosen()->before.implementation, "cudnn:eng1");
    EXPECT_EQ(call->chosen()->now.implementation, "cudnn:eng3");
    EXPECT_EQ(call->chosen()->now.algorithm, "after 2 plans were refused");
    EXPECT_EQ(machine_->workspace(), mebibyte);
}

// The trials pass: a plan is refused later, as when its scratch memory has been taken meanwhile.
TEST_F(ConvolutionPlans, TheSecondFastestFollowsTheFastestThatIsRefused) {
    const auto choice = std::make_shared<PlanChoice>();
    choice->plans = {plan(1, 0, 3), plan(2, 0, 1), plan(3, 0, 2)};
    choice->again = [](const std::string& name) {
        return name == "eng1" ? plan(1, 0) : name == "eng3" ? plan(3, 0) : nullptr;
    };
    constexpr std::size_t runs_of_trials = 3 * (1 + 1 + 3 * 4);  // plans; warm-up, first, rounds
    scripted_runtime().answers_to_plans.assign(runs_of_trials, CUDNN_STATUS_SUCCESS);
    scripted_runtime().answers_to_plans.push_back(CUDNN_STATUS_NOT_SUPPORTED);
    const auto call = probed(choice);
    EXPECT_EQ(call->chosen()->now.implementation, "cudnn:eng3");
    EXPECT_EQ(call->chosen()->now.algorithm, "after 1 plan was refused");
    EXPECT_EQ(choice->slower, std::deque<std::string>{"eng1"});
}

TEST_F(ConvolutionPlans, AnotherCallOfTheProblemBeginsWithTheSamePlan) {
    scripted_runtime().answers_to_plans = {CUDNN_STATUS_NOT_SUPPORTED};
    const auto choice = choice_of({plan(1, 0), plan(2, 0), plan(3, 0)});
    probed(choice);
    const auto second = probed(choice);
    EXPECT_EQ(second->chosen()->now.implementation, "cudnn:eng2");
    EXPECT_EQ(second->chosen()->now.algorithm, "after 1 plan was refused");
}

TEST_F(ConvolutionPlans, IfAllAreRefusedTheLastRefusalIsReported) {
    scripted_runtime().answers_to_plans = {CUDNN_STATUS_NOT_SUPPORTED, CUDNN_STATUS_NOT_SUPPORTED};
    const auto choice = choice_of({plan(1, 0), plan(2, 0)});
    EXPECT_THROW(probed(choice), cuda::DeviceError);
}

TEST_F(ConvolutionPlans, ADeadDeviceRefusesNoPlan) {
    scripted_runtime().answers_to_plans = {CUDNN_STATUS_EXECUTION_FAILED};
    scripted_runtime().sticky = cudaErrorIllegalAddress;
    const auto choice = choice_of({plan(1, 0), plan(2, 0)});
    EXPECT_THROW(probed(choice), cuda::DeviceError);
    EXPECT_EQ(choice->refused, 0);
    scripted_runtime().sticky = cudaSuccess;
}

TEST_F(ConvolutionPlans, TheScratchMemoryOfANetworkIsNotInheritedByTheNext) {
    probed(choice_of({plan(1, 64 * mebibyte)}));
    EXPECT_EQ(machine_->workspace(), 64 * mebibyte);
    const std::size_t with_it = scripted_runtime().taken_memory;
    const Graph graph = graph_of_problem("activation(2x16)");
    const cuda::CudaExecutable executable(graph, cuda::prepare_program(graph, {}, described_h200()),
                                          machine_);
    EXPECT_EQ(machine_->workspace(), 0U);
    EXPECT_LT(scripted_runtime().taken_memory, with_it - 63 * mebibyte);
}

// Nothing that frees the trial may wait for a hanging plan. The process leaves with its own exit
// code.
TEST_F(ConvolutionPlans, OneThatHangsDuringTheTrialsEndsThem) {
    const auto choice = std::make_shared<PlanChoice>();
    choice->plans = {plan(1, mebibyte, 3), plan(2, mebibyte, never_ends), plan(3, 0, 1)};
    const auto seek_fastest = [&] {
        machine_->limit_waits(Seconds{0.01});
        try {
            probed(choice);
        } catch (const cuda::DeviceError& error) {
            std::fputs(error.what(), stderr);
        }
        machine_.reset();
        operands_.reset();
        choice->plans.clear();
        std::exit(7);
    };
    EXPECT_EXIT(seek_fastest(), ::testing::ExitedWithCode(7), "trying what is fastest: work on");
}

// Uses the plans that cuDNN really offers.
TEST_F(ConvolutionPlans, TheStepSaysSo) {
    const Graph graph = graph_of_problem("convolution(2x16x14x14) out_channels=16 kernel=3x3");
    const Execution execution = {.numerics = {.mode = Mode::inference, .dtype = DataType::f16}};
    const auto step_after = [&](std::deque<cudnnStatus_t> answers) {
        scripted_runtime().answers_to_plans = std::move(answers);
        const cuda::CudaExecutable executable(
            graph, cuda::prepare_program(graph, execution, described_h200()), machine_);
        for (const Step& step : executable.steps()) {
            if (step.implementation.starts_with("cudnn:")) {
                return step;
            }
        }
        return Step{};
    };
    const Step taken = step_after({});
    const Step refused = step_after({CUDNN_STATUS_NOT_SUPPORTED});
    EXPECT_TRUE(refused.runs()) << refused.refusal();
    EXPECT_NE(refused.implementation, taken.implementation);
    EXPECT_EQ(taken.algorithm.find("refused"), std::string::npos) << taken.algorithm;
    EXPECT_NE(refused.algorithm.find("after 1 plan was refused"), std::string::npos)
        << refused.algorithm;
}

}  // namespace

}  // namespace strata::testing
