// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(Op, TheFinerNameIncludesAnOperatorsFunction) {
    EXPECT_EQ(kind_of(parse_op("activation kind=tanh")), "tanh");
    EXPECT_EQ(kind_of(parse_op("pooling")), "max_pooling");
    EXPECT_EQ(kind_of(parse_op("pooling kind=average global=true")), "global_average_pooling");
    EXPECT_EQ(kind_of(parse_op("elementwise kind=multiply")), "multiply");
    EXPECT_EQ(kind_of(parse_op("softmax logarithm=true")), "log_softmax");
    EXPECT_EQ(kind_of(parse_op("convolution")), "convolution");
    EXPECT_EQ(kind_of(Opaque{"Gelu", "not known"}), "Gelu");
}

TEST(Op, LabelsAndIntegersReceiveNoGradient) {
    EXPECT_FALSE(has_pass("identity(4:label)", Pass::backward_data));
    EXPECT_FALSE(has_pass("identity(4:s64)", Pass::backward_data));
    EXPECT_FALSE(has_pass("identity(4:constant)", Pass::backward_data));
    EXPECT_TRUE(has_pass("identity(4:input)", Pass::backward_data));
}

TEST(Op, AnOpaqueLayerHasNoWorkAndNoGradient) {
    const Op op = Opaque{"Gelu", "not known"};
    const Signature signature = {{{{{4}}}}, {{{4}}}};
    EXPECT_FALSE(has_pass(op, signature, Pass::backward_data));
    EXPECT_EQ(work_of(op, signature, Pass::forward), Work{});
}

TEST(Op, APassThatAnOperatorLacksCostsNothing) {
    EXPECT_EQ(work_of("activation(8)", Pass::backward_weights), Work{});
    EXPECT_EQ(work_of("activation(8)", Pass::update), Work{});
}

TEST(Op, AWrongNumberOfOperandsIsRefusedByEveryOperator) {
    for (const std::string& name : operator_names()) {
        if (name != Opaque::type) {
            EXPECT_THROW(outputs_of(parse_op(name), {}), Error) << name;
        }
    }
}

}  // namespace
}  // namespace strata
