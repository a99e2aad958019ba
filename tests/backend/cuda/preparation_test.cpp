// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"
#include "networks/network.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/problems.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata::testing {

namespace {

using cuda::Call;
using cuda::Geometry;
using cuda::Kernel;
using cuda::Program;

// Checks that the device supports such a launch.
void expect_launchable(const Kernel& kernel) {
    const cuda::DeviceProperties device = described_h200();
    const Geometry& geometry = kernel.geometry;
    EXPECT_GE(geometry.blocks, 1) << kernel.name;
    EXPECT_LE(geometry.blocks, device.max_grid[0]) << kernel.name;
    EXPECT_LE(geometry.threads_x * geometry.threads_y, device.max_threads_per_block) << kernel.name;
    EXPECT_EQ(geometry.threads_x * geometry.threads_y % device.warp_size, 0) << kernel.name;
}

void expect_complete(const Graph& graph, const Program& program) {
    for (const cuda::Program::PlannedStep& planned : program.steps) {
        const Step& step = planned.step;
        EXPECT_EQ(step.within() ? std::string() : step.refusal(), "")
            << graph.layers[step.layer].name << " " << name_of(step.pass);
        EXPECT_LT(step.workspace.value, 8e9) << step.implementation;
        EXPECT_EQ(step.runs() && planned.calls.empty(),
                  step.implementation_kind == ImplementationKind::alias)
            << graph.layers[step.layer].name << " " << name_of(step.pass);
        for (const Call& call : planned.calls) {
            if (const auto* kernel = std::get_if<Kernel>(&call.function)) {
                expect_launchable(*kernel);
            }
        }
    }
}

// Each of these lowers some layers differently (plans_test.cpp: all types on all chips).
std::vector<Execution> executions() {
    return {{.numerics = {.dtype = DataType::bf16}},
            {.numerics = {.mode = Mode::inference, .dtype = DataType::f32},
             .engine = {.fusion = Fusion::convolution}},
            {.numerics = {.dtype = DataType::bf16}, .engine = {.fusion = Fusion::convolution}},
            {.numerics = {.dtype = DataType::f32},
             .engine = {.image_layout = ImageLayout::channels_last}}};
}

class Preparation : public ::testing::TestWithParam<std::string> {};

// Everything but memory and launch, on a GPU that need not be present.
TEST_P(Preparation, EveryLayerAndPassHasItsStepsAndLaunches) {
    const Graph trained = find_zoo_network(GetParam()).build(2);
    for (const Execution& execution : executions()) {
        const bool trains = execution.numerics.mode == Mode::training;
        const Graph graph = trains ? trained : for_inference(trained);
        const Program program = cuda::prepare_program(graph, execution, described_h200());
        expect_complete(graph, program);
    }
}

std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const ZooNetwork& network : zoo()) {
        names.emplace_back(network.name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(Zoo, Preparation, ::testing::ValuesIn(names()), name_of_case);

}  // namespace

}  // namespace strata::testing
