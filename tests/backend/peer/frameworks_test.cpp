// SPDX-License-Identifier: MIT
#include "backend/peer/peer.h"
#include "networks/network.h"
#include "tests/backend/networks.h"
#include "tests/backend/verified.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

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

    // In the mode and type, if the framework has them.
    void verify(Graph graph, Mode mode, DataType dtype = DataType::f32) {
        const Execution execution = testing::kept_execution(mode, dtype);
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

TEST_P(Framework, AgreesInSixteenBits) {
    for (const Mode mode : {Mode::training, Mode::inference}) {
        verify(testing::residual_network(), mode, DataType::bf16);
        verify(network("transformer:layers=1,embed=16,heads=2,inner=32,length=6,vocabulary=32"),
               mode, DataType::bf16);
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

// Its results are zeros, in each iteration, and the other layers are timed.
TEST_P(Graphs, AreMeasuredWithoutALayerThatIsLeftOut) {
    const Graph graph = testing::residual_network();
    Execution execution = testing::kept_execution();
    execution.scheduling.memory = MemoryReuse::shared;
    execution.scheduling.omissions = {{graph.layers[2].name, Pass::forward, "it crashed"}};
    const auto executable = backend_->prepare(graph, execution);
    std::vector<Seconds> times(executable->steps().size());
    for (int iteration = 0; iteration < 3; ++iteration) {
        executable->run();
        executable->run_timed(times);
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_EQ(times[i] > Seconds{}, executable->steps()[i].runs()) << i;
    }
    EXPECT_EQ(executable->steps()[2].refusal(), "it crashed");
}

TEST_P(Graphs, UpdateByAdam) {
    Execution execution = testing::kept_execution(Mode::training);
    execution.numerics.optimizer = Adam{};
    EXPECT_EQ(testing::verify_graph(*backend_, testing::residual_network(), execution), "");
}

// PyTorch on a GPU that fake_cuda.py plays on the processors.
class PyTorchOnAGpu : public ::testing::Test {
protected:
    void SetUp() override {
        const auto python = peers_python();
        if (!python || std::system((python->string() + " -c 'import torch' 2>/dev/null").c_str())) {
            GTEST_SKIP() << "there is no PyTorch";
        }
        interpreter_ = folder_.write(
            "python", "#!/bin/sh\nexec '" + python->string() + "' '" STRATA_FAKE_CUDA "' \"$@\"\n");
        std::filesystem::permissions(interpreter_, std::filesystem::perms::owner_all);
    }
    void TearDown() override { ::unsetenv("STRATA_SCRIPT"); }

    std::unique_ptr<Backend> backend() {
        return make_peer_backend({.name = "pytorch", .framework = "PyTorch", .package = "torch"},
                                 interpreter_, {}, {}, options_for_gpu());
    }

    static Execution execution_of(Mode mode, DataType dtype) {
        Execution execution = testing::kept_execution(mode, dtype);
        execution.engine.peer_options = options_for_gpu();
        return execution;
    }

    std::string refusal_to_start(const char* script) {
        ::setenv("STRATA_SCRIPT", script, 1);
        try {
            backend();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::machine_cannot);
            return error.what();
        }
        return {};
    }

    TemporaryDirectory folder_;
    std::filesystem::path interpreter_;
};

TEST_F(PyTorchOnAGpu, SaysWhichGpu) {
    const BackendInfo info = backend()->info();
    EXPECT_EQ(info.device_model, "Played GPU");
    EXPECT_EQ(info.device_memory, Bytes{4.0 * (1 << 30)});
    EXPECT_EQ(info.free_device_memory, Bytes{3.0 * (1 << 30)});
    EXPECT_EQ(info.details, "Played GPU, sm_90, CUDA 13.0, cuDNN 9.19.0");
}

TEST_F(PyTorchOnAGpu, WithoutOneSaysWhatIsMissing) {
    const std::string no_gpu = refusal_to_start("no_gpu");
    EXPECT_TRUE(
        no_gpu.starts_with("PyTorch cannot compute on a GPU here: it finds no GPU "
                           "(RuntimeError: Found no NVIDIA driver on your system."))
        << no_gpu;
    const std::string no_cuda = refusal_to_start("no_cuda");
    EXPECT_NE(no_cuda.find("was built without CUDA: install one with it"), std::string::npos)
        << no_cuda;
}

TEST_F(PyTorchOnAGpu, AgreesInEachElementType) {
    const auto peer = backend();
    for (const DataType dtype : {DataType::f32, DataType::bf16}) {
        for (const Mode mode : {Mode::training, Mode::inference}) {
            const Execution execution = execution_of(mode, dtype);
            EXPECT_EQ(peer->refusal_of(execution), "");
            for (Graph graph : {testing::residual_network(),
                                network("transformer:layers=1,embed=16,heads=2,inner=32,length=6,"
                                        "vocabulary=32")}) {
                graph = mode == Mode::inference ? for_inference(std::move(graph)) : graph;
                EXPECT_EQ(testing::verify_graph(*peer, graph, execution), "");
            }
        }
    }
}

TEST_F(PyTorchOnAGpu, TimesItsStepsByEvents) {
    const auto peer = backend();
    Execution execution = execution_of(Mode::training, DataType::bf16);
    execution.scheduling.memory = MemoryReuse::shared;
    const auto executable = peer->prepare(testing::residual_network(), execution);
    std::vector<Seconds> times(executable->steps().size());
    for (int iteration = 0; iteration < 3; ++iteration) {
        EXPECT_GT(executable->run(), Seconds{});
        Seconds sum;
        const Seconds total = executable->run_timed(times);
        for (std::size_t i = 0; i < times.size(); ++i) {
            EXPECT_EQ(times[i] > Seconds{}, executable->steps()[i].runs()) << i;
            sum += times[i];
        }
        EXPECT_NEAR(sum / total, 1, 1e-9);
    }
    EXPECT_GT(executable->time_empty_step().value_or(Seconds{}), Seconds{});
    EXPECT_EQ(executable->device_memory(), Bytes{5 << 20});
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
