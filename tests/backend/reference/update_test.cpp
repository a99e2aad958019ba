// SPDX-License-Identifier: MIT
#include "backend/reference/update.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata {
namespace {

TEST(ReferenceUpdate, AStateOnlyHasRoomForWhatItsOptimizerRemembers) {
    EXPECT_TRUE(initial_state(Sgd{}, 3).first.empty());
    EXPECT_EQ(initial_state(SgdMomentum{}, 3).first.size(), 3U);
    EXPECT_TRUE(initial_state(SgdMomentum{}, 3).second.empty());
    EXPECT_EQ(initial_state(Adam{}, 3).second.size(), 3U);
}

TEST(ReferenceUpdate, PlainDescentFollowsOnlyTheGradient) {
    HostValues weight = {10, 20};
    OptimizerState state = initial_state(Sgd{}, 2);
    reference_update(Sgd{.learning_rate = 0.5}, HostValues{2, -4}, state, weight);
    reference_update(Sgd{.learning_rate = 0.5}, HostValues{2, -4}, state, weight);
    EXPECT_EQ(weight, (HostValues{8, 24}));
}

// In the first step both corrected means are the gradient's own, so its size does not matter.
TEST(ReferenceUpdate, TheFirstStepOfAdamIsAsLongAsItsRate) {
    const Adam adam{.learning_rate = 0.25};
    HostValues weight = {1, 1, 1};
    OptimizerState state = initial_state(adam, 3);
    reference_update(adam, HostValues{1000, -0.5F, 0}, state, weight);
    EXPECT_NEAR(weight[0], 0.75, 1e-6);
    EXPECT_NEAR(weight[1], 1.25, 1e-6);
    EXPECT_EQ(weight[2], 1);
}

// A gradient that changes sign: m = 0.9 * 0.1 - 0.1 = -0.01, v = (0.999 + 1) * 0.001.
TEST(ReferenceUpdate, TheSecondStepOfAdamRemembersTheFirst) {
    const Adam adam{.learning_rate = 1, .epsilon = 1e-30};
    HostValues weight = {0};
    OptimizerState state = initial_state(adam, 1);
    reference_update(adam, HostValues{1}, state, weight);
    reference_update(adam, HostValues{-1}, state, weight);
    const double mean = -0.01 / (1 - 0.81);
    const double square = 0.001 * 1.999 / (1 - 0.999 * 0.999);
    EXPECT_NEAR(weight[0], -1 - mean / std::sqrt(square), 1e-6);
}

}  // namespace
}  // namespace strata
