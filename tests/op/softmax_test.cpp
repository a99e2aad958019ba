// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(Softmax, CostsFiveOperationsAnElement) {
    EXPECT_EQ(flops_of("softmax(4x1000)", Pass::forward), 5 * 4000);
    EXPECT_EQ(flops_of("softmax(4x1000)", Pass::backward_data), 4 * 4000);
}

TEST(Softmax, ItsLogarithmTakesOneMoreLogarithmARow) {
    const auto work = work_of("softmax(4x1000) logarithm=true", Pass::forward);
    EXPECT_EQ(work.operations.transcendentals, 4000 + 4);
}

TEST(Softmax, AnAxisMayCountFromTheEndButMustExist) {
    EXPECT_EQ(output_of("softmax(4x1000) axis=-1"), "4x1000");
    EXPECT_TRUE(contains(refusal_of("softmax(4x1000) axis=2"), "axis 2"));
    EXPECT_NE(refusal_of("softmax(4x1000) axis=-3"), "");
}

TEST(CrossEntropy, GivesAScalarAndAsksForOneLabelAnImage) {
    const auto signature = signature_of(parse_problem("softmax_cross_entropy(4x1000)"));
    EXPECT_EQ(signature.outputs[0].dims, Dims{});
    EXPECT_EQ(signature.inputs[1].tensor.dims, (Dims{4}));
    EXPECT_EQ(signature.inputs[1].role, Role::label);
}

TEST(CrossEntropy, LabelsMayBeGivenAndReceiveNoGradient) {
    const auto* text = "softmax_cross_entropy(4x10, 4:s32:label)";
    EXPECT_EQ(output_of(text), "scalar");
    EXPECT_EQ(work_of(text, Pass::backward_data).written.value, 4 * 40);
    EXPECT_NE(refusal_of("softmax_cross_entropy(4x10, 5:s32:label)"), "");
    EXPECT_NE(refusal_of("softmax_cross_entropy(4x10x2, 4:s32:label)"), "");
}

}  // namespace
}  // namespace strata
