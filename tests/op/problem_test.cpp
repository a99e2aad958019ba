// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

#include <limits>
#include <utility>

namespace strata {
namespace {

// A value that differs from the default for each type of attribute.
void change(std::int64_t& value) {
    value = -7;
}
void change(double& value) {
    value = 0.1 + 0.2;
}
void change(bool& value) {
    value = !value;
}
void change(Dims& value) {
    value = {3, 0, -1};
}
void change(std::string& value) {
    value = "a \"b\"\\ c=d\n\x7f(,)";
}
template <class Enumeration>
requires std::is_enum_v<Enumeration>
void change(Enumeration& value) {
    value = static_cast<Enumeration>(names_of(value).size() - 1);
}

template <class T>
class EveryOperator : public ::testing::Test {};

template <class Variant>
struct TypesOf;
template <class... T>
struct TypesOf<std::variant<T...>> {
    using type = ::testing::Types<T...>;
};
TYPED_TEST_SUITE(EveryOperator, TypesOf<OneOperator>::type);

TYPED_TEST(EveryOperator, WithDefaultsPrintsOnlyItsName) {
    EXPECT_EQ(to_text(Op(TypeParam{})), TypeParam::type);
    EXPECT_EQ(parse_op(TypeParam::type), Op(TypeParam{}));
}

TYPED_TEST(EveryOperator, RoundTripsWithEveryAttributeChanged) {
    TypeParam op;
    std::size_t attributes = 0;
    TypeParam::fields(op, [&](std::string_view, auto& value) {
        change(value);
        ++attributes;
    });
    EXPECT_EQ(attributes_of(op).size(), attributes);
    EXPECT_EQ(parse_op(to_text(Op(op))), Op(op)) << to_text(Op(op));
}

std::string refusal_of_op(std::string_view text) {
    try {
        parse_op(text);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(OperatorText, LeavesOutDefaultValues) {
    const Convolution conv = {
        .out_channels = 64, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
    EXPECT_EQ(to_text(Op(conv)),
              "convolution out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1");
}

TEST(OperatorText, DoublesReadBackToTheSameValue) {
    for (const double value :
         {1e-4, 1.0 / 3, 5e-324, 1.7976931348623157e308, std::numeric_limits<double>::infinity()}) {
        EXPECT_EQ(parse_op(to_text(Op(Pad{.value = value}))), Op(Pad{.value = value}));
    }
}

TEST(OperatorText, MistakesAreAnsweredWithTheNearestName) {
    EXPECT_TRUE(contains(refusal_of_op("convolutoin"), "did you mean \"convolution\"?"));
    EXPECT_TRUE(contains(refusal_of_op("convolution kernal=3x3"), "did you mean \"kernel\"?"));
    EXPECT_TRUE(contains(refusal_of_op("identity size=3"), "no attribute \"size\"; it has none"));
    EXPECT_TRUE(
        contains(refusal_of_op("activation kind=rleu"), "\"rleu\" is not a value for kind"));
}

TEST(OperatorText, BrokenTextIsRefused) {
    for (const auto* text :
         {"", "   ", "convolution kernel", "convolution =3", "convolution kernel=3x",
          "convolution groups=2 groups=2", "convolution bias=1", "convolution groups=2.5",
          "dropout probability=nan", "opaque reason=bare", "opaque reason=\"open",
          "opaque reason=\"\\x4\"", "opaque reason=\"\\q\"", "opaque reason=\"a\"b\""}) {
        EXPECT_NE(refusal_of_op(text), "") << text;
    }
}

TEST(ProblemText, OneLineHoldsOperatorAndOperands) {
    const auto* text =
        "convolution(32x96x27x27) out_channels=256 kernel=5x5 pad_begin=2x2 pad_end=2x2";
    const Problem problem = parse_problem(text);
    EXPECT_EQ(to_text(problem), text);
    EXPECT_EQ(signature_of(problem).outputs[0].dims, (Dims{32, 256, 27, 27}));
}

TEST(ProblemText, OperandsThatTheOperatorRequestsAreNotWritten) {
    for (const auto* text :
         {"convolution(2x4x9) out_channels=6 kernel=3 bias=false", "batch_normalization(2x8x5x5)",
          "matmul(8x64, 64x10:parameter)", "elementwise(2x8:bf16, 8:bf16:constant) kind=multiply",
          "softmax_cross_entropy(4x10)", "softmax_cross_entropy(4x10, 4:s32:label)",
          "identity(scalar:input)", "concat(1x2, 1x3, 1x4)"}) {
        const Problem problem = parse_problem(text);
        EXPECT_EQ(problem_of(problem.op, signature_of(problem)), problem);
        EXPECT_EQ(to_text(problem), text);
    }
}

// The masters of mixed precision are named, because the layer itself would ask for 16-bit weights.
TEST(Problem, ParametersMayBeNamedInAnotherType) {
    const std::string mixed =
        "convolution(8x32x14x14:bf16, 64x32x3x3:parameter) out_channels=64 kernel=3x3 bias=false";
    const Problem problem = parse_problem(mixed);
    EXPECT_EQ(to_text(problem), mixed);
    EXPECT_EQ(activations_of(problem), 1U);
    const Signature signature = signature_of(problem);
    ASSERT_EQ(signature.inputs.size(), 2U);
    EXPECT_EQ(signature.inputs[1].tensor.dtype, DataType::f32);
    EXPECT_EQ(signature.outputs[0].dims, (Dims{8, 64, 12, 12}));
    EXPECT_EQ(activations_of(parse_problem("matmul(8x64, 64x10:parameter)")), 2U);
    EXPECT_THROW(signature_of(parse_problem(
                     "convolution(8x32x14x14:bf16, 64x32x5x5:parameter) out_channels=64 "
                     "kernel=3x3 bias=false")),
                 Error);
}

TEST(ProblemText, BrokenTextIsRefused) {
    for (const auto* text : {"activation", "activation(", "activation)8(", "activation()",
                             "activation(8:f33)", "activation(8x)", "(8)", "nonsense(8)"}) {
        EXPECT_THROW(parse_problem(text), Error) << text;
    }
}

TEST(ShortProblem, IsTheSameProblemAsTheLongForm) {
    EXPECT_EQ(to_text(parse_problem("conv:n32c96h27w27k256r5s5p2")),
              "convolution(32x96x27x27) out_channels=256 kernel=5x5 pad_begin=2x2 pad_end=2x2 "
              "bias=false");
    EXPECT_EQ(to_text(parse_problem("fc:n32c9216k4096")),
              "fully_connected(32x9216) out_features=4096 bias=false");
}

TEST(ShortProblem, LettersMayBeInAnyOrderAndMostMayBeAbsent) {
    EXPECT_EQ(to_text(parse_problem("conv:k8r3h9c4")),
              "convolution(1x4x9x9) out_channels=8 kernel=3x3 bias=false");
    EXPECT_EQ(to_text(parse_problem("conv:c4h9w7k8r3s1u2d2g4")),
              "convolution(1x4x9x7) out_channels=8 kernel=3x1 stride=2x2 dilation=2x2 groups=4 "
              "bias=false");
}

TEST(ShortProblem, MistakesNameTheLetter) {
    const auto refusal = [](const char* text) -> std::string {
        try {
            parse_problem(text);
            return {};
        } catch (const Error& error) {
            return error.what();
        }
    };
    EXPECT_TRUE(contains(refusal("conv:c4h9k8"), "r is missing"));
    EXPECT_TRUE(contains(refusal("conv:c4h9k8r3z2"), "\"z2\" is not one of the letters"));
    EXPECT_TRUE(contains(refusal("conv:c4c4h9k8r3"), "c is given twice"));
    EXPECT_TRUE(contains(refusal("fc:n"), "\"n\""));
    EXPECT_TRUE(contains(refusal("fc:"), "c is missing"));
    EXPECT_TRUE(contains(refusal("fc:c99999999999999999999k3"), "c9999"));
}

}  // namespace
}  // namespace strata
