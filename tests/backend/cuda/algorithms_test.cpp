// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"

#include "backend/cuda/cudnn/convolution.h"
#include "networks/network.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/host_machine.h"
#include "tests/backend/problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace strata::testing {

namespace {

std::vector<Algorithm> offered(const Graph& graph, const Execution& execution) {
    return cuda::algorithm_source(described_h200(), nullptr)->algorithms(graph, execution);
}

TEST(Algorithms, CudnnOffersPlansForADescribedDevice) {
    const Graph graph = slice(find_zoo_network("alexnet-owt").build(32), "conv2");
    const auto half = offered(graph, {.numerics = {.dtype = DataType::f16}});
    // Lists A, B and FALLBACK of three passes; their length depends on cuDNN's version.
    EXPECT_GT(half.size(), 60U);
    EXPECT_TRUE(std::ranges::any_of(half, [](const Algorithm& algorithm) {
        return algorithm.notes.find("tensor cores") != std::string::npos;
    }));
    for (const Algorithm& algorithm : half) {
        EXPECT_TRUE(std::holds_alternative<Skipped>(algorithm.time) ||
                    std::holds_alternative<Failed>(algorithm.time));
        EXPECT_EQ(algorithm.layout, "f16 nhwc");
    }
}

TEST(Algorithms, FullPrecisionLeavesTensorCoresOut) {
    const Graph graph = slice(find_zoo_network("alexnet-owt").build(32), "conv2");
    const auto is_narrow = [](const Algorithm& algorithm) {
        return algorithm.notes.find("tensor cores") != std::string::npos;
    };
    EXPECT_TRUE(std::ranges::none_of(offered(graph, {}), is_narrow));
    EXPECT_TRUE(std::ranges::any_of(
        offered(graph, {.numerics = {.single_precision = SinglePrecision::tf32}}), is_narrow));
}

TEST(Algorithms, APlanUsesTheRequestedAlgorithm) {
    const cuda::PlanTraits winograd = {.notes = {.winograd = true}};
    const cuda::PlanTraits fourier = {.notes = {.fft = true}};
    const cuda::PlanTraits plain;
    EXPECT_TRUE(is_asked_for(ConvolutionAlgorithm::direct, plain));
    EXPECT_FALSE(is_asked_for(ConvolutionAlgorithm::direct, winograd));
    EXPECT_FALSE(is_asked_for(ConvolutionAlgorithm::direct, fourier));
    EXPECT_TRUE(is_asked_for(ConvolutionAlgorithm::winograd, winograd));
    EXPECT_FALSE(is_asked_for(ConvolutionAlgorithm::winograd, plain));
    EXPECT_TRUE(is_asked_for(ConvolutionAlgorithm::automatic, fourier));
}

TEST(Algorithms, EqualLayersAreListedOnce) {
    const Graph graph = find_zoo_network("vgg-16").build(1);
    std::vector<LayerId> layers;
    for (const Algorithm& algorithm : offered(graph, {.numerics = {.dtype = DataType::f16}})) {
        if (std::ranges::find(layers, algorithm.layer) == layers.end()) {
            layers.push_back(algorithm.layer);
        }
    }
    EXPECT_EQ(layers.size(), 9U);  // nine of thirteen convolutions are distinct
}

// The host computes every plan with the same loops, so they must agree, and be timed.
TEST(Algorithms, PlansAreRunOnAMachine) {
    const Graph graph = graph_of_problem("convolution(1x4x5x5) out_channels=4 kernel=3x3");
    const auto source =
        cuda::algorithm_source(described_h200(), std::make_shared<HostMachine>(described_h200()));
    const auto algorithms = source->algorithms(graph, {});
    ASSERT_FALSE(algorithms.empty());
    for (const Algorithm& algorithm : algorithms) {
        if (const auto* samples = std::get_if<Samples>(&algorithm.time)) {
            EXPECT_EQ(samples->values.size(), 10U);
            EXPECT_EQ(algorithm.error, 0.0);
        }
    }
}

// cuDNN accepts every description, whether or not a device still computes it.
TEST(Algorithms, TheAlgorithmsOfTheLiteratureAreListedWithThePlansOnAMachine) {
    const auto source =
        cuda::algorithm_source(described_h200(), std::make_shared<HostMachine>(described_h200()));
    for (const char* problem :
         {"convolution(1x4x5x5) out_channels=4 kernel=3x3 pad_begin=1x1 pad_end=1x1",
          "convolution(2x4x9) out_channels=6 kernel=3 groups=2"}) {
        const auto algorithms = source->algorithms(graph_of_problem(problem), {});
        std::map<Pass, std::vector<std::string>> names;
        for (const Algorithm& algorithm : algorithms) {
            if (algorithm.implementation.starts_with("cudnn legacy:")) {
                names[algorithm.pass].push_back(algorithm.implementation);
                EXPECT_TRUE(std::holds_alternative<Samples>(algorithm.time)) << problem;
                EXPECT_EQ(algorithm.error, 0.0) << problem << " " << algorithm.implementation;
            }
        }
        EXPECT_EQ(names[Pass::forward].size(), 8U);
        EXPECT_EQ(names[Pass::backward_data].size(), 6U);
        EXPECT_EQ(names[Pass::backward_weights].size(), 7U);
        EXPECT_EQ(names[Pass::forward][6], "cudnn legacy:WINOGRAD");
    }
}

// A machine on which everything ends in one trouble.
class TroubledMachine : public HostMachine {
public:
    explicit TroubledMachine(cuda::DeviceTrouble trouble)
        : HostMachine(described_h200()), trouble_(trouble) {}
    void enqueue(const cuda::Call&, std::span<void* const>) override {
        throw cuda::DeviceError(trouble_, "no room for scratch memory");
    }

private:
    cuda::DeviceTrouble trouble_;
};

TEST(Algorithms, AWayWithoutMemoryIsSkippedAndALostDeviceEndsAll) {
    const Graph graph = graph_of_problem("convolution(1x4x5x5) out_channels=4 kernel=3x3");
    const auto full = cuda::algorithm_source(
        described_h200(), std::make_shared<TroubledMachine>(cuda::DeviceTrouble::out_of_memory));
    int legacy = 0;
    for (const Algorithm& algorithm : full->algorithms(graph, {})) {
        legacy += algorithm.implementation.starts_with("cudnn legacy:") ? 1 : 0;
        if (const auto* skipped = std::get_if<Skipped>(&algorithm.time)) {
            EXPECT_EQ(skipped->reason, "no room for scratch memory");
        } else {
            EXPECT_TRUE(std::holds_alternative<Failed>(algorithm.time));  // cuDNN cannot build it
        }
    }
    EXPECT_EQ(legacy, 8 + 6 + 7);
    const auto lost = cuda::algorithm_source(
        described_h200(), std::make_shared<TroubledMachine>(cuda::DeviceTrouble::device_lost));
    EXPECT_THROW(lost->algorithms(graph, {}), cuda::DeviceError);
}

TEST(Algorithms, AProblemTheOlderInterfaceCannotExpressIsAResultWithItsReason) {
    const Graph graph = graph_of_problem(
        "convolution(1x4x5x5) out_channels=4 kernel=2x2 pad_begin=0x0 pad_end=1x1");
    const auto source =
        cuda::algorithm_source(described_h200(), std::make_shared<HostMachine>(described_h200()));
    for (const Algorithm& algorithm : source->algorithms(graph, {})) {
        if (algorithm.implementation.starts_with("cudnn legacy:")) {
            EXPECT_NE(std::get<Failed>(algorithm.time).reason.find("pads alike"),
                      std::string::npos);
        }
    }
}

}  // namespace

}  // namespace strata::testing
