// SPDX-License-Identifier: MIT
#include "analyze/gate.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::run_of;
using testing::scripted_step;

constexpr double limit = 0.03;

StepResult step(const char* layer, double time, std::size_t samples = 3) {
    return scripted_step(layer, Pass::forward, std::vector<Seconds>(samples, Seconds{time}));
}

Gate gate_on(const strata::Run& before, const strata::Run& after, double processes = 0.001) {
    const AssumedSpread spread{.processes = processes, .samples = 0.001};
    return gate_of(compare({&before, 1}, {&after, 1}, {.margin = limit, .spread = spread}), limit);
}

// Runs with a timed whole iteration.
strata::Run timed(double time) {
    strata::Run run = run_of({step("a", time)});
    run.whole.end_to_end.values.assign(10, Seconds{time});
    return run;
}

TEST(Gate, TheWholeIsJudgedIfItWasTimed) {
    EXPECT_EQ(gate_on(timed(1), timed(1)).result, GateResult::passes);
    EXPECT_EQ(gate_on(timed(1), timed(0.5)).result, GateResult::passes);
    EXPECT_EQ(gate_on(timed(1), timed(1.02)).result, GateResult::passes);
    const Gate slower = gate_on(timed(1), timed(1.1));
    EXPECT_EQ(slower.result, GateResult::fails);
    EXPECT_FALSE(slower.by_steps);
}

TEST(Gate, AnUndecidedDifferenceDoesNotPass) {
    EXPECT_EQ(gate_on(timed(1), timed(1.05), 0.05).result, GateResult::open);
    EXPECT_EQ(gate_on(timed(1), timed(1), 0.05).result, GateResult::open);
    EXPECT_EQ(gate_on(run_of({}), run_of({})).result, GateResult::open);
    EXPECT_EQ(gate_on(run_of({step("a", 1)}), run_of({step("b", 1)})).result, GateResult::open);
}

TEST(Gate, ProfilesAreJudgedByTheSumOfTheirSteps) {
    const strata::Run before = run_of({step("a", 1), step("b", 1)});
    const Gate slower = gate_on(before, run_of({step("a", 1), step("b", 1.2)}));
    EXPECT_EQ(slower.result, GateResult::fails);
    EXPECT_TRUE(slower.by_steps);
    EXPECT_EQ(gate_on(before, run_of({step("a", 1.2), step("b", 0.7)})).result, GateResult::passes);
}

TEST(Gate, StepsThatOnlyOneSideHasKeepItFromPassing) {
    const strata::Run before = run_of({step("a", 1), step("b", 0.5)});
    const strata::Run more = run_of({step("a", 1), step("b", 0.5), step("c", 1)});
    EXPECT_EQ(gate_on(before, more).result, GateResult::open);
    EXPECT_EQ(gate_on(more, before).result, GateResult::passes);
    // A fused step that is slower by itself may still be faster than the steps it replaces.
    EXPECT_EQ(gate_on(before, run_of({step("a", 1.2)})).result, GateResult::open);
}

}  // namespace
}  // namespace strata
