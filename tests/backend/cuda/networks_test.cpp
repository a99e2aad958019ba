// SPDX-License-Identifier: MIT
#include "tests/backend/networks.h"

#include "backend/reference/reference.h"
#include "networks/network.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/verified.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata::testing {

namespace {

std::string verify_network(const Graph& graph, const Execution& execution) {
    return without_combined(verify_graph(*emulated_backend(), graph, execution));
}

TEST(Networks, ShortcutsAndBranchesTrainInEveryLayoutAndType) {
    for (const Graph& graph : {residual_network(), branching_network()}) {
        for (const ImageLayout layout : {ImageLayout::channels_first, ImageLayout::channels_last}) {
            for (const DataType dtype : {DataType::f32, DataType::bf16, DataType::f16}) {
                Execution execution = kept_execution(Mode::training, dtype);
                execution.engine.image_layout = layout;
                EXPECT_EQ(verify_network(graph, execution), "");
            }
        }
    }
}

TEST(Networks, InferWithoutALoss) {
    const Graph graph = for_inference(branching_network());
    EXPECT_EQ(verify_network(graph, kept_execution(Mode::inference, DataType::f16)), "");
}

TEST(Networks, GeneratedOnesTrain) {
    for (const char* network : {"transformer:layers=1,embed=16,heads=2,length=6,vocabulary=20",
                                "lstm:layers=1,embed=8,length=3,vocabulary=12"}) {
        EXPECT_EQ(verify_network(load_network({network, 2, {}, {}}), kept_execution()), "");
    }
}

TEST(Networks, AdamFollowsTheReference) {
    Execution execution = kept_execution();
    execution.numerics.optimizer = find_optimizer("adam");
    EXPECT_EQ(verify_network(branching_network(), execution), "");
}

// The loss after a few iterations with shared memory, in which kept gradients are overwritten.
float loss_after(Backend& backend, const Graph& graph, Execution execution, int iterations) {
    execution.scheduling.memory = MemoryReuse::shared;
    const auto executable = backend.prepare(graph, execution);
    for (int i = 0; i < iterations; ++i) {
        executable->run();
    }
    return executable->read(graph.outputs.front(), Content::value).front();
}

TEST(Networks, LearnLikeTheReferenceWithSharedMemory) {
    for (const char* optimizer : {"momentum", "sgd", "adam"}) {
        Execution execution = kept_execution();
        execution.numerics.optimizer = find_optimizer(optimizer);
        const Graph graph = residual_network();
        const float ours = loss_after(*emulated_backend(), graph, execution, 4);
        const float wanted = loss_after(*make_reference_backend(), graph, execution, 4);
        EXPECT_NEAR(ours, wanted, 1e-3F * std::abs(wanted)) << optimizer;
    }
}

TEST(Networks, StepsInTurnGiveTheSameAsARun) {
    const Graph graph = branching_network();
    const auto whole = emulated_backend()->prepare(graph, kept_execution());
    const auto stepped = emulated_backend()->prepare(graph, kept_execution());
    whole->run();
    for (std::size_t step = 0; step < stepped->steps().size(); ++step) {
        stepped->run_step(step);
    }
    const TensorId output = graph.outputs.front();
    EXPECT_EQ(whole->read(output, Content::value), stepped->read(output, Content::value));
}

TEST(Networks, WrittenInputsAreRead) {
    const Graph graph = branching_network();
    const auto executable = emulated_backend()->prepare(graph, kept_execution());
    const TensorId input = graph.inputs.front();
    HostValues values = executable->read(input, Content::value);
    values.front() += 1;
    executable->write(input, Content::value, values);
    EXPECT_EQ(executable->read(input, Content::value), values);
}

}  // namespace

}  // namespace strata::testing
