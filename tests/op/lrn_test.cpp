// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(Lrn, FiveNeighboursCostFourteenOperationsAnElement) {
    const Operations operations = work_of("lrn(1x96x55x55)", Pass::forward).operations;
    const double elements = 96 * 55 * 55;
    EXPECT_EQ(operations.multiplies, 6 * elements);
    EXPECT_EQ(operations.adds, 6 * elements);
    EXPECT_EQ(operations.transcendentals, elements);
    EXPECT_EQ(operations.divides, elements);
    EXPECT_EQ(flops_of("lrn(1x96x55x55)", Pass::forward), 4'065'600);
}

TEST(Lrn, ItsBackwardPassReadsTheInputAgain) {
    const double bytes = 4 * 2 * 8 * 5 * 5;
    EXPECT_EQ(work_of("lrn(2x8x5x5)", Pass::backward_data).read.value, 2 * bytes);
}

TEST(Lrn, ANeighbourhoodOfNoneIsRefused) {
    EXPECT_NE(refusal_of("lrn(2x8x5x5) size=0"), "");
    EXPECT_NE(refusal_of("lrn(8)"), "");
}

}  // namespace
}  // namespace strata
