// SPDX-License-Identifier: MIT
#include "view/recount.h"

#include "tests/support/scripted_run.h"
#include "view/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

Run alexnet_run() {
    return testing::scripted_run(testing::zoo_graph("alexnet", 4));
}

Flops forward_of(const Run& run, std::string_view layer) {
    for (const StepResult& step : run.steps) {
        if (step.layer == layer && step.pass == Pass::forward && step.kind == StepKind::compute) {
            return step.flops;
        }
    }
    return {};
}

TEST(Recount, CountsEachStepOfARunByAnotherConvention) {
    const auto run = alexnet_run();
    const auto macs = counted_by(find_convention("multiply-add-1"), run);
    EXPECT_GT(forward_of(run, "conv2"), Flops{0});
    EXPECT_EQ(forward_of(macs, "conv2"), forward_of(run, "conv2") / 2);
    EXPECT_EQ(forward_of(macs, "relu1"), forward_of(run, "relu1"));
    EXPECT_EQ(forward_of(counted_by(conventions().front(), run), "conv2"),
              forward_of(run, "conv2"));
}

Flops updates_of(const Run& run) {
    Flops flops;
    for (const StepResult& step : run.steps) {
        flops += step.pass == Pass::update ? step.flops : Flops{};
    }
    return flops;
}

// Momentum multiplies and adds twice for each of the 60,965,224 values; sgd once.
TEST(Recount, CountsUpdatesByTheOptimizerOfTheRun) {
    auto run = alexnet_run();
    EXPECT_EQ(updates_of(run), Flops{4.0 * 60'965'224});
    EXPECT_EQ(updates_of(counted_by(find_convention("multiply-add-1"), run)),
              Flops{2.0 * 60'965'224});
    EXPECT_EQ(updates_of(counted_by(find_convention("products"), run)), Flops{0});
    set_further(run.settings, "optimizer", "sgd");
    EXPECT_EQ(updates_of(counted_by(find_convention("multiply-add-1"), run)),
              Flops{1.0 * 60'965'224});
}

TEST(Recount, ARunIsShownByTheRequestedConvention) {
    const auto run = alexnet_run();
    const auto usual = run_json(run);
    const auto macs = run_json(run, {}, find_convention("multiply-add-1"));
    EXPECT_EQ(usual["convention"], "multiply-add-2");
    EXPECT_EQ(macs["convention"], "multiply-add-1");
    for (std::size_t i = 0; i < usual["steps"].size(); ++i) {
        EXPECT_EQ(usual["steps"][i]["bound"], macs["steps"][i]["bound"]);
        EXPECT_EQ(usual["steps"][i]["ceiling_share"], macs["steps"][i]["ceiling_share"]);
    }
}

}  // namespace
}  // namespace strata
