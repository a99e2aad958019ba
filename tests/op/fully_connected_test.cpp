// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

constexpr const char* fc6 = "fully_connected(2x256x6x6) out_features=4096";

TEST(FullyConnected, FlattensAllAxesButTheFirst) {
    const auto signature = signature_of(parse_problem(fc6));
    EXPECT_EQ(signature.inputs[1].tensor.dims, (Dims{4096, 9216}));
    EXPECT_EQ(signature.inputs[2].tensor.dims, (Dims{4096}));
    EXPECT_EQ(signature.outputs[0].dims, (Dims{2, 4096}));
}

TEST(FullyConnected, EachOfItsThreePassesIsOneProduct) {
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
        EXPECT_EQ(flops_of(fc6, pass), 2 * 75'497'472.0);
    }
}

TEST(FullyConnected, NoOutputsAndTooFewAxesAreRefused) {
    EXPECT_NE(refusal_of("fully_connected(2x9)"), "");
    EXPECT_NE(refusal_of("fully_connected(9) out_features=3"), "");
}

}  // namespace
}  // namespace strata
