// SPDX-License-Identifier: MIT
#include "store/tunings.h"

#include "store/statement.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

using enum ConvolutionAlgorithm;

TuningScope scope() {
    return {.machine = "a processor, 2 processors",
            .instructions = "AVX2",
            .library = "onednn 2.6.3",
            .kernels = "1",
            .threads = 2,
            .dtype = DataType::f32};
}

constexpr auto problem = "convolution(8x64x28x28) out_channels=64 kernel=3x3";

TunedPass tuned_pass() {
    return {.problem = problem,
            .pass = Pass::forward,
            .algorithm = winograd_4x4_3x3,
            .implementation = "strata:winograd-4x4-3x3:avx2",
            .ratio = Ratio{0.5, 0.49, 0.52},
            .candidates = 7,
            .network = "vgg-16"};
}

TuningTrial trial(ConvolutionAlgorithm algorithm) {
    return {.problem = problem,
            .pass = Pass::forward,
            .algorithm = algorithm,
            .implementation = "strata:x",
            .ratio = Ratio{1.5, 1.4, 1.6},
            .usual = {2e-3},
            .own = {3e-3},
            .rounds = 10};
}

class TuningsTest : public ::testing::Test {
protected:
    StoredTunings tunings(const TuningScope& of = scope()) const { return {database_, of}; }

    TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.sqlite");
};

TEST_F(TuningsTest, AChoiceLoadsAsItWasStored) {
    tunings().store(std::array{tuned_pass()});
    const auto found = tunings().tuned(problem, Pass::forward);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->algorithm, winograd_4x4_3x3);
    EXPECT_EQ(found->implementation, "strata:winograd-4x4-3x3:avx2");
    EXPECT_EQ(found->network, "vgg-16");
    EXPECT_EQ(found->candidates, 7U);
    EXPECT_EQ(found->ratio->low, 0.49);
    EXPECT_FALSE(tunings().tuned(problem, Pass::backward_data));
    EXPECT_FALSE(tunings().tuned("another", Pass::forward));
}

TEST_F(TuningsTest, AChoiceAppliesOnlyInItsScope) {
    tunings().store(std::array{tuned_pass()});
    const auto differs = [&](auto change) {
        TuningScope other = scope();
        change(other);
        return !tunings(other).tuned(problem, Pass::forward);
    };
    EXPECT_TRUE(differs([](TuningScope& s) { s.machine = "another"; }));
    EXPECT_TRUE(differs([](TuningScope& s) { s.instructions = "AVX-512"; }));
    EXPECT_TRUE(differs([](TuningScope& s) { s.library = "onednn 3.0"; }));
    EXPECT_TRUE(differs([](TuningScope& s) { s.kernels = "2"; }));
    EXPECT_TRUE(differs([](TuningScope& s) { s.threads = 1; }));
    EXPECT_TRUE(differs([](TuningScope& s) { s.dtype = DataType::bf16; }));
    EXPECT_TRUE(differs([](TuningScope& s) { s.mode = Mode::inference; }));
    EXPECT_TRUE(differs([](TuningScope& s) { s.fusion = Fusion::convolution; }));
    EXPECT_FALSE(differs([](TuningScope&) {}));
}

TEST_F(TuningsTest, ANewChoiceReplacesTheOldOne) {
    tunings().store(std::array{tuned_pass()});
    TunedPass usual = tuned_pass();
    usual.algorithm = direct;
    usual.ratio.reset();
    tunings().store(std::array{usual});
    const auto found = tunings().tuned(problem, Pass::forward);
    EXPECT_EQ(found->algorithm, direct);
    EXPECT_FALSE(found->ratio);
}

TEST_F(TuningsTest, TrialsLoadWithTheirTimesOrReasons) {
    TuningTrial refused = trial(fft);
    refused.ratio.reset();
    refused.reason = "stride 4";
    tunings().store(std::array{trial(gemm), refused});
    const auto trials = tunings().trials(problem, Pass::forward);
    ASSERT_EQ(trials.size(), 2U);
    const TuningTrial& trial = trials[trials[0].algorithm == gemm ? 0 : 1];
    const TuningTrial& second = trials[trials[0].algorithm == gemm ? 1 : 0];
    EXPECT_EQ(trial.ratio->value, 1.5);
    EXPECT_NEAR(trial.own.value, 3e-3, 1e-9);
    EXPECT_EQ(trial.rounds, 10U);
    EXPECT_EQ(second.reason, "stride 4");
    EXPECT_FALSE(second.ratio);
    EXPECT_TRUE(tunings().trials(problem, Pass::backward_data).empty());
}

TEST_F(TuningsTest, DeletedTuningsAreGone) {
    tunings().store(std::array{tuned_pass()});
    tunings().store(std::array{trial(gemm)});
    tunings().forget(problem);
    EXPECT_FALSE(tunings().tuned(problem, Pass::forward));
    EXPECT_TRUE(tunings().trials(problem, Pass::forward).empty());
}

TEST_F(TuningsTest, AnAlgorithmOfAnotherVersionIsSkipped) {
    tunings().store(std::array{tuned_pass()});
    database_.execute("UPDATE tuning SET algorithm = 'karatsuba'");
    EXPECT_FALSE(tunings().tuned(problem, Pass::forward));
}

TEST_F(TuningsTest, AViewShowsChoicesByName) {
    tunings().store(std::array{tuned_pass()});
    Statement find(database_, "SELECT machine, algorithm, ratio FROM tuned_algorithm");
    ASSERT_TRUE(find.start().next());
    EXPECT_EQ(find.text(0), scope().machine);
    EXPECT_EQ(find.text(1), "winograd-4x4-3x3");
    EXPECT_EQ(find.real(2), 0.5);
}

}  // namespace
}  // namespace strata
