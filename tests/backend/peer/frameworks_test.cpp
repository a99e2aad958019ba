// SPDX-License-Identifier: MIT
#include "backend/peer/peer.h"
#include "networks/network.h"
#include "tests/backend/networks.h"
#include "tests/backend/verified.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace strata {
namespace {

Graph network(const std::string& name) {
    return load_network({.network = name, .batch = 2, .dims = {}, .variables = {}});
}

Graph problem(const std::string& text) {
    return load_network({.network = text, .batch = {}, .dims = {}, .variables = {}});
}

// Every framework on this machine computes the same as the reference.
class Framework : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        ::setenv("STRATA_BACKEND_PATH", STRATA_MODULES, 0);
        try {
            backend_ = make_peer_backend(GetParam());
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }

    // In the mode, if the framework has it.
    void verify(Graph graph, Mode mode) {
        const Execution execution = testing::kept_execution(mode);
        if (backend_->refusal_of(execution).empty()) {
            graph = mode == Mode::inference ? for_inference(std::move(graph)) : graph;
            EXPECT_EQ(testing::verify_graph(*backend_, graph, execution), "");
        }
    }

    std::unique_ptr<Backend> backend_;
};

TEST_P(Framework, AgreesOnConvolutionalNetworks) {
    for (const Mode mode : {Mode::training, Mode::inference}) {
        verify(testing::residual_network(), mode);
        verify(testing::branching_network(), mode);
    }
}

TEST_P(Framework, AgreesOnARecurrentNetwork) {
    verify(network("lstm:layers=2,embed=8,length=5,vocabulary=16"), Mode::training);
}

TEST_P(Framework, AgreesOnATransformer) {
    verify(network("transformer:layers=1,embed=16,heads=2,inner=32,length=6,vocabulary=32"),
           Mode::training);
}

// Operators that other frameworks refuse or order differently, but PyTorch's library supports.
class PyTorch : public Framework {};

TEST_P(PyTorch, AgreesOnOperatorsWithItsOwnOrder) {
    for (const char* text :
         {"recurrent(5x2x6) cell=gru hidden=4 layers=2 reset_after=true",
          "recurrent(5x2x6) cell=gru hidden=4 direction=bidirectional reset_after=true",
          "transposed_convolution(2x4x5x5) out_channels=6 kernel=3x3 stride=2x2 pad_begin=1x1 "
          "pad_end=1x1 output_pad=1x1",
          "transposed_convolution(2x4x5x5) out_channels=6 kernel=3x3 stride=2x2 pad_begin=0x1 "
          "pad_end=1x0 groups=2",
          "pad(2x3x5x6) begin=0x0x1x2 end=0x1x0x1 value=0.5",
          "pad(2x3x5x6) begin=0x0x1x2 end=0x0x1x1 kind=reflect", "resize(2x3x4x5) sizes=8x10",
          "resize(2x3x4x5) sizes=6x9 interpolation=linear",
          "resize(2x3x4x5) sizes=7x3 interpolation=cubic coordinates=align_corners"}) {
        const Execution execution = testing::kept_execution(Mode::training);
        EXPECT_EQ(testing::verify_graph(*backend_, problem(text), execution), "") << text;
    }
}

// Operators that all frameworks support that get the network as a graph.
class Graphs : public Framework {};

TEST_P(Graphs, AgreeOnGatedCellsAndTransposedConvolutions) {
    for (const char* text :
         {"recurrent(5x2x6) cell=gru hidden=4 layers=2 reset_after=true",
          "recurrent(5x2x6) cell=rnn_tanh hidden=4 final_state=true",
          "transposed_convolution(2x4x5x5) out_channels=6 kernel=3x3 stride=2x2 pad_begin=1x1 "
          "pad_end=1x1 output_pad=1x1",
          "transposed_convolution(2x4x5x5) out_channels=6 kernel=3x3 stride=2x2 pad_begin=0x1 "
          "pad_end=1x0 groups=2"}) {
        const Execution execution = testing::kept_execution(Mode::training);
        EXPECT_EQ(testing::verify_graph(*backend_, problem(text), execution), "") << text;
    }
}

// PyTorch's GRU only resets after its product.
TEST_P(Graphs, AgreeOnACellThatResetsBeforeItsProductOrRefuseIt) {
    const Execution execution = testing::kept_execution(Mode::training);
    const auto refusals = testing::verify_graph(
        *backend_, problem("recurrent(5x2x6) cell=gru hidden=4 layers=2"), execution);
    EXPECT_TRUE(refusals.empty() || refusals.find("resets after its product") != std::string::npos)
        << refusals;
}

TEST_P(Graphs, UpdateByAdam) {
    Execution execution = testing::kept_execution(Mode::training);
    execution.numerics.optimizer = Adam{};
    EXPECT_EQ(testing::verify_graph(*backend_, testing::residual_network(), execution), "");
}

std::string name_of_instance(const ::testing::TestParamInfo<std::string>& peer) {
    return peer.param;
}

INSTANTIATE_TEST_SUITE_P(Peers, Graphs,
                         ::testing::Values("pytorch", "libtorch", "tensorflow", "jax"),
                         name_of_instance);
INSTANTIATE_TEST_SUITE_P(Peers, PyTorch, ::testing::Values("pytorch", "libtorch"),
                         name_of_instance);

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Peer& peer : peers()) {
        all.emplace_back(peer.name);
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Peers, Framework, ::testing::ValuesIn(names()), name_of_instance);

}  // namespace
}  // namespace strata
