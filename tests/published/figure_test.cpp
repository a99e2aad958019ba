// SPDX-License-Identifier: MIT
#include "published/figure.h"

#include "base/error.h"
#include "base/text.h"
#include "networks/network.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

TEST(Figure, EveryFileIsReadable) {
    for (const MeasuredFigure& figure : measured_figures()) {
        EXPECT_FALSE(figure.panels.empty()) << figure.name;
        const Graph network = load_network({figure.network, {}, {}, {}});
        for (const FigurePanel& panel : figure.panels) {
            EXPECT_GT(panel.tolerance, 0) << panel.name;
            EXPECT_TRUE(std::ranges::any_of(network.layers, [&](const Layer& layer) {
                return std::holds_alternative<Convolution>(layer.op) &&
                       matches_glob(panel.layers, layer.name);
            })) << panel.name;
        }
    }
}

TEST(Figure, ValuesAreInSecondsAndBytes) {
    const auto figure = find_figure("kim2017-fig8");
    ASSERT_TRUE(figure);
    ASSERT_EQ(figure->panels.size(), 16U);
    const FigurePanel& times = figure->panels.front();
    EXPECT_EQ(times.batch, 32);
    EXPECT_EQ(times.bars[1].algorithm, "direct");
    EXPECT_DOUBLE_EQ(times.bars[1].published, 48.5e-3);
    EXPECT_DOUBLE_EQ(times.tolerance, 2e-3);
    const FigurePanel& memory = figure->panels.back();
    EXPECT_EQ(memory.quantity, FigureQuantity::memory);
    EXPECT_DOUBLE_EQ(memory.bars[2].published, 4890e6);
}

TEST(Figure, AnUnknownNameGivesNothing) {
    EXPECT_FALSE(find_figure("kim2017-fig9c"));
    EXPECT_FALSE(find_figure("no-such.toml"));
}

TEST(Figure, AnInvalidWordIsRefusedAtItsPlace) {
    const std::string_view text = R"(title = "t"
source = "s"
network = "alexnet"
panels = [ { name = "p", batch = 1, passes = "both", unit = "ms", tolerance = 1, bars = [] } ])";
    try {
        parse_figure(text, "own.toml");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("own.toml: panel 1"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("forward, backward, training"), std::string::npos);
    }
}

}  // namespace
}  // namespace strata
