// SPDX-License-Identifier: MIT
#include "analyze/memory_check.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Run run_with_scratch(Bytes first, Bytes second) {
    Run run = testing::run_of({testing::scripted_step("a", Pass::forward, {Seconds{1}}),
                               testing::scripted_step("b", Pass::forward, {Seconds{1}})});
    run.steps[0].workspace = first;
    run.steps[1].workspace = second;
    run.predicted_memory = Bytes{900};
    return run;
}

TEST(MemoryCheck, SharedScratchMemoryCountsAsPredicted) {
    strata::Run run = run_with_scratch(Bytes{100}, Bytes{60});
    run.measured_memory = Bytes{2000};
    const MemoryCheck check = memory_check_of(run);
    EXPECT_EQ(check.scratch, Bytes{100});
    EXPECT_EQ(check.ratio, 0.5);
}

TEST(MemoryCheck, WithoutAMeasurementThereIsNoRatio) {
    strata::Run run = run_with_scratch(Bytes{0}, Bytes{0});
    EXPECT_EQ(memory_check_of(run).ratio, std::nullopt);
    run.measured_memory = Bytes{0};  // the peak was before the run
    EXPECT_EQ(memory_check_of(run).ratio, std::nullopt);
}

TEST(MemoryCheck, AnImportedRunHasNoPrediction) {
    strata::Run run = run_with_scratch(Bytes{0}, Bytes{0});
    run.origin = Origin::imported;
    run.predicted_memory = Bytes{0};
    EXPECT_EQ(memory_check_of(run).predicted, std::nullopt);
    EXPECT_EQ(memory_check_of(run).scratch, std::nullopt);
}

}  // namespace
}  // namespace strata
