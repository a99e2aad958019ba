// SPDX-License-Identifier: MIT
#include "backend/peer/peer.h"
#include "networks/network.h"
#include "tests/backend/networks.h"
#include "tests/backend/verified.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Graph network(const std::string& name) {
    return load_network({.network = name, .batch = 2, .dims = {}, .variables = {}});
}

// Every framework that this machine has computes what the reference computes.
class Framework : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
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

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Peer& peer : peers()) {
        all.emplace_back(peer.name);
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Peers, Framework, ::testing::ValuesIn(names()),
                         [](const ::testing::TestParamInfo<std::string>& peer) {
                             return peer.param;
                         });

}  // namespace
}  // namespace strata
