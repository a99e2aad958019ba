// SPDX-License-Identifier: MIT
#include "networks/network.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

NetworkRequest on(std::string network) {
    NetworkRequest request;
    request.network = std::move(network);
    return request;
}

std::string varied(std::string network, const std::string& name, std::int64_t value) {
    return with_parameter(on(std::move(network)), name, value).network;
}

TEST(Parameter, TheBatchOfAnyNetworkCanBeVaried) {
    EXPECT_EQ(with_parameter(on("alexnet"), "batch", 8).batch, 8);
    EXPECT_EQ(with_parameter(on("alexnet"), "batch", 8).network, "alexnet");
}

TEST(Parameter, AGeneratorsOwnTakesItsPlaceOrIsAdded) {
    EXPECT_EQ(varied("lstm:hidden=64,layers=2", "hidden", 128), "lstm:hidden=128,layers=2");
    EXPECT_EQ(varied("lstm:layers=2", "hidden", 128), "lstm:layers=2,hidden=128");
    EXPECT_EQ(varied("lstm", "hidden", 128), "lstm:hidden=128");
    EXPECT_EQ(varied("fc:", "nodes", 128), "fc:nodes=128");
    EXPECT_EQ(varied("fc:nodes=8,nodes_out=2", "nodes", 16), "fc:nodes=16,nodes_out=2");
}

TEST(Parameter, AnOperatorsAttributeIsVariedInItsLine) {
    EXPECT_EQ(varied("fully_connected(8x64) out_features=10", "out_features", 20),
              "fully_connected(8x64) out_features=20");
    EXPECT_EQ(varied("convolution(1x3x9x9) kernel=3x3", "out_channels", 4),
              "convolution(1x3x9x9) kernel=3x3 out_channels=4");
    const auto request =
        with_parameter(on("fully_connected(8x64) out_features=10"), "out_features", 20);
    EXPECT_EQ(load_network(request).tensors.back().tensor.dims.back(), 20);
}

TEST(Parameter, AFilesDimensionsAndVariablesAreGivenTheirValues) {
    EXPECT_EQ(with_parameter(on("m.onnx"), "sequence", 7).dims.at("sequence"), 7);
    EXPECT_EQ(with_parameter(on("m.dnntemplate"), "N", 7).variables.at("N"), "7");
}

TEST(Parameter, ANetworkWithoutParametersIsRefused) {
    for (const char* network : {"alexnet", "mine.graph", "conv:n1c3h9k4r3"}) {
        try {
            varied(network, "hidden", 1);
            ADD_FAILURE() << network << " was accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
        }
    }
}

}  // namespace
}  // namespace strata
