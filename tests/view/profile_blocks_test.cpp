// SPDX-License-Identifier: MIT
#include "report/json.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"
#include "view/counter_tables.h"
#include "view/json.h"
#include "view/run.h"
#include "view/trace_blocks.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace strata {
namespace {

// A network's run whose steps took one kernel each, as long as the step itself, with counters.
class ProfileBlocks : public ::testing::Test {
protected:
    ProfileBlocks() {
        run_.trace = TraceResult{.device = "NVIDIA H200",
                                 .windows = {{Seconds{4e-3}, Seconds{4.1e-3}, Seconds{4.2e-3}}},
                                 .recorded = {run_.whole.end_to_end.values}};
        for (std::size_t i = 0; i < run_.steps.size(); ++i) {
            add_kernel(i);
            count(i);
        }
        run_.trace->spans.push_back(
            {.span = {.kind = SpanKind::fill, .name = "fill", .start = end_, .end = end_ + each_}});
    }

    void add_kernel(std::size_t step) {
        const Nanoseconds start = end_ + Nanoseconds(200);
        end_ = start + each_ * static_cast<int>(1 + step % 5);
        run_.trace->spans.push_back(
            {.span = {.name = "void implicit_gemm<float, " + std::to_string(step) + ">(float*)",
                      .stream = 7,
                      .start = start,
                      .end = end_,
                      .launch = LaunchShape{.grid = {static_cast<std::uint32_t>(step + 1), 4, 1},
                                            .block = {128, 1, 1},
                                            .registers = 96,
                                            .static_shared = {16384}}},
             .layer = run_.steps[step].layer,
             .pass = run_.steps[step].pass,
             .evidence = Evidence::node});
    }

    void count(std::size_t step) {
        StepResult& result = run_.steps[step];
        result.counted_at = step % 2 == 0 ? step : step - 1;
        result.metrics = {{.name = "dram_read", .unit = "B", .value = 1e6 * double(step + 1)},
                          {.name = "l2_hit_rate", .unit = "%", .value = 71.25},
                          {.name = "l1_hit_rate",
                           .unit = "%",
                           .reason = "counters are denied; load the driver with "
                                     "NVreg_RestrictProfilingToAdminUsers=0"}};
    }

    std::string terminal(const StepFilter& filter = {}) const {
        return render_terminal({.title = "profile", .blocks = profile_blocks(run_, filter)},
                               {.width = 130, .unicode = true});
    }

    // The whole run is too long to read.
    strata::Run conv2_alone() const {
        strata::Run run = run_;
        std::erase_if(run.steps, [](const StepResult& step) { return step.layer != "conv2"; });
        std::erase_if(run.trace->spans,
                      [](const TracedSpan& span) { return span.layer != "conv2"; });
        return run;
    }

    strata::Run run_ = testing::scripted_run(testing::zoo_graph("alexnet", 16));
    Nanoseconds end_{1'000'000};
    Nanoseconds each_{100'000};
};

TEST_F(ProfileBlocks, ShowKernelsByLayerAndCounters) {
    testing::expect_golden("view/profile-alexnet-16.txt", terminal());
}

TEST_F(ProfileBlocks, ForALayerHoldOnlyItsKernels) {
    const std::string shown = terminal({.layers = "conv2", .passes = "forward"});
    EXPECT_NE(shown.find("1 of 62 in the iteration"), std::string::npos) << shown;
}

TEST_F(ProfileBlocks, AreAbsentWithoutARequest) {
    EXPECT_TRUE(profile_blocks(testing::scripted_run(testing::zoo_graph("alexnet", 4))).empty());
}

TEST_F(ProfileBlocks, AMissingCounterIsADashWithItsReasonAndNeverZero) {
    const auto tables = counter_tables(run_, metric_catalogue());
    ASSERT_EQ(tables.size(), 1u);
    const auto& columns = tables[0].columns;
    const auto place = std::ranges::find(columns, "l1_hit_rate", &Column::key) - columns.begin();
    const auto& cell = tables[0].rows[0].at(static_cast<std::size_t>(place));
    EXPECT_NE(std::get<Missing>(cell).reason.find("denied"), std::string::npos);
}

TEST_F(ProfileBlocks, AreInTheJsonWithEverySpan) {
    const auto json = run_json(run_);
    EXPECT_EQ(json["trace"]["spans"].size(), run_.trace->spans.size());
    EXPECT_EQ(json["trace"]["spans"][0]["grid"], (std::vector<int>{1, 4, 1}));
    const auto counter = [&](std::string_view metric) {
        return *std::ranges::find_if(json["counters"],
                                     [&](const auto& one) { return one["metric"] == metric; });
    };
    EXPECT_TRUE(counter("l1_hit_rate")["value"].is_null());
    EXPECT_NE(counter("l1_hit_rate")["reason"].get<std::string>().find("denied"),
              std::string::npos);
    EXPECT_EQ(counter("dram_read")["unit"], "B");
    const auto& trace = json["trace"];
    EXPECT_NEAR(trace["attributed_s"].get<double>() + trace["unattributed_s"].get<double>() +
                    trace["gaps_s"].get<double>() - trace["overlap_s"].get<double>(),
                trace["window_s"].get<double>(), 1e-12);
}

TEST_F(ProfileBlocks, TheJsonFollowsItsSchema) {
    testing::expect_golden("view/profile-alexnet-16-conv2.json",
                           json_text("run", "0.1",
                                     {{"runs", {run_json(conv2_alone())}},
                                      {"sweeps", nlohmann::json::array()},
                                      {"grids", nlohmann::json::array()},
                                      {"pairs", nlohmann::json::array()}}));
}

}  // namespace
}  // namespace strata
