// SPDX-License-Identifier: MIT
#include "backend/inputs.h"
#include "backend/reference/reference.h"
#include "base/error.h"
#include "tests/support/small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace strata::testing {
namespace {

TensorId tensor_of(const Graph& graph, std::string_view name) {
    const auto found = std::ranges::find(graph.tensors, name, &GraphTensor::name);
    EXPECT_NE(found, graph.tensors.end()) << name;
    return static_cast<TensorId>(found - graph.tensors.begin());
}

std::unique_ptr<Executable> prepared(const Graph& graph, const Execution& execution = {}) {
    return make_reference_backend()->prepare(graph, execution);
}

// x -> fully connected layer of one weight -> y, without a loss.
Graph one_weight() {
    GraphBuilder b("one weight");
    const TensorId x = b.input("x", {{1, 1}});
    b.add("fc", FullyConnected{.out_features = 1, .bias = false}, {x});
    return b.finish();
}

TEST(ReferenceExecutable, AStepForEveryTaskInTheOrderOfTheSchedule) {
    const Graph graph = small_network();
    const auto executable = prepared(graph);
    const Schedule schedule = schedule_of(graph, {});
    ASSERT_EQ(executable->steps().size(), schedule.tasks.size());
    for (std::size_t i = 0; i < schedule.tasks.size(); ++i) {
        EXPECT_EQ(executable->steps()[i].layer, schedule.tasks[i].layer);
        EXPECT_EQ(executable->steps()[i].pass, schedule.tasks[i].pass);
        EXPECT_EQ(executable->steps()[i].refusal(), "");
    }
}

TEST(ReferenceExecutable, StepsRunInOrderGiveWhatRunGives) {
    const Graph graph = small_network();
    const auto whole = prepared(graph), stepwise = prepared(graph), timed = prepared(graph);
    whole->run();
    for (std::size_t step = 0; step < stepwise->steps().size(); ++step) {
        stepwise->run_step(step);
    }
    std::vector<Seconds> times(timed->steps().size());
    const Seconds total = timed->run_timed(times);
    for (const char* name : {"conv.weight", "norm.scale", "norm.variance", "loss"}) {
        const TensorId tensor = tensor_of(graph, name);
        const HostValues expected = whole->read(tensor, Content::value);
        EXPECT_EQ(stepwise->read(tensor, Content::value), expected) << name;
        EXPECT_EQ(timed->read(tensor, Content::value), expected) << name;
    }
    Seconds sum;
    for (const Seconds time : times) {
        EXPECT_GE(time.value, 0);
        sum += time;
    }
    EXPECT_LE(sum.value, total.value);
}

// Large enough for the convolutions to be shared among threads.
TEST(ReferenceExecutable, TheNumberOfThreadsDoesNotChangeTheResult) {
    const Graph graph = small_network(64);
    Execution one, three;
    one.scheduling.threads = 1;
    three.scheduling.threads = 3;
    const auto alone = prepared(graph, one), together = prepared(graph, three);
    alone->run();
    together->run();
    for (const char* name : {"conv.weight", "left.weight", "norm.variance", "joined", "loss"}) {
        const TensorId tensor = tensor_of(graph, name);
        EXPECT_EQ(alone->read(tensor, Content::value), together->read(tensor, Content::value))
            << name;
    }
}

TEST(ReferenceExecutable, TheUpdateFollowsTheGradientWithMomentum) {
    const Graph graph = one_weight();
    Execution execution;
    execution.numerics.optimizer = SgdMomentum{.learning_rate = 0.5, .momentum = 0.75};
    const auto executable = prepared(graph, execution);
    const TensorId x = tensor_of(graph, "x"), weight = tensor_of(graph, "fc.weight");
    executable->write(x, Content::value, HostValues{2});
    executable->write(weight, Content::value, HostValues{10});
    executable->write(tensor_of(graph, "fc"), Content::gradient, HostValues{3});
    executable->run();
    EXPECT_EQ(executable->read(weight, Content::gradient), HostValues{6});
    EXPECT_EQ(executable->read(weight, Content::value), HostValues{10 - 0.5F * 6});
    executable->run();
    EXPECT_EQ(executable->read(weight, Content::value), HostValues{7 - 0.5F * (0.75F * 6 + 6)});
}

TEST(ReferenceExecutable, GradientsOfSeveralReadersAddUpAndStartAnewEachIteration) {
    GraphBuilder b("two readers");
    const TensorId x = b.input("x", {{1, 1}});
    const TensorId w = b.constant("w", {{1, 1}}, Role::parameter);
    const TensorId y = b.add_with_operands("y", MatMul{}, {x, w});
    b.add("sum", Elementwise{}, {y, y, y});
    const Graph graph = b.finish();
    const auto executable = prepared(graph);
    executable->write(tensor_of(graph, "sum"), Content::gradient, HostValues{2});
    for (int iteration = 0; iteration < 2; ++iteration) {
        executable->run();
        EXPECT_EQ(executable->read(y, Content::gradient), HostValues{6});
    }
}

TEST(ReferenceExecutable, ASharedWeightIsUpdatedOnceByTheSumOfItsGradients) {
    GraphBuilder b("shared weight");
    const TensorId x = b.input("x", {{1, 1}});
    const TensorId w = b.constant("w", {{1, 1}}, Role::parameter);
    const TensorId first = b.add_with_operands("first", MatMul{}, {x, w});
    b.add_with_operands("second", MatMul{}, {first, w});
    const Graph graph = b.finish();
    Execution execution;
    execution.numerics.optimizer = Sgd{.learning_rate = 1};
    const auto executable = prepared(graph, execution);
    executable->write(x, Content::value, HostValues{5});
    executable->write(w, Content::value, HostValues{3});
    executable->write(tensor_of(graph, "second"), Content::gradient, HostValues{1});
    executable->run();
    // y = w w x, so dy/dw = 2 w x = 30.
    EXPECT_EQ(executable->read(w, Content::value), HostValues{3 - 30});
}

TEST(ReferenceExecutable, TrainingLowersTheLoss) {
    const Graph graph = small_network(8);
    const auto executable = prepared(graph);
    const TensorId loss = tensor_of(graph, "loss");
    executable->run();
    const float start = executable->read(loss, Content::value)[0];
    for (int iteration = 0; iteration < 40; ++iteration) {
        executable->run();
    }
    EXPECT_LT(executable->read(loss, Content::value)[0], 0.5F * start);
}

// The whole chain at once: the loss after a small step along a weight against that weight's
// gradient.
TEST(ReferenceExecutable, GradientsOfTheWholeNetworkMatchDifferencesOfItsLoss) {
    const Graph graph = small_network(2);
    Execution execution;
    execution.numerics.optimizer = Sgd{.learning_rate = 0};
    const auto executable = prepared(graph, execution);
    const TensorId loss = tensor_of(graph, "loss");
    const auto loss_with = [&](TensorId weight, HostValues values, std::size_t i, float offset) {
        values[i] += offset;
        executable->write(weight, Content::value, values);
        executable->run();
        return static_cast<double>(executable->read(loss, Content::value)[0]);
    };
    for (const char* name : {"conv.weight", "left.weight", "norm.scale", "scores.weight"}) {
        const TensorId weight = tensor_of(graph, name);
        const HostValues values = executable->read(weight, Content::value);
        executable->run();
        const HostValues gradient = executable->read(weight, Content::gradient);
        const float step = 0x1p-9F;
        for (const std::size_t i : {std::size_t{0}, values.size() / 2, values.size() - 1}) {
            const double difference =
                (loss_with(weight, values, i, step) - loss_with(weight, values, i, -step)) /
                (2 * static_cast<double>(step));
            EXPECT_NEAR(gradient[i], difference, 2e-3) << name << " " << i;
        }
        executable->write(weight, Content::value, values);
    }
}

TEST(ReferenceExecutable, InferenceRunsForwardWithoutGradientsOrDropout) {
    const Graph graph = small_network();
    Execution execution;
    execution.numerics.mode = Mode::inference;
    const auto executable = prepared(graph, execution);
    EXPECT_EQ(executable->steps().size(), graph.layers.size());
    executable->run();
    EXPECT_EQ(executable->read(tensor_of(graph, "drop"), Content::value),
              executable->read(tensor_of(graph, "tanh"), Content::value));
    EXPECT_EQ(executable->read(tensor_of(graph, "norm.mean"), Content::value), HostValues(8, 0.0F));
}

TEST(ReferenceExecutable, StartsWithTheDocumentedValues) {
    const Graph graph = small_network();
    Execution execution;
    execution.numerics.seed = 77;
    const auto executable = prepared(graph, execution);
    for (const char* name : {"data", "conv.weight", "norm.scale"}) {
        const TensorId tensor = tensor_of(graph, name);
        EXPECT_EQ(executable->read(tensor, Content::value), initial_values(graph, tensor, 77));
    }
}

TEST(ReferenceExecutable, AnOpaqueLayerIsRefusedWithItsReasonAndTheRestRuns) {
    Graph graph = one_weight();
    graph.tensors.push_back({"z", {{1, 1}}, Role::activation, std::nullopt});
    graph.layers.push_back({"odd",
                            Opaque{"Odd", "operator Odd is not known"},
                            {tensor_of(graph, "fc")},
                            {graph.tensors.size() - 1}});
    graph.outputs = {graph.tensors.size() - 1};
    const auto executable = prepared(graph);
    const auto refused =
        std::ranges::find_if(executable->steps(), [](const Step& step) { return !step.runs(); });
    ASSERT_NE(refused, executable->steps().end());
    EXPECT_EQ(refused->refusal(), "operator Odd is not known");
    executable->run();
    EXPECT_NE(executable->read(tensor_of(graph, "fc"), Content::value), HostValues{0});
}

TEST(ReferenceExecutable, FourSpatialAxesAreRefusedNotGuessed) {
    GraphBuilder b("four axes");
    b.add("pool", Pooling{.kernel = {1, 1, 1, 2}}, {b.input("x", {{1, 1, 2, 2, 2, 2}})});
    const Graph graph = b.finish();
    EXPECT_EQ(prepared(graph)->steps()[0].refusal(),
              "pooling: more than three spatial axes are not in reference");
}

TEST(ReferenceBackend, SaysWhatItIs) {
    EXPECT_EQ(make_reference_backend()->info().name, "reference");
}

}  // namespace
}  // namespace strata::testing
