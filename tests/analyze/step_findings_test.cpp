// SPDX-License-Identifier: MIT
#include "analyze/step_findings.h"

#include "base/random.h"
#include "networks/network.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace strata {
namespace {

bool tells(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

std::vector<Finding> findings(const strata::Run& run, std::size_t count = 5) {
    return findings_on(run, summarise(run), bounds_of(run), count);
}

TEST(Findings, TheHeaviestComeFirstUpToTheRequestedNumber) {
    const strata::Run run =
        testing::run_of({testing::scripted_step("small", Pass::forward, {Seconds{1}}),
                         testing::scripted_step("large", Pass::update, {Seconds{3}})});
    const auto found = findings(run, 1);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].sentence, "large update takes 75 % of the step (3 s).");
    EXPECT_FALSE(found[0].gain);
}

// A fast step at 90 % of its ceiling, and a short one far from it.
strata::Run heavy_and_slow_steps() {
    StepResult heavy = testing::scripted_step("heavy", Pass::forward, {Seconds{1}, Seconds{1.01}});
    heavy.flops = Flops{180e9};
    StepResult slow = testing::scripted_step("slow", Pass::forward, {Seconds{0.2}, Seconds{0.21}});
    slow.flops = Flops{1e9};
    strata::Run run = testing::run_of({heavy, slow});
    run.device = testing::scripted_device();
    run.settings.execution.scheduling.threads = 2;
    return run;
}

TEST(Findings, PossibleGainsComeBeforeLongTimes) {
    const auto found = findings(heavy_and_slow_steps());
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].layers, "slow");
    EXPECT_TRUE(tells(found[0].sentence,
                      "slow forward takes 205 ms and would save 200 ± 5 ms at its ceiling, 17 % of "
                      "the step: "))
        << found[0].sentence;
    EXPECT_NEAR(found[0].gain->value, 0.2, 1e-9);
}

TEST(Findings, AGainWithinTheNoiseIsMarkedAndGivesNoAdvice) {
    strata::Run run = heavy_and_slow_steps();
    std::get<Samples>(run.steps[0].time).values = {Seconds{0.8}, Seconds{1.2}, Seconds{1.7}};
    const auto found = findings(run);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].layers, "heavy");
    EXPECT_TRUE(tells(found[0].sentence, "vary by more than that")) << found[0].sentence;
    EXPECT_EQ(found[0].advice.command, "");
}

TEST(Findings, ASingleSampleIsMarked) {
    strata::Run run = heavy_and_slow_steps();
    std::get<Samples>(run.steps[1].time).values = {Seconds{0.2}};
    const auto found = findings(run);
    EXPECT_TRUE(tells(found[0].sentence,
                      "takes 200 ms (a single sample) and would save 195 ms at its ceiling, "))
        << found[0].sentence;
}

// Three convolutions at half of the peak of 200 GFLOP/s.
strata::Run three_convolutions() {
    strata::Run run = heavy_and_slow_steps();
    run.settings.backend = "onednn";
    run.settings.network = "net";
    run.steps.clear();
    for (const char* layer : {"conv1", "conv2", "conv3"}) {
        StepResult one = testing::scripted_step(layer, Pass::forward, {Seconds{1}, Seconds{1}});
        one.operation = "convolution";
        one.flops = Flops{100e9};
        one.algorithm = "direct";
        one.problem = "convolution(8x64x28x28) out_channels=64 kernel=3x3";
        run.steps.push_back(one);
    }
    return run;
}

TEST(Findings, EqualAdviceIsGivenOnce) {
    const auto found = findings(three_convolutions());
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].layers, "conv1–conv3");
    EXPECT_EQ(found[0].steps, 3u);
    EXPECT_TRUE(found[0].sentence.starts_with(
        "conv1–conv3 forward (3 layers) take 3 s and would save 1.5 ± 0 s at their ceilings, 50 % "
        "of the step: they are bound by arithmetic, but only at 50 % of the f32 peak. Other "
        "algorithms, "
        "winograd-4x4-3x3 above all, commonly save about 2."))
        << found[0].sentence;
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    std::vector<std::string> commands;
    for (const Finding& one : findings(run, 20)) {
        if (!one.advice.command.empty()) {
            EXPECT_EQ(std::ranges::count(commands, one.advice.command), 0) << one.advice.command;
            commands.push_back(one.advice.command);
        }
    }
    EXPECT_FALSE(commands.empty());
}

TEST(Findings, StepsAtTheirCeilingAreReportedTogether) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 16));
    const auto found = findings_at_ceilings(run, summarise(run), bounds_of(run));
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(tells(found[0].sentence, " steps run at 75 % of the f32 peak or more and take "));
}

TEST(Findings, GivenAdviceIsNotRepeatedAtTheCeilings) {
    strata::Run run = three_convolutions();
    run.steps[0].flops = Flops{180e9};
    const Summary summary = summarise(run);
    const auto bounds = bounds_of(run);
    const auto said = findings_on(run, summary, bounds);
    ASSERT_EQ(said.size(), 1u);
    ASSERT_EQ(findings_at_ceilings(run, summary, bounds).size(), 1u);
    EXPECT_NE(findings_at_ceilings(run, summary, bounds)[0].advice.command, "");
    EXPECT_EQ(findings_at_ceilings(run, summary, bounds, said)[0].advice.command, "");
}

// Times, work and names in combinations that no engine would produce.
strata::Run random_run(std::uint64_t seed) {
    const RandomStream random(seed, 7);
    std::size_t drawn = 0;
    const auto uniform = [&] { return random.uniform(drawn++); };
    const auto among = [&](auto&& choices) {
        return choices[static_cast<std::size_t>(uniform() * 0.999 *
                                                static_cast<double>(std::size(choices)))];
    };
    strata::Run run = heavy_and_slow_steps();
    run.steps.clear();
    const auto count = static_cast<std::size_t>(1 + 30 * uniform());
    for (std::size_t i = 0; i < count; ++i) {
        const double time = std::pow(10, -5 + 4 * uniform());
        const auto kind = static_cast<std::size_t>(uniform() * 2.999);
        StepResult step = testing::scripted_step(
            "h." + std::to_string(i / 3) + "." + std::string(1, "abc"[kind]), among(all_passes),
            {Seconds{time}, Seconds{time * (1 + 2 * uniform() * uniform())}});
        step.operation = std::array{"convolution", "fully_connected", "relu"}[kind];
        step.problem = among(std::array{"", "one", "another"});
        step.flops = Flops{uniform() < 0.5 ? 0 : 3e11 * time * uniform()};
        step.read = step.written = Bytes{2e10 * time * uniform()};
        if (uniform() < 0.1) {
            step.time = Skipped{"not here"};
        }
        run.steps.push_back(std::move(step));
    }
    return run;
}

TEST(LargestGain, NoGroupOfTheTableAndNoStepCouldSaveMore) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const strata::Run run = random_run(seed);
        const Summary summary = summarise(run);
        const auto bounds = bounds_of(run);
        std::vector<std::size_t> all(run.steps.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        const auto named = largest_gain(run, summary, bounds);
        const std::string text = largest_gain_text(run, summary, bounds);
        const Seconds most = named ? named->reach.gain : Seconds{};
        EXPECT_EQ(text.empty(), !named);
        for (const Grouping by : {Grouping::operation, Grouping::family}) {
            for (const StepGroup& group : rolled_up(run, summary, bounds, std::array{by}, all)) {
                EXPECT_LE(group.reach.gain.value, most.value * (1 + 1e-12))
                    << seed << " " << group.name << " beside: " << text;
            }
        }
        if (named) {
            EXPECT_TRUE(text.starts_with(named->name)) << text;
            EXPECT_EQ(tells(text, "vary by more"), !named->reach.is_certain()) << text;
        }
    }
}

TEST(LargestGain, AllBlocksCountTogether) {
    strata::Run run = heavy_and_slow_steps();
    run.steps.clear();
    for (int i = 0; i < 12; ++i) {
        StepResult one = testing::scripted_step("h." + std::to_string(i) + ".attention",
                                                Pass::forward, {Seconds{1}, Seconds{1}});
        one.operation = "attention";
        one.flops = Flops{100e9};
        run.steps.push_back(one);
    }
    StepResult head = testing::scripted_step("lm_head", Pass::forward, {Seconds{4}, Seconds{4}});
    head.operation = "fully_connected";
    head.flops = Flops{100e9};
    run.steps.push_back(head);
    EXPECT_EQ(largest_gain_text(run, summarise(run), bounds_of(run)),
              "attention with 75 % of the time at 50 % of its ceilings: 6 ± 0 s of the 9.5 s that "
              "would be saved at the ceilings");
    EXPECT_TRUE(
        findings(run).front().sentence.starts_with("h.0–h.11.attention forward "
                                                   "(12 layers) take 12 s"))
        << findings(run).front().sentence;
}

}  // namespace
}  // namespace strata
