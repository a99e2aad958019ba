// SPDX-License-Identifier: MIT
#include "run/tune.h"

#include "backend/algorithms.h"
#include "base/enumeration.h"
#include "base/random.h"
#include "tests/run/convolutions.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace strata {
namespace {

using enum ConvolutionAlgorithm;

// An engine that knows three algorithms beside direct, with planted times.
class PlantedEngine {
public:
    // Milliseconds of a step by an algorithm; `are_chosen`: by choices, not one for all.
    std::function<double(const Layer&, Pass, ConvolutionAlgorithm, bool are_chosen)> time =
        [](const Layer&, Pass, ConvolutionAlgorithm, bool) { return 1.0; };
    double activation_with_choices = 1;  // milliseconds
    std::vector<ConvolutionAlgorithm> known = {gemm, winograd_6x6_3x3, fft};
    std::set<ConvolutionAlgorithm> wrong = {};  // whose results are a little off
    std::vector<ConvolutionAlgorithm> asked = {};

    TuningOutcome tune(const TuningHooks& hooks = {}) {
        testing::FakeClock clock;
        return strata::tune(graph_, {.scheduling = {.threads = 1}}, backend_, limits_, clock,
                            hooks);
    }

    const Graph& graph() const { return graph_; }

private:
    void plant(testing::ScriptedExecutable& executable) {
        const EngineOptions& engine = backend_.asked.engine;
        asked.push_back(engine.algorithm);
        for (std::size_t i = 0; i < executable.steps().size(); ++i) {
            const Step step = executable.steps()[i];
            const bool is_alone = is_kept();
            const Layer& layer = graph_.layers[is_alone ? 0 : step.layer];
            if (is_convolution(layer.op) && step.pass != Pass::update) {
                plant(executable, i, layer, engine);
            } else if (!engine.choices.empty()) {
                set_time(executable, i, activation_with_choices);
            }
        }
    }

    // A layer alone is examined, not timed.
    bool is_kept() const { return backend_.asked.scheduling.memory == MemoryReuse::kept; }

    void plant(testing::ScriptedExecutable& executable, std::size_t place, const Layer& layer,
               const EngineOptions& engine) {
        const Pass pass = executable.steps()[place].pass;
        const AlgorithmChoice* choice = choice_for(engine, graph_, layer, pass);
        const ConvolutionAlgorithm wanted = choice ? choice->algorithm : engine.algorithm;
        const bool is_known = std::ranges::find(known, wanted) != known.end();
        const ConvolutionAlgorithm run = is_known ? wanted : direct;
        executable.describe(place, [&](Step& step) {
            step.algorithm = name_of(run);
            step.implementation = "planted:" + step.algorithm;
            step.choice =
                run == wanted ? "" : "instead of " + std::string(name_of(wanted)) + ": unknown";
        });
        set_time(executable, place, time(layer, pass, run, choice != nullptr));
        if (wrong.contains(run) && is_kept()) {
            executable.after(place, [this](Executable& real) { disturb(real); });
        }
    }

    void set_time(testing::ScriptedExecutable& executable, std::size_t place, double milliseconds) {
        executable.take_time(place, [this, milliseconds] {
            const auto noise = static_cast<double>(random_.symmetric(draws_++));
            return Seconds{milliseconds * 1e-3 * (1 + 0.01 * noise)};
        });
    }

    // The output of a layer alone, a thousandth larger.
    void disturb(Executable& real) const {
        const TensorId output = slice(graph_, "first").layers.front().outputs.front();
        HostValues values = real.read(output, Content::value);
        for (float& value : values) {
            value *= 1.001F;
        }
        real.write(output, Content::value, values);
    }

    Graph graph_ = testing::network_of_convolutions();
    TuningLimits limits_;
    RandomStream random_{1, 0};
    std::uint64_t draws_ = 0;
    testing::ScriptedBackend backend_{
        [this](testing::ScriptedExecutable& executable) { plant(executable); }};
};

const TunedPass& tuned(const TuningOutcome& outcome, const Graph& graph, std::size_t layer,
                       Pass pass) {
    const std::string problem = convolution_problem(graph, graph.layers[layer]);
    const auto found = std::ranges::find_if(outcome.passes, [&](const TunedPass& one) {
        return one.problem == problem && one.pass == pass;
    });
    EXPECT_NE(found, outcome.passes.end());
    return *found;
}

TEST(Tune, EachPassOfEachProblemGetsItsPlantedFastest) {
    PlantedEngine engine;
    engine.time = [](const Layer& layer, Pass pass, ConvolutionAlgorithm algorithm, bool) {
        const bool is_other = layer.name == "other";
        return algorithm == direct                                       ? 1.0
               : algorithm == gemm && is_other                           ? 0.5
               : algorithm == fft && !is_other && pass == Pass::forward  ? 0.4
               : algorithm == gemm && !is_other && pass == Pass::forward ? 0.7
                                                                         : 2.0;
    };
    const TuningOutcome outcome = engine.tune();
    const Graph& graph = engine.graph();
    EXPECT_EQ(tuned(outcome, graph, 0, Pass::forward).algorithm, fft);
    EXPECT_EQ(tuned(outcome, graph, 0, Pass::backward_weights).algorithm, direct);
    EXPECT_EQ(tuned(outcome, graph, 3, Pass::forward).algorithm, gemm);
    EXPECT_EQ(tuned(outcome, graph, 3, Pass::backward_data).algorithm, gemm);
    EXPECT_EQ(tuned(outcome, graph, 0, Pass::forward).candidates, 3U);
    EXPECT_NEAR(tuned(outcome, graph, 0, Pass::forward).ratio->value, 0.4, 0.02);
    ASSERT_TRUE(outcome.whole);
    EXPECT_LT(outcome.whole->high, 1);
    EXPECT_TRUE(outcome.is_kept);
    // The first gradient is nobody's: two passes of the one problem that two layers share, one of
    // which computes its data's gradient.
    EXPECT_EQ(outcome.passes.size(), 6U);
}

TEST(Tune, WhatIsNotSurelyFasterLeavesTheUsualAlgorithm) {
    PlantedEngine engine;  // all take the same time
    const TuningOutcome outcome = engine.tune();
    for (const TunedPass& pass : outcome.passes) {
        EXPECT_EQ(pass.algorithm, direct);
        EXPECT_FALSE(pass.ratio);
    }
    EXPECT_FALSE(outcome.whole);
}

TEST(Tune, AFastAlgorithmThatRoundsBadlyIsNoChoice) {
    PlantedEngine engine;
    engine.wrong = {winograd_6x6_3x3};
    engine.time = [](const Layer&, Pass pass, ConvolutionAlgorithm algorithm, bool) {
        return pass == Pass::forward && algorithm == winograd_6x6_3x3 ? 0.3
               : pass == Pass::forward && algorithm == fft            ? 0.6
                                                                      : 1.0;
    };
    const TuningOutcome outcome = engine.tune();
    EXPECT_EQ(tuned(outcome, engine.graph(), 0, Pass::forward).algorithm, fft);
    engine.wrong.clear();
    EXPECT_EQ(tuned(engine.tune(), engine.graph(), 0, Pass::forward).algorithm, winograd_6x6_3x3);
}

TEST(Tune, AChoiceThatGainsNothingBesideTheOthersIsDropped) {
    PlantedEngine engine;
    engine.time = [](const Layer& layer, Pass pass, ConvolutionAlgorithm algorithm,
                     bool are_chosen) {
        const bool suffers = layer.name == "other" && are_chosen;
        return pass == Pass::forward && algorithm == gemm ? (suffers ? 1.5 : 0.5) : 1.0;
    };
    const TuningOutcome outcome = engine.tune();
    EXPECT_EQ(tuned(outcome, engine.graph(), 0, Pass::forward).algorithm, gemm);
    EXPECT_EQ(tuned(outcome, engine.graph(), 3, Pass::forward).algorithm, direct);
    EXPECT_TRUE(outcome.is_kept);
}

TEST(Tune, NoChoiceIsKeptIfTheWholeStepIsSlower) {
    PlantedEngine engine;
    engine.activation_with_choices = 3;  // whose neighbours have another layout
    engine.time = [](const Layer&, Pass pass, ConvolutionAlgorithm algorithm, bool) {
        return pass == Pass::forward && algorithm == gemm ? 0.9 : 1.0;
    };
    const TuningOutcome outcome = engine.tune();
    EXPECT_FALSE(outcome.is_kept);
    EXPECT_GT(outcome.whole->value, 1);
    EXPECT_EQ(tuned(outcome, engine.graph(), 0, Pass::forward).algorithm, direct);
}

TEST(Tune, WhatIsKnownIsNotTriedAgain) {
    PlantedEngine engine;
    engine.time = [](const Layer&, Pass, ConvolutionAlgorithm algorithm, bool) {
        return algorithm == fft ? 0.5 : 1.0;
    };
    // The first attempt is interrupted when everything was tried.
    std::vector<TuningTrial> kept;
    engine.tune({.tried = [&](std::span<const TuningTrial> trials) {
        kept.insert(kept.end(), trials.begin(), trials.end());
    }});
    engine.asked.clear();
    const TuningOutcome outcome = engine.tune({.known = [&](const ProblemPass& key) {
        std::vector<TuningTrial> known;
        std::ranges::copy_if(kept, std::back_inserter(known), [&](const TuningTrial& trial) {
            return trial.problem == key.problem && trial.pass == key.pass;
        });
        return known;
    }});
    EXPECT_EQ(std::ranges::count(engine.asked, gemm), 0);
    EXPECT_EQ(tuned(outcome, engine.graph(), 0, Pass::forward).algorithm, fft);
    EXPECT_EQ(outcome.trials.size(), kept.size());
}

TEST(Tune, AnInterruptLeavesNoChoices) {
    PlantedEngine engine;
    const TuningOutcome outcome = engine.tune({.stop = [] { return true; }});
    EXPECT_TRUE(outcome.passes.empty());
    EXPECT_GT(outcome.untried, 0U);
}

TEST(Tune, ACandidateThatTheEngineCannotDoIsATrialWithItsReason) {
    PlantedEngine engine;
    const TuningOutcome outcome = engine.tune();
    const auto found = std::ranges::find(outcome.trials, fft_tiled, &TuningTrial::algorithm);
    ASSERT_NE(found, outcome.trials.end());
    EXPECT_FALSE(found->ratio);
    EXPECT_EQ(found->reason, "unknown");
}

}  // namespace
}  // namespace strata
