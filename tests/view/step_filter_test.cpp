// SPDX-License-Identifier: MIT
#include "view/step_filter.h"

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

strata::Run small_run() {
    return testing::run_of({testing::scripted_step("conv1", Pass::forward, {Seconds{1}}),
                            testing::scripted_step("fc", Pass::forward, {Seconds{1}}),
                            testing::scripted_step("fc", Pass::backward_data, {Seconds{1}}),
                            testing::scripted_step("conv1", Pass::backward_weights, {Seconds{1}})});
}

using Indices = std::vector<std::size_t>;

TEST(StepFilter, EmptyFieldsSelectAllLayerByLayer) {
    EXPECT_EQ(wanted_steps(small_run(), {}), (Indices{0, 3, 1, 2}));
}

TEST(StepFilter, LayersAreChosenByGlobAndPassesByName) {
    EXPECT_EQ(wanted_steps(small_run(), {.layers = "conv*", .passes = {}}), (Indices{0, 3}));
    EXPECT_EQ(wanted_steps(small_run(), {.layers = "", .passes = "backward-data, forward"}),
              (Indices{0, 1, 2}));
}

TEST(StepFilter, ALayerIsAlsoSelectedByItsNameInTheFile) {
    strata::Run run = small_run();
    run.steps[1].alias = "node_Gemm_7";
    EXPECT_EQ(wanted_steps(run, {.layers = "node_*", .passes = {}}), (Indices{1}));
}

TEST(StepFilter, WhatMatchesNothingIsAUsageError) {
    EXPECT_NE(error_of([] {
                  wanted_steps(small_run(), {.layers = "pool*", .passes = {}});
              }).find("pool*"),
              std::string::npos);
    EXPECT_THROW(wanted_steps(small_run(), {.layers = "", .passes = "sideways"}), Error);
}

TEST(StepFilter, ARunWithoutStepsHasNoneToMiss) {
    EXPECT_TRUE(wanted_steps({}, {.layers = "conv*", .passes = {}}).empty());
}

}  // namespace
}  // namespace strata
