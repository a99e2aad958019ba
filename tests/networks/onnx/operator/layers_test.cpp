// SPDX-License-Identifier: MIT
#include "tests/networks/onnx/import_support.h"

#include <limits>

namespace strata {
namespace {

// One node that reads x.
OnnxWriter one(const char* op, const std::vector<std::int64_t>& x,
               const std::vector<WireWriter>& attributes = {}, std::int64_t opset = 17) {
    OnnxWriter writer(opset);
    writer.input("x", x).node(op, {"x"}, {"y"}, attributes, "node").output("y");
    return writer;
}

OnnxWriter with_input(const char* op, const std::vector<std::int64_t>& x,
                      const std::vector<std::int64_t>& second) {
    OnnxWriter writer;
    writer.input("x", x).integers("second", second).node(op, {"x", "second"}, {"y"}).output("y");
    return writer;
}

TEST(OnnxActivation, KindsAndDefaultsAreOnnxs) {
    const auto activation = [](const char* op, const std::vector<WireWriter>& attributes = {}) {
        return Imported(one(op, {2, 3}, attributes, 10)).op<Activation>();
    };
    constexpr double tenth = static_cast<double>(0.1f);
    EXPECT_EQ(activation("Relu"), (Activation{ActivationKind::relu, 0, 0}));
    EXPECT_EQ(activation("LeakyRelu"), (Activation{ActivationKind::leaky_relu, 0.01, 0}));
    EXPECT_EQ(activation("LeakyRelu", {onnx_attribute("alpha", 0.1f)}).alpha, tenth);
    EXPECT_EQ(activation("Elu"), (Activation{ActivationKind::elu, 1, 0}));
    EXPECT_EQ(activation("HardSigmoid"), (Activation{ActivationKind::hard_sigmoid, 0.2, 0.5}));
    EXPECT_EQ(activation("Sigmoid").kind, ActivationKind::sigmoid);
    EXPECT_EQ(activation("Tanh").kind, ActivationKind::tanh);
    EXPECT_EQ(activation("Softplus").kind, ActivationKind::softplus);
    EXPECT_EQ(activation("Clip", {onnx_attribute("min", 0.0f), onnx_attribute("max", 6.0f)}),
              (Activation{ActivationKind::clip, 0, 6}));
}

TEST(OnnxActivation, BoundsOfClipMayBeInputsAndMayBeMissing) {
    OnnxWriter writer;
    writer.input("x", {2})
        .initializer(onnx_floats("high", {}, {6}))
        .node("Clip", {"x", "", "high"}, {"y"})
        .output("y");
    EXPECT_EQ(Imported(writer).op<Activation>(),
              (Activation{ActivationKind::clip,
                          -static_cast<double>(std::numeric_limits<float>::max()), 6}));
}

TEST(OnnxNormalization, StatisticsAreNotTrained) {
    OnnxWriter writer;
    writer.input("x", {2, 3, 4, 4})
        .weight("s", {3})
        .weight("b", {3})
        .weight("m", {3})
        .weight("v", {3})
        .node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"},
              {onnx_attribute("epsilon", 0.5f), onnx_attribute("momentum", 0.25f)})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.op<BatchNormalization>(),
              (BatchNormalization{.epsilon = 0.5, .momentum = 0.25}));
    EXPECT_EQ(imported.tensor("s").role, Role::parameter);
    EXPECT_EQ(imported.tensor("m").role, Role::statistic);
    EXPECT_EQ(imported.tensor("v").role, Role::statistic);
}

TEST(OnnxNormalization, BeforeOpset9ABatchNormalizationMayBePerActivation) {
    OnnxWriter writer(8);
    writer.input("x", {2, 3, 4}).weight("w", {3, 4});
    writer.node("BatchNormalization", {"x", "w", "w", "w", "w"}, {"y"},
                {onnx_attribute("spatial", std::int64_t{0})});
    EXPECT_EQ(Imported(writer.output("y")).op<BatchNormalization>().scope,
              NormalizationScope::per_activation);
}

TEST(OnnxNormalization, LrnAndDropoutKeepTheirNumbers) {
    EXPECT_EQ(Imported(one("LRN", {1, 8, 2, 2},
                           {onnx_attribute("size", std::int64_t{5}), onnx_attribute("alpha", 0.5f),
                            onnx_attribute("beta", 0.25f), onnx_attribute("bias", 2.0f)}))
                  .op<Lrn>(),
              (Lrn{.size = 5, .alpha = 0.5, .beta = 0.25, .k = 2}));
    EXPECT_EQ(Imported(one("Dropout", {2}, {onnx_attribute("ratio", 0.25f)}, 10)).op<Dropout>(),
              (Dropout{.probability = 0.25, .seed = 0}));
    OnnxWriter writer;
    writer.input("x", {2})
        .initializer(onnx_floats("ratio", {}, {0.75f}))
        .node("Dropout", {"x", "ratio"}, {"y", "mask"})
        .output("y");
    EXPECT_EQ(Imported(writer).op<Dropout>().probability, 0.75);
}

TEST(OnnxSoftmax, SinceOpset13ItRunsAlongOneAxis) {
    EXPECT_EQ(Imported(one("Softmax", {2, 3, 4})).op<Softmax>(), (Softmax{.axis = -1}));
    EXPECT_EQ(Imported(one("LogSoftmax", {2, 3}, {onnx_attribute("axis", std::int64_t{0})}))
                  .op<Softmax>(),
              (Softmax{.axis = 0, .logarithm = true}));
}

TEST(OnnxSoftmax, BeforeItRanOverAllThatFollowsTheAxis) {
    const Imported flattened(one("Softmax", {2, 3, 4}, {}, 12));
    ASSERT_EQ(flattened.graph.layers.size(), 3u);
    EXPECT_EQ(flattened.op<Reshape>(0).dims, (Dims{2, 12}));
    EXPECT_EQ(flattened.op<Softmax>(1).axis, 1);
    EXPECT_EQ(flattened.dims("y"), (Dims{2, 3, 4}));
    const Imported single(one("Softmax", {2, 3, 1, 1}, {}, 12));
    ASSERT_EQ(single.graph.layers.size(), 1u);
    EXPECT_EQ(single.op<Softmax>().axis, 1);
}

TEST(OnnxElementwise, WeightsAreParametersAndSingleNumbersConstants) {
    OnnxWriter writer;
    writer.input("x", {2, 3, 4, 4})
        .weight("scale", {3, 1, 1})
        .initializer(onnx_floats("two", {}, {2}))
        .node("Mul", {"x", "scale"}, {"a"})
        .node("Div", {"a", "two"}, {"b"})
        .node("Sub", {"two", "b"}, {"y"})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.tensor("scale").role, Role::parameter);
    EXPECT_EQ(imported.tensor("two").role, Role::constant);
    EXPECT_EQ(imported.op<Elementwise>(0).kind, ElementwiseKind::multiply);
    EXPECT_EQ(imported.op<Elementwise>(1).kind, ElementwiseKind::divide);
    EXPECT_EQ(imported.op<Elementwise>(2).kind, ElementwiseKind::subtract);
    EXPECT_EQ(imported.graph.tensors[imported.graph.layers[2].inputs[0]].name, "two");
}

TEST(OnnxElementwise, SumsTakeAnyNumberOfInputs) {
    OnnxWriter writer;
    writer.input("x", {2, 3})
        .node("Sum", {"x"}, {"a"})
        .node("Max", {"a", "x"}, {"b"})
        .node("Sum", {"a", "b", "x"}, {"y"})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.op<Identity>(0), Identity());
    EXPECT_EQ(imported.op<Elementwise>(1).kind, ElementwiseKind::maximum);
    EXPECT_EQ(imported.graph.layers[2].inputs.size(), 3u);
}

TEST(OnnxElementwise, TheOldBroadcastAlignsAtItsAxis) {
    OnnxWriter writer(7);
    writer.input("x", {2, 3, 4, 4})
        .weight("b", {3})
        .node(
            "Add", {"x", "b"}, {"y"},
            {onnx_attribute("broadcast", std::int64_t{1}), onnx_attribute("axis", std::int64_t{1})})
        .output("y");
    EXPECT_EQ(Imported(writer).dims("b.aligned"), (Dims{3, 1, 1}));
}

TEST(OnnxArrangement, ReshapesOfEveryKindBecomeReshape) {
    EXPECT_EQ(Imported(with_input("Reshape", {2, 3, 4}, {0, -1})).dims("y"), (Dims{2, 12}));
    EXPECT_EQ(Imported(one("Flatten", {2, 3, 4})).dims("y"), (Dims{2, 12}));
    EXPECT_EQ(
        Imported(one("Flatten", {2, 3, 4}, {onnx_attribute("axis", std::int64_t{-1})})).dims("y"),
        (Dims{6, 4}));
    EXPECT_EQ(Imported(one("Flatten", {2, 3}, {onnx_attribute("axis", std::int64_t{0})})).dims("y"),
              (Dims{1, 6}));
    EXPECT_EQ(Imported(one("Squeeze", {1, 3, 1})).dims("y"), Dims{3});
    EXPECT_EQ(Imported(with_input("Squeeze", {1, 3, 1}, {-1})).dims("y"), (Dims{1, 3}));
    EXPECT_EQ(Imported(one("Unsqueeze", {3, 4}, {onnx_attribute("axes", {0, 3})}, 11)).dims("y"),
              (Dims{1, 3, 4, 1}));
    EXPECT_EQ(Imported(with_input("Unsqueeze", {3, 4}, {-1})).dims("y"), (Dims{3, 4, 1}));
}

TEST(OnnxArrangement, ImpossibleReshapesAreErrors) {
    EXPECT_NE(import_error(with_input("Reshape", {2, 3}, {4, 2})).find("2x3 cannot become 4x2"),
              std::string::npos);
    EXPECT_NE(import_error(with_input("Reshape", {2, 3}, {-1, -1})), "no error");
    EXPECT_NE(import_error(with_input("Reshape", {2, 3}, {-1, 4})), "no error");
    EXPECT_NE(import_error(with_input("Squeeze", {2, 3}, {0})), "no error");
    EXPECT_NE(import_error(with_input("Unsqueeze", {2, 3}, {0, 0})), "no error");
    EXPECT_NE(import_error(one("Transpose", {2, 3}, {onnx_attribute("perm", {0, 0})})), "no error");
}

TEST(OnnxArrangement, AReshapeByAComputedTargetIsOpaque) {
    OnnxWriter writer;
    writer.input("x", {2, 3}).input("target", {2}, 7).node("Reshape", {"x", "target"}, {"y"});
    EXPECT_EQ(opaque_reason(writer.output("y")), "its input 1 is computed while the network runs");
}

TEST(OnnxArrangement, TransposeConcatAndCast) {
    EXPECT_EQ(Imported(one("Transpose", {2, 3, 4})).op<Transpose>().permutation, (Dims{2, 1, 0}));
    EXPECT_EQ(Imported(one("Transpose", {2, 3, 4}, {onnx_attribute("perm", {0, 2, 1})})).dims("y"),
              (Dims{2, 4, 3}));
    OnnxWriter writer;
    writer.input("x", {2, 3})
        .node("Concat", {"x", "x"}, {"y"}, {onnx_attribute("axis", std::int64_t{-1})})
        .output("y");
    EXPECT_EQ(Imported(writer).dims("y"), (Dims{2, 6}));
    EXPECT_EQ(Imported(one("Cast", {2}, {onnx_attribute("to", std::int64_t{1})})).op<Identity>(),
              Identity());
    EXPECT_EQ(Imported(one("Cast", {2}, {onnx_attribute("to", std::int64_t{10})})).op<Cast>().dtype,
              DataType::f16);
    EXPECT_EQ(opaque_reason(one("Cast", {2}, {onnx_attribute("to", std::int64_t{8})})),
              "it casts to elements of type STRING");
}

TEST(OnnxPad, AttributesInputsAndAxesMeanTheSame) {
    const Pad expected{.begin = {0, 1}, .end = {0, 2}, .value = 0.5, .kind = PadKind::constant};
    EXPECT_EQ(
        Imported(one("Pad", {2, 3},
                     {onnx_attribute("pads", {0, 1, 0, 2}), onnx_attribute("value", 0.5f)}, 10))
            .op<Pad>(),
        expected);
    OnnxWriter writer(18);
    writer.input("x", {2, 3})
        .integers("pads", {1, 2})
        .initializer(onnx_floats("value", {}, {0.5f}))
        .integers("axes", {-1})
        .node("Pad", {"x", "pads", "value", "axes"}, {"y"})
        .output("y");
    EXPECT_EQ(Imported(writer).op<Pad>(), expected);
    EXPECT_EQ(
        Imported(one("Pad", {2, 3},
                     {onnx_attribute("pads", {0, 1, 0, 1}), onnx_attribute("mode", "reflect")}, 10))
            .op<Pad>()
            .kind,
        PadKind::reflect);
    EXPECT_EQ(opaque_reason(
                  one("Pad", {2, 3},
                      {onnx_attribute("pads", {0, 1, 0, 1}), onnx_attribute("mode", "wrap")}, 19)),
              "mode 'wrap' is not supported");
}

TEST(OnnxLayers, AWeightIsStandardisedByItsOwnStatistics) {
    OnnxWriter writer(17);
    writer.input("x", {1, 3, 6})
        .weight("w", {1, 3, 6})
        .weight("scale", {3})
        .weight("shift", {3})
        .weight("mean", {3})
        .weight("variance", {3})
        .node("BatchNormalization", {"w", "scale", "shift", "mean", "variance"}, {"v"},
              {onnx_attribute("training_mode", std::int64_t{1})}, "standard")
        .node("Add", {"x", "v"}, {"y"})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.dims("v"), (Dims{1, 3, 6}));
    EXPECT_EQ(imported.op<Reduction>(0),
              (Reduction{.kind = ReductionKind::mean, .axes = {0, 2}, .keep_axes = true}));
}

}  // namespace
}  // namespace strata
