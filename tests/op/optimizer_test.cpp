// SPDX-License-Identifier: MIT
#include "op/optimizer.h"

#include "tests/op/support.h"

#include <cmath>

namespace strata {
namespace {

Work update_with(const Optimizer& optimizer) {
    const Problem problem = parse_problem("fully_connected(8x10) out_features=5");
    return work_of(problem.op, signature_of(problem), Pass::update, cost_of(optimizer));
}

constexpr double trained = 10 * 5 + 5;

TEST(Optimizer, StatesAreReadAndWrittenWithTheWeights) {
    const auto traffic = [](const Optimizer& optimizer) {
        const Work work = update_with(optimizer);
        return std::pair(work.read.value, work.written.value);
    };
    EXPECT_EQ(traffic(Sgd{}), std::pair(4 * 2 * trained, 4 * 1 * trained));
    EXPECT_EQ(traffic(SgdMomentum{}), std::pair(4 * 3 * trained, 4 * 2 * trained));
    EXPECT_EQ(traffic(Adam{}), std::pair(4 * 4 * trained, 4 * 3 * trained));
}

TEST(Optimizer, AdamDoesThreeMultiplyAddsARootAndAQuotientForEachWeight) {
    const Operations operations = update_with(Adam{}).operations;
    EXPECT_EQ(operations.multiply_adds, 3 * trained);
    EXPECT_EQ(operations.transcendentals, trained);
    EXPECT_EQ(operations.divides, trained);
    EXPECT_EQ(update_with(Sgd{}).operations.multiply_adds, trained);
}

TEST(Optimizer, TheDefaultUpdateIsThatOfMomentum) {
    const Problem problem = parse_problem("fully_connected(8x10) out_features=5");
    EXPECT_EQ(work_of(problem.op, signature_of(problem), Pass::update), update_with(SgdMomentum{}));
    EXPECT_EQ(find_optimizer("momentum").index(), Optimizer{}.index());
}

// Algorithm 1 of Kingma and Ba as printed, for one weight.
TEST(Optimizer, AdamsCorrectionsCanBeMovedOutOfItsLoop) {
    const Adam adam;
    double m = 0, v = 0;
    for (int t = 1; t <= 20; ++t) {
        const double g = 1e-7 * t;
        m = adam.beta1 * m + (1 - adam.beta1) * g;
        v = adam.beta2 * v + (1 - adam.beta2) * g * g;
        const double corrected_m = m / (1 - std::pow(adam.beta1, t));
        const double corrected_v = v / (1 - std::pow(adam.beta2, t));
        const double printed =
            adam.learning_rate * corrected_m / (std::sqrt(corrected_v) + adam.epsilon);
        const AdamStep step = adam_step(adam, t);
        EXPECT_NEAR(step.rate * m / (std::sqrt(v) + step.epsilon), printed, 1e-12 * printed) << t;
    }
}

TEST(Optimizer, OnlyListedNamesAreAccepted) {
    for (const std::string_view name : optimizer_names()) {
        EXPECT_EQ(name_of(find_optimizer(name)), name);
    }
    EXPECT_THROW(find_optimizer("adma"), Error);
}

}  // namespace
}  // namespace strata
