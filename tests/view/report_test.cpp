// SPDX-License-Identifier: MIT
#include "view/report.h"

#include "report/render.h"
#include "report/terminal.h"
#include "tests/support/browser.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

template <class Kind>
const Kind& block_of(const Document& document) {
    for (const auto& block : document.blocks) {
        if (const auto* found = std::get_if<Kind>(&block)) {
            return *found;
        }
    }
    throw std::runtime_error("no such block");
}

Document report_on(const strata::Run& run) {
    return report_document(std::span(&run, 1));
}

TEST(Report, ShowsARunFromItsMachineToItsSteps) {
    testing::expect_golden(
        "view/report-alexnet-32.txt",
        render_terminal(report_on(testing::scripted_run(testing::zoo_graph("alexnet", 32))),
                        {.width = 130, .unicode = true}));
}

TEST(Report, BarsHoldEveryLayersPasses) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const auto bars = block_of<StackedBars>(report_on(run));
    EXPECT_EQ(bars.labels.front(), "conv1");
    ASSERT_EQ(bars.series.size(), 4u);
    EXPECT_EQ(bars.series[1].name, "backward_data");
    EXPECT_FALSE(bars.series[1].values[0]);  // nothing needs the gradient of the network's input
    EXPECT_TRUE(bars.series[2].values[0]);
}

TEST(Report, TheRooflineHoldsStepsThatCompute) {
    const strata::Run run = testing::scripted_run_with_holes("alexnet", 4);
    const auto chart = block_of<RooflineChart>(report_on(run));
    EXPECT_EQ(chart.roofs.size(), 4u);  // one peak, three levels
    for (const auto& point : chart.points) {
        EXPECT_GT(point.intensity.value, 0) << point.name;
        EXPECT_GT(point.rate.value, 0) << point.name;
    }
}

TEST(Report, BeginsWithTheVerdictAndFourNumbers) {
    const Document document = report_on(testing::scripted_run(testing::zoo_graph("alexnet", 32)));
    const auto& lead = std::get<Lead>(document.blocks.front()).text;
    EXPECT_TRUE(lead.starts_with("alexnet, batch 32, training: ")) << lead;
    EXPECT_NE(lead.find(" s, at "), std::string::npos) << lead;
    EXPECT_NE(lead.find("Most could be saved in "), std::string::npos) << lead;
    const auto tiles = block_of<Tiles>(document).tiles;
    ASSERT_EQ(tiles.size(), 4u);
    for (const auto& tile : tiles) {
        EXPECT_TRUE(std::holds_alternative<Number>(tile.value)) << tile.label;
    }
}

TEST(Report, AnIncompleteRunSaysSoFirstAndHasNoThroughput) {
    const Document document = report_on(testing::scripted_run_with_holes("alexnet", 32));
    const auto& lead = std::get<Lead>(document.blocks.front()).text;
    EXPECT_TRUE(lead.starts_with("alexnet, batch 32, training: incomplete: 1 of 62 steps")) << lead;
    const auto tiles = block_of<Tiles>(document).tiles;
    EXPECT_EQ(std::get<Missing>(tiles[0].value).reason, "the run is incomplete");
    EXPECT_EQ(std::get<Missing>(tiles[1].value).reason, "the run is incomplete");
}

TEST(Report, ItsTreeHasBarsAndLeadsFromBlocksToPasses) {
    const Document document = report_on(testing::scripted_run(testing::zoo_graph("resnet-18", 2)));
    const auto tree = std::ranges::find_if(document.blocks, [](const Block& block) {
        const auto* table = std::get_if<Table>(&block);
        return table && !table->levels.empty() && std::ranges::max(table->levels) == 2;
    });
    ASSERT_NE(tree, document.blocks.end());
    const auto& columns = std::get<Table>(*tree).columns;
    const auto form_of = [&](const std::string& title) {
        return std::ranges::find(columns, title, &Column::title)->form;
    };
    EXPECT_EQ(form_of("share"), CellForm::bar);
    EXPECT_EQ(form_of("gain"), CellForm::bar);
    EXPECT_EQ(form_of("ceiling"), CellForm::gauge);
}

TEST(Report, ItsLeadSaysThatAGainMayBeNoise) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const Document calm = report_on(run);
    for (auto& step : run.steps) {  // conv2 is occasionally slow
        auto* samples = std::get_if<Samples>(&step.time);
        for (std::size_t i = 0; samples && step.layer == "conv2" && i < samples->values.size();
             ++i) {
            samples->values[i] = (i % 2 == 0 ? 0.01 : 60) * samples->values[i];
        }
    }
    const auto says_so = [](const Document& document) {
        return block_of<Lead>(document).text.find("vary by more than that") != std::string::npos;
    };
    EXPECT_FALSE(says_so(calm));
    EXPECT_TRUE(says_so(report_on(run))) << block_of<Lead>(report_on(run)).text;
}

TEST(Report, ABarStandsForAllBlocksOfALargeNetwork) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("bert-base", 1));
    const auto bars = block_of<StackedBars>(report_on(run));
    EXPECT_LT(bars.labels.size(), summarise(run).layers.size() / 2);
    double shown = 0;
    for (std::size_t i = 0; i < bars.labels.size(); ++i) {
        shown += bars.total(i).value_or(0);
    }
    double all = 0;
    for (const PassTotal& total : summarise(run).passes) {
        all += total.time.value;
    }
    EXPECT_NEAR(shown, all, 1e-9);
}

TEST(Report, WithoutCeilingsNeitherShareNorGainIsGiven) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    run.device.reset();
    const Document document = report_on(run);
    EXPECT_NE(block_of<Lead>(document).text.find("is not known"), std::string::npos);
    const auto tiles = block_of<Tiles>(document).tiles;
    EXPECT_TRUE(std::holds_alternative<Missing>(tiles[2].value));
    EXPECT_TRUE(std::holds_alternative<Missing>(tiles[3].value));
}

TEST(Report, TwoRunsAreShownSideBySideAndThenSeparately) {
    const std::vector<strata::Run> runs(2, testing::scripted_run(testing::zoo_graph("alexnet", 4)));
    const Document document = report_document(runs);
    EXPECT_NE(block_of<Lead>(document).text.find("differ by more than 2.0 %: the ratio is 1.00 ("),
              std::string::npos)
        << block_of<Lead>(document).text;
    EXPECT_EQ(block_of<Table>(document).columns.size(), 3u);  // a column for each run
    const auto parts = std::ranges::count_if(document.blocks, [](const Block& block) {
        const auto* heading = std::get_if<Heading>(&block);
        return heading && heading->level == HeadingLevel::part;
    });
    EXPECT_EQ(parts, 2);
}

TEST(Report, ManyRunsOfDifferentNetworksAreListed) {
    std::vector<strata::Run> runs;
    for (const char* network : {"alexnet", "squeezenet", "resnet-18", "vgg-11", "mobilenet-v1"}) {
        runs.push_back(testing::scripted_run(testing::zoo_graph(network, 1)));
    }
    const Document document = report_document(runs);
    EXPECT_EQ(document.title, "5 runs");
    EXPECT_EQ(block_of<StackedBars>(document).labels.size(), 5u);
    EXPECT_EQ(block_of<Table>(document).rows.size(), 5u);
}

TEST(Report, ASweepIsLabelledAtTheBatchesThatWereMeasured) {
    std::vector<strata::Run> runs;
    for (const std::int64_t batch : {1, 3, 8}) {
        runs.push_back(testing::scripted_run(testing::zoo_graph("squeezenet", batch)));
    }
    const auto chart = block_of<XyChart>(report_document(runs));
    EXPECT_EQ(chart.x.ticks, (std::vector<double>{1, 3, 8}));
    EXPECT_FALSE(block_of<Lead>(report_document(runs)).text.empty());
}

TEST(Report, NoRunAndAnEmptyRunAreStillPages) {
    const strata::Run empty;
    EXPECT_FALSE(render_html(report_document({})).empty());
    EXPECT_FALSE(render_html(report_on(empty)).empty());
}

TEST(Report, WorksInABrowserWithManyLayersAndHostileNames) {
    if (!testing::has_browser()) {
        GTEST_SKIP() << "chromium is not installed";
    }
    strata::Run run = testing::scripted_run(testing::zoo_graph("densenet-121", 2));
    run.steps.front().layer =
        "</script><img src=x onerror=alert(1)>\xE2\x80\xA8" + std::string(300, 'x');
    const std::string dom = testing::dom_of(render_html(report_on(run)));
    EXPECT_EQ(testing::selftest_of(dom), "ok");
    EXPECT_EQ(dom.find("<img"), std::string::npos);
}

}  // namespace
}  // namespace strata
