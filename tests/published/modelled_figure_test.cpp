// SPDX-License-Identifier: MIT
#include "published/modelled_figure.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

const std::string good = R"(
title = "a figure"
source = "nobody"
network = "alexnet"
device = "gtx-1080-ti"
layers = ["conv1", "fc8"]
panels = [{ name = "hits", quantity = "l1_hit_rate", batch = 32, published = [71.9, 41] }]
)";

std::string reason(std::string text, const std::string& part, const std::string& by) {
    text.replace(text.find(part), part.size(), by);
    try {
        parse_modelled_figure(text, "f.toml");
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(ModelledFigure, EveryPanelHasANumberForEachLayer) {
    const ModelledFigure figure = parse_modelled_figure(good, "folder/f.toml");
    EXPECT_EQ(figure.name, "f");
    ASSERT_EQ(figure.panels.size(), 1U);
    EXPECT_EQ(figure.panels[0].measure, FigureMeasure::l1_hit_rate);
    EXPECT_EQ(figure.panels[0].published, (std::vector{71.9, 41.0}));
    EXPECT_NE(reason(good, "[71.9, 41]", "[71.9]"), "");
    EXPECT_NE(reason(good, "[71.9, 41]", "[71.9, \"41\"]"), "");
    EXPECT_NE(reason(good, "l1_hit_rate", "l9_hit_rate").find("l1_hit_rate"), std::string::npos);
    EXPECT_NE(reason(good, "batch = 32", "batch = 0"), "");
    EXPECT_NE(reason(good, "[\"conv1\", \"fc8\"]", "[\"conv1\"]"), "");
    EXPECT_NE(reason(good, "device", "devise"), "");
}

TEST(ModelledFigure, FindingsAreReasonsForStallsOrNumbers) {
    const std::string findings = R"(
title = "a figure"
source = "nobody"
network = "alexnet"
device = "k40"
findings_batch = 16
findings = [{ name = "waits", quantity = "top_stalls", device = "k40", layers = "relu*", stalls = ["memory"] },
            { name = "faster", quantity = "speedup", device = "gtx-1080", over = "k40", layers = "fc*" }]
)";
    const ModelledFigure figure = parse_modelled_figure(findings, "f.toml");
    ASSERT_EQ(figure.findings.size(), 2U);
    EXPECT_EQ(figure.findings_batch, 16);
    EXPECT_EQ(figure.findings[0].stalls, std::vector{StallReason::memory});
    EXPECT_FALSE(figure.findings[1].published.has_value());
    EXPECT_NE(reason(findings, "[\"memory\"]", "[\"boredom\"]").find("memory"), std::string::npos);
    EXPECT_NE(reason(findings, ", stalls = [\"memory\"]", ""), "");
    EXPECT_NE(reason(findings, "over = \"k40\", ", ""), "");
    EXPECT_NE(reason(findings, "speedup", "luck"), "");
    EXPECT_NE(reason(findings, "findings_batch = 16", "findings_batch = 0"), "");
    EXPECT_NE(reason(findings, "layers = \"relu*\"", "pass = \"sideways\", layers = \"relu*\""),
              "");
}

TEST(ModelledFigure, BuiltInFiguresAreReadableAndFoundByName) {
    ASSERT_FALSE(modelled_figures().empty());
    for (const ModelledFigure& figure : modelled_figures()) {
        EXPECT_EQ(find_modelled_figure(figure.name)->title, figure.title);
    }
    EXPECT_FALSE(find_modelled_figure("kim2017-fig7").has_value());
}

}  // namespace

}  // namespace strata::testing
