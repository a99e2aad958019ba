// SPDX-License-Identifier: MIT
// Kim et al., "Performance Analysis of CNN Frameworks for GPUs", ISPASS 2017: AlexNet, batch 256.
#include "tests/physics/support.h"

namespace strata {
namespace {

TEST(Kim2017, TheSlidesFormulaForConv2IsOursAtBatch256) {
    EXPECT_EQ(operations_of(zoo_graph("alexnet-ungrouped", 256), "conv2"), 229'323'571'200);
}

TEST(Kim2017, ParametersWeighTheQuarterGigabyteThatTheyExchange) {
    const Graph alexnet = zoo_graph("alexnet-ungrouped");
    EXPECT_NEAR(4.0 * static_cast<double>(parameter_count(alexnet)), 249.5e6, 0.05e6);
}

TEST(Kim2017, FullyConnectedLayersHoldNinetyFourPercentOfTheParameters) {
    const Graph alexnet = zoo_graph("alexnet-ungrouped");
    const Graph tail = slice(alexnet, "fc*");
    EXPECT_NEAR(
        static_cast<double>(parameter_count(tail)) / static_cast<double>(parameter_count(alexnet)),
        0.940, 0.0005);
}

}  // namespace
}  // namespace strata
