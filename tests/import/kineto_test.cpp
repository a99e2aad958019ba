// SPDX-License-Identifier: MIT
// Traces of PyTorch on a GPU and of TorchScript, written by hand in the layout of Kineto's own
// files: the tests need no GPU.
#include "import/formats.h"
#include "import/iterations.h"
#include "import/run.h"

#include "tests/support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace strata {
namespace {

class KinetoTraces : public ::testing::Test {
protected:
    // Events of one thread, in microseconds.
    void host(const char* category, const std::string& name, int start, int duration,
              const std::string& arguments = "") {
        event(category, name, process_, "1", start, duration, arguments);
    }
    void kernel(const std::string& name, int start, int duration, int correlation, int stream = 7) {
        event("kernel", name, "0", std::to_string(stream), start, duration,
              fmt::format(R"("device":0,"stream":{},"correlation":{},"grid":[64,1,1],)"
                          R"("block":[256,1,1],"registers per thread":32,"shared memory":1024)",
                          stream, correlation));
    }
    void launch(int start, int correlation) {
        host("cuda_runtime", "cudaLaunchKernel", start, 1,
             fmt::format(R"("correlation":{})", correlation));
    }

    RecordedProfile read() const {
        const auto file = directory_.path() / "trace.json";
        std::ofstream(file) << R"({"schemaVersion":1,"traceEvents":[)" << events_ << "]}";
        ByteSource source(file);
        return format_for(file, "").read(source);
    }

private:
    void event(const std::string& category, const std::string& name, const std::string& process,
               const std::string& thread, int start, int duration, const std::string& arguments) {
        events_ += fmt::format(
            R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
            events_.empty() ? "" : ",", category, name, process, thread, start, duration,
            arguments);
    }

    TemporaryDirectory directory_;
    std::string events_;

protected:
    std::string process_ = "1";  // of the host's events
};

std::string_view text_of(const RecordedProfile& profile, TextId id) {
    return profile.texts[id];
}

// As in the joined traces of two ranks: both number their calls from the same value.
TEST_F(KinetoTraces, AnOperatorAfterOneThatARangeOutlastsIsNotPartOfIt) {
    host("cpu_op", "aten::first", 0, 100);
    host("user_annotation", "waits", 50, 200);
    host("cpu_op", "aten::second", 120, 30);
    const RecordedProfile profile = read();
    ASSERT_EQ(profile.operators.size(), 2u);
    EXPECT_EQ(text_of(profile, profile.operators[1].name), "aten::second");
    EXPECT_EQ(profile.operators[1].time, Nanoseconds(30'000));
}

TEST_F(KinetoTraces, TheBusiestOfSeveralProcessesIsImportedWithItsKernels) {
    for (const int rank : {1, 2}) {
        process_ = std::to_string(rank);
        host("cpu_op", "aten::relu", 1000 * rank, 10 * rank);
        launch(1000 * rank + 4, 501);
        kernel("relu", 1000 * rank + 100, 7 * rank, 501);
    }
    const RecordedProfile profile = read();
    ASSERT_EQ(profile.operators.size(), 1u);
    EXPECT_EQ(profile.operators[0].start, Nanoseconds(2'000'000));
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(14'000));
    EXPECT_EQ(profile.spans.size(), 1u);
    ASSERT_EQ(profile.doubts.size(), 1u);
    EXPECT_EQ(
        profile.doubts[0],
        "2 processes have operators: only those of process 2 are imported, which took the most "
        "time");
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::other_process), 2u);  // operator and kernel
}

TEST_F(KinetoTraces, AKernelBelongsToTheOutermostOperatorAroundItsLaunch) {
    host("cpu_op", "aten::conv2d", 10, 20);
    host("cpu_op", "aten::cudnn_convolution", 12, 10);
    launch(14, 501);
    launch(16, 502);
    host("cpu_op", "aten::relu", 40, 10);
    launch(44, 503);
    kernel("gemm", 100, 50, 501);
    kernel("bias", 150, 5, 502);
    kernel("relu", 160, 7, 503, 8);
    const RecordedProfile profile = read();
    ASSERT_EQ(profile.operators.size(), 2u);
    EXPECT_EQ(text_of(profile, profile.operators[0].name), "aten::conv2d");
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(55'000));  // of its kernels
    EXPECT_EQ(profile.operators[1].time, Nanoseconds(7'000));
    ASSERT_EQ(profile.spans.size(), 3u);
    EXPECT_EQ(profile.spans[2].span.stream, 8u);
    EXPECT_EQ(profile.spans[2].launched_by, 1u);
    ASSERT_TRUE(profile.spans[0].span.launch);
    EXPECT_EQ(profile.spans[0].span.launch->block, (LaunchExtent{256, 1, 1}));
    EXPECT_EQ(profile.spans[0].span.launch->registers, 32u);
}

TEST_F(KinetoTraces, AKernelLaunchedInARangeWithoutAnOperatorBelongsToTheRange) {
    host("user_annotation", "layer1.conv", 10, 20);
    launch(14, 501);
    kernel("triton_fused", 100, 50, 501);
    kernel("of nobody", 200, 9, 999);
    const RecordedProfile profile = read();
    ASSERT_EQ(profile.operators.size(), 2u);
    EXPECT_EQ(text_of(profile, profile.operators[0].scope), "layer1.conv");
    EXPECT_TRUE(profile.spans[0].has_call);
    EXPECT_EQ(text_of(profile, profile.operators[1].scope), "");
    EXPECT_FALSE(profile.spans[1].has_call);
}

TEST_F(KinetoTraces, ProfilerStepsAreIterationsByTheLaunchesAndNotByTheKernels) {
    for (int step = 0; step < 2; ++step) {
        host("user_annotation", fmt::format("ProfilerStep#{}", step), step * 100 + 1, 90);
        host("user_annotation", "conv1", step * 100 + 10, 20);
        launch(step * 100 + 12, 10 + step);
        kernel("gemm", step * 100 + 150, 30, 10 + step);  // after the host's step has ended
    }
    const RecordedProfile profile = read();
    const RecordedIterations iterations = iterations_in(profile, {});
    EXPECT_EQ(iterations.count, 2u);
    EXPECT_EQ(iterations.how, "marked by the tool");
    EXPECT_EQ(iterations.of_operator, (std::vector<std::optional<std::size_t>>{0, 1}));
    EXPECT_EQ(iterations.outside, Nanoseconds::zero());
}

TEST_F(KinetoTraces, PythonModulesNestByTheirClassesAndNumbers) {
    host("python_function", "train.py(12): forward", 5, 100);
    host("python_function", "nn.Module: Net_0", 10, 90);
    host("python_function", "nn.Module: Conv2d_3", 20, 30);
    host("cpu_op", "aten::conv2d", 22, 20);
    const RecordedProfile profile = read();
    ASSERT_EQ(profile.operators.size(), 1u);
    EXPECT_EQ(text_of(profile, profile.operators[0].scope), "Net_0/Conv2d_3");
}

// As written by PyTorch 2.11 for torch.jit.script(net) with with_modules=True.
TEST_F(KinetoTraces, TorchScriptsModuleHierarchyIsThePathOfTheModule) {
    host("cpu_op", "forward", 20, 60, R"("Module Hierarchy":"TOP(Net)::forward.")");
    host("cpu_op", "aten::conv2d", 22, 20,
         R"("Module Hierarchy":"TOP(Net)::forward.blocks(Sequential)::forward.0(Block)::forward.)"
         R"(conv(Conv2d)::forward.SELF(Conv2d)::_conv_forward.")");
    host("cpu_op", "aten::relu", 50, 5,
         R"("Module Hierarchy":"TOP(Net)::forward.relu(ReLU)::forward.::relu.")");
    host("cpu_op", "aten::mean", 60, 5, R"("Module Hierarchy":"TOP(Net)::forward.")");
    const RecordedProfile profile = read();
    ASSERT_EQ(profile.operators.size(), 3u);
    EXPECT_EQ(text_of(profile, profile.operators[0].scope), "blocks.0.conv");
    EXPECT_EQ(text_of(profile, profile.operators[1].scope), "relu");
    EXPECT_EQ(text_of(profile, profile.operators[2].scope), "");
}

TEST_F(KinetoTraces, CopiesHaveTheirBytes) {
    host("cpu_op", "aten::copy_", 10, 20);
    host("cuda_runtime", "cudaMemcpyAsync", 12, 1, R"("correlation":3)");
    host("gpu_memcpy", "Memcpy HtoD", 100, 4, R"("correlation":3,"bytes":4096,"stream":7)");
    const RecordedProfile profile = read();
    ASSERT_EQ(profile.spans.size(), 1u);
    EXPECT_EQ(profile.spans[0].span.kind, SpanKind::copy);
    EXPECT_EQ(profile.spans[0].span.bytes, Bytes(4096));
}

}  // namespace
}  // namespace strata
