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

std::pair<double, double> traffic(const char* text, Pass pass) {
    const Work work = work_of(text, pass);
    return {work.read.value, work.written.value};
}

TEST(Traffic, MasksAndIndicesOfTheForwardPassAreReadAgain) {
    const double x = 4 * 64, y = 4 * 16;
    EXPECT_EQ(traffic("pooling(1x1x8x8) kernel=2x2 stride=2x2", Pass::backward_data),
              std::pair(y + 16, x));
    EXPECT_EQ(traffic("dropout(1x64)", Pass::backward_data), std::pair(x + 64, x));
}

TEST(Traffic, ASumPassesTheGradientToEveryOperand) {
    EXPECT_EQ(traffic("elementwise(64, 64)", Pass::forward), std::pair(512.0, 256.0));
    EXPECT_EQ(traffic("elementwise(64, 64)", Pass::backward_data), std::pair(256.0, 512.0));
}

TEST(Traffic, HalfTheElementSizeIsHalfTheTraffic) {
    const Work whole = work_of("activation(64)", Pass::forward);
    const Work half = work_of("activation(64:bf16)", Pass::forward);
    EXPECT_EQ(whole.traffic().value, 2 * half.traffic().value);
}

}  // namespace
}  // namespace strata
