// SPDX-License-Identifier: MIT
#include "analyze/modelled_figure.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

SimulatedStep step(const std::string& layer, Pass pass, double seconds, double l2_hits,
                   double dram_reads) {
    KernelSimulation kernel{.name = "k", .time = Seconds{seconds}};
    kernel.instructions.multiply_adds = 60 * seconds;
    kernel.instructions.global_loads = 40 * seconds;
    kernel.traffic.l2.sectors = {.reads = 100, .read_hits = l2_hits};
    kernel.traffic.dram_reads = dram_reads;
    kernel.stalls.shares[static_cast<std::size_t>(Stall::selected)] = 0.5;
    kernel.stalls.shares[static_cast<std::size_t>(Stall::long_scoreboard)] = 0.3;
    kernel.stalls.shares[static_cast<std::size_t>(Stall::wait)] = 0.2;
    return {.layer = layer, .pass = pass, .kernels = {kernel}};
}

ModelledFigure figure_of(FigureMeasure measure, std::vector<double> published) {
    return {.layers = {"a", "b"},
            .panels = {{.name = "p", .measure = measure, .batch = 4, .published = published}}};
}

const SimulatedNetwork network{
    .network = "n",
    .batch = 4,
    .device = "d",
    .steps = {step("a", Pass::forward, 1, 80, 20), step("a", Pass::backward_data, 3, 40, 60),
              step("a", Pass::update, 9, 0, 100), step("b", Pass::forward, 2, 10, 90)}};

double ours(FigureMeasure measure, std::size_t layer) {
    const auto compared =
        compare_modelled_figure(figure_of(measure, {1, 2}), std::span(&network, 1));
    return compared.at(0).layers.at(layer).ours.value();
}

TEST(ModelledFigure, PassesOfALayerCountTogetherWithoutTheUpdate) {
    EXPECT_DOUBLE_EQ(ours(FigureMeasure::time_ratio, 1), 0.5);
    EXPECT_DOUBLE_EQ(ours(FigureMeasure::backward_over_forward, 0), 3);
    EXPECT_DOUBLE_EQ(ours(FigureMeasure::l2_read_hit_rate, 0), 60);
    EXPECT_DOUBLE_EQ(ours(FigureMeasure::load_store_share, 0), 40);
    EXPECT_DOUBLE_EQ(ours(FigureMeasure::dram_read_rate, 0), 80 * 32 / 4.0 / 1e9);
    EXPECT_DOUBLE_EQ(ours(FigureMeasure::data_stall_share, 1), 60);  // 0.3 of 0.5
}

TEST(ModelledFigure, TheOrderOfLayersIsComparedIfAllAreKnown) {
    const std::span<const SimulatedNetwork> one(&network, 1);
    const auto same =
        compare_modelled_figure(figure_of(FigureMeasure::l2_read_hit_rate, {9, 1}), one);
    const auto turned =
        compare_modelled_figure(figure_of(FigureMeasure::l2_read_hit_rate, {1, 9}), one);
    const auto unknown =
        compare_modelled_figure(figure_of(FigureMeasure::l1_hit_rate, {1, 9}), one);
    const auto no_batch =
        compare_modelled_figure(figure_of(FigureMeasure::l2_read_hit_rate, {1, 9}), {});
    EXPECT_DOUBLE_EQ(same[0].rank_correlation.value(), 1);
    EXPECT_DOUBLE_EQ(turned[0].rank_correlation.value(), -1);
    EXPECT_FALSE(unknown[0].rank_correlation.has_value());
    EXPECT_FALSE(no_batch[0].layers[0].ours.has_value());
}

}  // namespace

}  // namespace strata::testing
