// SPDX-License-Identifier: MIT
#include "verify/verify.h"

#include "tests/support/scripted_backend.h"
#include "tests/support/small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace strata::testing {
namespace {

Execution kept() {
    Execution execution;
    execution.scheduling.memory = MemoryReuse::kept;
    return execution;
}

TensorId tensor_of(const Graph& graph, std::string_view name) {
    const auto found = std::ranges::find(graph.tensors, name, &GraphTensor::name);
    EXPECT_NE(found, graph.tensors.end()) << name;
    return static_cast<TensorId>(found - graph.tensors.begin());
}

std::size_t step_of(const Graph& graph, const Executable& executable, std::string_view layer,
                    Pass pass) {
    const auto steps = executable.steps();
    const auto found = std::ranges::find_if(steps, [&](const Step& step) {
        return graph.layers[step.layer].name == layer && step.pass == pass;
    });
    EXPECT_NE(found, steps.end()) << layer;
    return static_cast<std::size_t>(found - steps.begin());
}

// A script that adds `error` to one element of a tensor.
Script corrupt(TensorId tensor, Content content, float error) {
    return [=](Executable& executable) {
        HostValues values = executable.read(tensor, content);
        values[values.size() / 2] += error;
        executable.write(tensor, content, values);
    };
}

// The small network on the reference, with one step tampered with.
struct Case {
    Graph graph = small_network();
    Execution execution = kept();
    ScriptedExecutable executable{make_reference_backend()->prepare(graph, execution)};

    std::size_t corrupt_after(std::string_view layer, Pass pass, std::string_view tensor,
                              Content content, float error = 0.05F) {
        const std::size_t step = step_of(graph, executable, layer, pass);
        executable.after(step, corrupt(tensor_of(graph, tensor), content, error));
        return step;
    }

    // The steps in which verification finds an error.
    std::vector<std::size_t> faults() {
        std::vector<std::size_t> steps;
        for (const StepCheck& check : verify(graph, execution, executable)) {
            if (!check.reason.empty()) {
                steps.push_back(check.step);
            }
        }
        return steps;
    }
};

using Steps = std::vector<std::size_t>;

TEST(Verify, TheReferenceAgreesWithItself) {
    Case test;
    const auto checks = verify(test.graph, test.execution, test.executable);
    EXPECT_EQ(checks.size(), test.executable.steps().size());
    for (const StepCheck& check : checks) {
        EXPECT_EQ(check.reason, "");
        EXPECT_LT(check.error, 1e-6);
        EXPECT_GT(check.tolerance, check.error);
        EXPECT_LT(check.tolerance, 1e-4);
    }
}

TEST(Verify, AStepWhoseGradientCannotBeJudgedHasNoReference) {
    Case test;
    const std::size_t reader = step_of(test.graph, test.executable, "right", Pass::backward_data);
    const std::size_t other = step_of(test.graph, test.executable, "left", Pass::backward_data);
    test.executable.refuse(reader, "not here");
    for (const StepCheck& check : verify(test.graph, test.execution, test.executable)) {
        EXPECT_TRUE(check.step != other || !check.has_reference());
        EXPECT_EQ(check.reason, "") << check.step;
    }
}

TEST(Verify, AnInferenceIsCheckedForwardOnly) {
    Case test;
    test.execution.numerics.mode = Mode::inference;
    test.executable =
        ScriptedExecutable(make_reference_backend()->prepare(test.graph, test.execution));
    EXPECT_EQ(verify(test.graph, test.execution, test.executable).size(), test.graph.layers.size());
    const std::size_t step = test.corrupt_after("norm", Pass::forward, "norm", Content::value);
    EXPECT_EQ(test.faults(), Steps{step});
}

TEST(Verify, AWrongForwardValueIsFoundInExactlyItsStep) {
    for (const char* layer : {"conv", "lrn", "relu", "left", "norm", "sum", "right", "joined",
                              "pool", "tanh", "drop", "scores", "loss"}) {
        Case test;
        const std::size_t step = test.corrupt_after(layer, Pass::forward, layer, Content::value);
        EXPECT_EQ(test.faults(), Steps{step}) << layer;
    }
}

TEST(Verify, AWrongWeightGradientIsFoundInExactlyItsStep) {
    for (const auto& [layer, tensor] : {std::pair("conv", "conv.weight"),
                                        {"conv", "conv.bias"},
                                        {"left", "left.weight"},
                                        {"norm", "norm.scale"},
                                        {"norm", "norm.shift"},
                                        {"scores", "scores.weight"}}) {
        Case test;
        const std::size_t step =
            test.corrupt_after(layer, Pass::backward_weights, tensor, Content::gradient);
        EXPECT_EQ(test.faults(), Steps{step}) << tensor;
    }
}

TEST(Verify, AWrongDataGradientIsFoundInExactlyItsStep) {
    for (const auto& [layer, tensor] :
         {std::pair("loss", "scores"), {"scores", "drop"}, {"pool", "joined"}, {"lrn", "conv"}}) {
        Case test;
        const std::size_t step =
            test.corrupt_after(layer, Pass::backward_data, tensor, Content::gradient);
        EXPECT_EQ(test.faults(), Steps{step}) << tensor;
    }
}

TEST(Verify, AWrongContributionToAGradientOfSeveralReadersIsFoundInExactlyItsStep) {
    for (const char* reader : {"right", "sum", "left"}) {
        Case test;
        const std::size_t step =
            test.corrupt_after(reader, Pass::backward_data, "relu", Content::gradient);
        EXPECT_EQ(test.faults(), Steps{step}) << reader;
    }
}

TEST(Verify, AnUpdateThatIgnoresTheGradientIsFound) {
    Case test;
    const TensorId weight = tensor_of(test.graph, "left.weight");
    const HostValues before = test.executable.read(weight, Content::value);
    const std::size_t step = step_of(test.graph, test.executable, "left", Pass::update);
    test.executable.after(
        step, [&](Executable& executable) { executable.write(weight, Content::value, before); });
    EXPECT_EQ(test.faults(), Steps{step});
}

TEST(Verify, AWrongRunningVarianceIsFound) {
    Case test;
    const std::size_t step =
        test.corrupt_after("norm", Pass::forward, "norm.variance", Content::value);
    EXPECT_EQ(test.faults(), Steps{step});
}

TEST(Verify, SeveralFaultsAreFoundEachInItsStep) {
    Case test;
    const std::size_t forward = test.corrupt_after("conv", Pass::forward, "conv", Content::value);
    const std::size_t backward =
        test.corrupt_after("scores", Pass::backward_data, "drop", Content::gradient);
    EXPECT_EQ(test.faults(), (Steps{forward, backward}));
}

TEST(Verify, AValueThatIsNotANumberIsFound) {
    Case test;
    const std::size_t step = test.corrupt_after("relu", Pass::forward, "relu", Content::value,
                                                std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(test.faults().front(), step);
}

TEST(Verify, AFaultNamesTheTensorAndTheDifference) {
    Case test;
    test.corrupt_after("scores", Pass::backward_data, "drop", Content::gradient, 1.0F);
    for (const StepCheck& check : verify(test.graph, test.execution, test.executable)) {
        if (!check.reason.empty()) {
            EXPECT_TRUE(
                check.reason.starts_with("the gradient of drop differs from the reference by "))
                << check.reason;
            EXPECT_NE(check.reason.find("(tolerance "), std::string::npos);
            return;
        }
    }
    FAIL() << "no fault was found";
}

TEST(Verify, ARefusedStepHasNoCheckAndSpoilsNoOther) {
    Case test;
    const std::size_t step = step_of(test.graph, test.executable, "right", Pass::backward_data);
    test.executable.refuse(step, "not here");
    const auto checks = verify(test.graph, test.execution, test.executable);
    EXPECT_EQ(checks.size(), test.executable.steps().size() - 1);
    for (const StepCheck& check : checks) {
        EXPECT_NE(check.step, step);
        EXPECT_EQ(check.reason, "") << check.step;
    }
}

// A library whose backward_data of a normalisation also computes the weights' gradients.
void compute_weights_along(Case& test) {
    const std::size_t weights =
        step_of(test.graph, test.executable, "norm", Pass::backward_weights);
    const std::size_t data = step_of(test.graph, test.executable, "norm", Pass::backward_data);
    const LayerId norm = test.executable.steps()[weights].layer;
    test.executable.include(weights, {norm, Pass::backward_data});
    test.executable.after(data, [weights](Executable& real) { real.run_step(weights); });
}

TEST(Verify, GradientsComputedAlongWithAnotherPassAreChecked) {
    Case right;
    compute_weights_along(right);
    EXPECT_EQ(right.faults(), Steps{});
    Case wrong;
    compute_weights_along(wrong);
    const std::size_t step =
        wrong.corrupt_after("norm", Pass::backward_data, "norm.scale", Content::gradient);
    EXPECT_EQ(wrong.faults(), Steps{step});
}

// A library that keeps each contribution separate and adds them up in a separate step, which
// belongs to the layer that reads the sum.
struct Accumulating : Case {
    explicit Accumulating(float error) {
        for (const char* reader : {"right", "sum", "left"}) {
            executable.after(step_of(graph, executable, reader, Pass::backward_data),
                             [this](Executable& real) { set_apart(real); });
        }
        step = step_of(graph, executable, "relu", Pass::backward_data);
        Step added = executable.steps()[step];
        added.kind = StepKind::accumulate;
        executable.insert_before(step, added, [this, error](Executable& real) {
            sum[0] += error;
            real.write(relu, Content::gradient, sum);
        });
    }

    // The reference adds to the existing value; if that is set to 0, the next contribution is
    // separate.
    void set_apart(Executable& real) {
        const HostValues contribution = real.read(relu, Content::gradient);
        std::ranges::transform(sum, contribution, sum.begin(), std::plus<>());
        real.write(relu, Content::gradient, HostValues(sum.size()));
    }

    TensorId relu = tensor_of(graph, "relu");
    HostValues sum =
        HostValues(static_cast<std::size_t>(graph.tensors[relu].tensor.elements()), 0.0F);
    std::size_t step = 0;
};

TEST(Verify, AnAccumulationInASeparateStepIsCheckedAfterIt) {
    EXPECT_EQ(Accumulating(0).faults(), Steps{});
    Accumulating wrong(0.05F);
    EXPECT_EQ(wrong.faults(), Steps{wrong.step});
}

// x is read by a product and, through a reshape, by another; nothing is executed for the reshape.
Case with_a_reshape_without_steps() {
    GraphBuilder b("reshape");
    const TensorId x = b.add("x", FullyConnected{.out_features = 6}, {b.input("data", {{2, 3}})});
    const TensorId folded = b.add("folded", Reshape{.dims = {4, 3}}, {x});
    b.add("one", FullyConnected{.out_features = 2}, {x});
    b.add("two", FullyConnected{.out_features = 2}, {folded});
    Case test{.graph = b.finish()};
    for (const Pass pass : {Pass::forward, Pass::backward_data}) {
        test.executable.merge_into_previous(step_of(test.graph, test.executable, "folded", pass));
    }
    return test;
}

TEST(Verify, AReshapeWithoutAStepStillContributes) {
    EXPECT_EQ(with_a_reshape_without_steps().faults(), Steps{});
    Case wrong = with_a_reshape_without_steps();
    const std::size_t step =
        wrong.corrupt_after("one", Pass::backward_data, "x", Content::gradient);
    EXPECT_EQ(wrong.faults(), Steps{step});
}

TEST(Verify, BrainFloatsMayRound) {
    Case test;
    test.execution.numerics.dtype = DataType::bf16;
    const std::size_t step = test.corrupt_after("pool", Pass::forward, "pool", Content::value, 0);
    test.executable.after(step, [&](Executable& executable) {
        const TensorId tensor = tensor_of(test.graph, "pool");
        HostValues values = executable.read(tensor, Content::value);
        std::ranges::transform(values, values.begin(), [](float v) { return v * (1 + 0x1p-9F); });
        executable.write(tensor, Content::value, values);
    });
    EXPECT_EQ(test.faults(), Steps{});
    test.execution.numerics.dtype = DataType::f32;
    test.executable =
        ScriptedExecutable(make_reference_backend()->prepare(test.graph, test.execution));
    test.corrupt_after("pool", Pass::forward, "pool", Content::value, 0.01F);
    EXPECT_EQ(test.faults(), Steps{step});
}

}  // namespace
}  // namespace strata::testing
