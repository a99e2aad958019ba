// SPDX-License-Identifier: MIT
#include "record/kernels.h"

#include "networks/network.h"
#include "tests/trace/scripted_trace.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

class TrackedKernels : public ::testing::Test {
protected:
    Graph graph_ = load_network({.network = "alexnet", .batch = {}, .dims = {}, .variables = {}});
    // Kernels of two layers with the same full name, out of order, and one without a layer.
    Trace trace_{.spans = {called(12, "sgemm<6>", 20, 30), called(11, "sgemm<6>", 10, 20),
                           called(99, "void fill<int>(int*)", 30, 31)},
                 .ranges = {{.id = 1, .task = Task{0, Pass::forward}},
                            {.id = 2, .task = Task{1, Pass::forward}}},
                 .calls = {{11, 1}, {12, 2}}};

    std::vector<TrackedKernel> tracked() const {
        Trace whole = trace_;
        for (TraceRange& range : whole.ranges) {
            range.parent = iteration;
        }
        whole.ranges.push_back({.id = iteration});
        return tracked_kernels(
            trace_result(whole, std::array{iteration}, {}, graph_, "H200").value(), 32);
    }

    static constexpr std::uint64_t iteration = 9;
};

TEST_F(TrackedKernels, AreKeyedByTheirPlaceInTheIteration) {
    const auto kernels = tracked();
    ASSERT_EQ(kernels.size(), 3u);
    EXPECT_EQ(kernels[0].key, (KernelKey{"H200", 32, "sgemm<6>", 1}));
    EXPECT_EQ(kernels[1].key, (KernelKey{"H200", 32, "sgemm<6>", 2}));
    EXPECT_EQ(kernels[0].layer, graph_.layers[0].name);
    EXPECT_EQ(kernels[1].layer, graph_.layers[1].name);
    EXPECT_EQ(kernels[2].name, "fill");
}

TEST_F(TrackedKernels, WithoutALayerHaveNoLayer) {
    EXPECT_TRUE(tracked()[2].layer.empty());
    EXPECT_FALSE(tracked()[2].pass);
}

TEST_F(TrackedKernels, WithoutAPlausibleStartAreLeftOut) {
    trace_.spans[1].start = {};
    EXPECT_EQ(tracked().size(), 2u);
    EXPECT_EQ(tracked()[0].key.invocation, 1);
}

TEST_F(TrackedKernels, NeverShareAKey) {
    KernelSet set{.kernels = tracked()};
    EXPECT_FALSE(repeated_key(set));
    set.kernels.push_back(set.kernels[1]);
    ASSERT_TRUE(repeated_key(set));
    EXPECT_EQ(repeated_key(set)->invocation, 2);
}

}  // namespace
}  // namespace strata
