// SPDX-License-Identifier: MIT
#include "view/tuning.h"

#include "report/terminal.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using enum ConvolutionAlgorithm;

Settings settings() {
    Settings settings{.backend = "onednn", .network = "net", .batch = 8};
    settings.execution.scheduling.threads = 2;
    return settings;
}

// A pass that gains, in a problem of three layers, and one that does not.
TuningOutcome outcome() {
    const ProblemPass forward = {"conv a", Pass::forward};
    const ProblemPass data = {"conv a", Pass::backward_data};
    TuningOutcome outcome;
    outcome.tunable = {{forward, 0, 3, "conv1"}, {data, 0, 2, "conv1"}};
    outcome.trials = {{.problem = forward.problem,
                       .pass = forward.pass,
                       .algorithm = winograd_4x4_3x3,
                       .implementation = "strata:winograd-4x4-3x3:avx2",
                       .ratio = Ratio{0.5, 0.48, 0.53},
                       .usual = {4e-3},
                       .own = {2e-3},
                       .rounds = 10},
                      {.problem = forward.problem,
                       .pass = forward.pass,
                       .algorithm = fft,
                       .reason = "stride 4: it needs stride 1"},
                      {.problem = data.problem,
                       .pass = data.pass,
                       .algorithm = gemm,
                       .implementation = "strata:gemm",
                       .ratio = Ratio{1.2, 1.1, 1.3},
                       .usual = {4e-3},
                       .own = {5e-3},
                       .rounds = 3}};
    outcome.passes = {{.problem = forward.problem,
                       .pass = forward.pass,
                       .algorithm = winograd_4x4_3x3,
                       .implementation = "strata:winograd-4x4-3x3:avx2",
                       .ratio = Ratio{0.52, 0.5, 0.54},
                       .candidates = 1,
                       .network = "net"},
                      {.problem = data.problem,
                       .pass = data.pass,
                       .implementation = "jit:avx2",
                       .candidates = 1,
                       .network = "net"}};
    outcome.whole = Ratio{0.8, 0.78, 0.82};
    outcome.usual = Seconds{30e-3};
    outcome.spent = {12.34};
    return outcome;
}

TEST(Tuning, TheTableSaysWhatWasChosenAndWhatItGains) {
    testing::expect_golden(
        "view/tuning.txt",
        render_terminal(tuning_document(settings(), outcome()), {.width = 140, .unicode = true}));
}

TEST(Tuning, SaysWhatWasNotTriedOrKept) {
    TuningOutcome stopped = outcome();
    stopped.is_kept = false;
    stopped.untried = 2;
    const std::string text =
        render_terminal(tuning_document(settings(), stopped), {.width = 400, .unicode = true});
    EXPECT_NE(text.find("none of them is kept"), std::string::npos);
    EXPECT_NE(text.find("no time for 2 algorithms:"), std::string::npos);
    stopped.unconfirmed = 1;
    EXPECT_NE(render_terminal(tuning_document(settings(), stopped), {.width = 400, .unicode = true})
                  .find("no time to measure together the 1 pass"),
              std::string::npos);
    stopped.unchecked = 1;
    EXPECT_NE(render_terminal(tuning_document(settings(), stopped), {.width = 400, .unicode = true})
                  .find("no time for 2 algorithms and the rounding errors of 1 that is faster:"),
              std::string::npos);
}

}  // namespace
}  // namespace strata
