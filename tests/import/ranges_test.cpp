// SPDX-License-Identifier: MIT A block like those of language models, with a range for each module,
// matched with its network.
#include "import/layers.h"
#include "import/run.h"

#include "networks/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace strata {
namespace {

constexpr std::string_view block = R"(graph block
input x f32 4x64
layers.0.n1.abs = unary(x) kind=absolute
layers.0.n1.mean = reduction(layers.0.n1.abs) kind=mean axes=1
layers.0.n1.add = elementwise(layers.0.n1.mean, layers.0.n1.mean) kind=add
layers.0.n1.mul = elementwise(x, layers.0.n1.add) kind=multiply
layers.0.n1.mul_1 = elementwise(layers.0.n1.mul, x) kind=multiply
layers.0.fc = fully_connected(layers.0.n1.mul_1) out_features=64
layers.0.add = elementwise(x, layers.0.fc) kind=add
layers.0.n2.abs = unary(layers.0.add) kind=absolute
layers.0.n2.mean = reduction(layers.0.n2.abs) kind=mean axes=1
layers.0.n2.add = elementwise(layers.0.n2.mean, layers.0.n2.mean) kind=add
layers.0.n2.mul = elementwise(layers.0.add, layers.0.n2.add) kind=multiply
layers.0.n2.mul_1 = elementwise(layers.0.n2.mul, layers.0.add) kind=multiply
)";

class RecordedBlock : public ::testing::Test {
protected:
    void run(const std::string& name, const std::string& scope, const std::string& shape,
             int time) {
        recording_.operators.push_back({.name = recording_.texts.id_of(name),
                                        .scope = recording_.texts.id_of(scope),
                                        .shape = recording_.texts.id_of(shape),
                                        .start = now_,
                                        .time = Nanoseconds(time)});
        now_ += Nanoseconds(time);
    }

    void run_norm(const std::string& scope, int time) {
        run("aten::abs", scope, "4x64", time);
        run("aten::mean", scope, "4x64", time + 1);
        run("aten::add", scope, "4x1", time + 2);
        run("aten::rsqrt", scope, "4x1", time + 3);  // for which the network has no layer
        run("aten::mul", scope, "4x64 4x1", time + 4);
        run("aten::mul", scope, "64 4x64", time + 5);
    }

    // Nanoseconds by layer.
    std::map<std::string, double> times() const {
        const NetworkSteps network{.graph = parse_graph(block, "block")};
        std::map<std::string, double> all;
        for (const StepResult& step :
             imported_run(recording_, {.iterations = 1}, &network).run.steps) {
            all[step.layer] += std::get<Samples>(step.time).values.at(0).value * 1e9;
        }
        for (auto& [layer, time] : all) {
            time = std::round(time);
        }
        return all;
    }

    RecordedProfile recording_ = {};
    Nanoseconds now_ = Nanoseconds(1);
};

TEST_F(RecordedBlock, EachLayerHasTheTimeOfItsOperatorWithinItsModulesRange) {
    run_norm("layers.0.n1", 100);
    run("aten::linear", "layers.0.fc", "4x64 64x64", 1000);
    run("aten::add", "", "4x64 4x64", 72'000);  // in no module's range
    run_norm("layers.0.n2", 200);
    const auto all = times();
    EXPECT_EQ(all.at("layers.0.n1.add"), 102);
    EXPECT_EQ(all.at("layers.0.n2.add"), 202);
    EXPECT_EQ(all.at("layers.0.add"), 72'000);
    EXPECT_EQ(all.at("layers.0.n1.mul"), 104);
    EXPECT_EQ(all.at("layers.0.n2.mul_1"), 205);
    EXPECT_EQ(all.at("layers.0.fc"), 1000);
    EXPECT_EQ(all.at("unattributed: layers.0.n1/aten::rsqrt"), 103);
}

TEST_F(RecordedBlock, WorkOutsideALayersRangeIsNotTheLayers) {
    run_norm("layers.0.n1", 100);
    run("aten::add", "", "4x1 4x1", 5000);  // as large as those of the modules
    run("aten::add", "layers.0.n2", "4x64 4x64", 202);
    const auto all = times();
    EXPECT_EQ(all.at("layers.0.n2.add"), 202);
    EXPECT_EQ(all.at("layers.0.n1.add"), 102);
    EXPECT_EQ(all.at("layers.0.add"), 5000);  // the only addition outside all ranges
}

TEST_F(RecordedBlock, ARangeWithOneLayerIsTheLayerWithAllItsWork) {
    run("aten::linear", "Net/layers.0.fc", "4x64 64x64", 1000);
    run("aten::add", "Net/layers.0.fc", "4x64 64", 10);
    EXPECT_EQ(times(), (std::map<std::string, double>{{"layers.0.fc", 1010}}));
}

TEST_F(RecordedBlock, ARangeAroundTheBlockBoundsWorkOutsideItsInnerRanges) {
    run("aten::add", "layers.0", "4x64 4x64", 300);
    run_norm("layers.0/layers.0.n2", 200);
    run("aten::add", "", "4x64 4x64", 7);
    const auto all = times();
    EXPECT_EQ(all.at("layers.0.add"), 300);
    EXPECT_EQ(all.at("layers.0.n2.add"), 202);
    EXPECT_EQ(all.at("unattributed: aten::add"), 7);
}

TEST_F(RecordedBlock, EquallyManyKernelsInAModulesRangeAreItsLayersInOrder) {
    for (int i = 0; i < 5; ++i) {
        run("void kernel<" + std::to_string(i) + ">()", "layers.0.n2", "", 10 + i);
    }
    run("void kernel<7>()", "layers.0.n1", "", 5);
    EXPECT_EQ(times(),
              (std::map<std::string, double>{{"layers.0.n2.abs", 10},
                                             {"layers.0.n2.mean", 11},
                                             {"layers.0.n2.add", 12},
                                             {"layers.0.n2.mul", 13},
                                             {"layers.0.n2.mul_1", 14},
                                             {"unattributed: layers.0.n1/void kernel<7>()", 5}}));
}

TEST_F(RecordedBlock, WorkBetweenTwoRangesIsALayerBetweenTheirLayers) {
    run("aten::add", "", "4x64 4x64", 9);  // before everything else
    run_norm("layers.0.n1", 100);
    run("aten::linear", "layers.0.fc", "4x64 64x64", 1000);
    run("aten::add", "", "4x64 4x64", 300);
    run_norm("layers.0.n2", 200);
    const auto all = times();
    EXPECT_EQ(all.at("layers.0.add"), 300);
    EXPECT_EQ(all.at("unattributed: aten::add"), 9);
}

TEST(RecordedRanges, TheSecondCallOfAModuleBelongsToTheModulesRange) {
    const Graph graph = parse_graph(
        "graph twice\ninput x f32 4x64\nrelu = activation(x)\nfc = fully_connected(relu) "
        "out_features=64\nrelu_2 = activation(fc)\n",
        "twice");
    const RecordedRanges ranges(graph, {"relu", "fc"});
    EXPECT_EQ(ranges.bound_of(2), "relu");
    EXPECT_FALSE(ranges.only_layer_of("relu"));
    EXPECT_EQ(ranges.only_layer_of("fc"), 1u);
    EXPECT_EQ(ranges.module_of("Net/relu"), "relu");
    EXPECT_EQ(ranges.module_of("forward"), "");
}

}  // namespace
}  // namespace strata
