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
#include <array>
#include <map>
#include <set>

namespace strata {
namespace {

using enum ConvolutionAlgorithm;

// An engine with three algorithms besides direct and planted times.
class PlantedEngine {
public:
    // Milliseconds of a step by algorithm; `are_chosen`: by choices, not one for all.
    std::function<double(const Layer&, Pass, ConvolutionAlgorithm, bool are_chosen)> time =
        [](const Layer&, Pass, ConvolutionAlgorithm, bool) { return 1.0; };
    // Milliseconds of every other step next to chosen ones, in the executable's n-th iteration.
    std::function<double(int iteration)> others_with_choices = [](int) { return 1.0; };
    double noise_of_choices = 0.01;  // bound, relative to a chosen step's time
    std::vector<ConvolutionAlgorithm> known = {gemm, winograd_6x6_3x3, fft};
    std::set<ConvolutionAlgorithm> wrong = {};      // whose results are a little off
    std::map<ConvolutionAlgorithm, int> runs = {};  // of the first layer's forward pass by it

    TuningLimits limits;

    TuningOutcome tune(const TuningHooks& hooks = {}) {
        return strata::tune(*plan_of(graph_, {}), {.scheduling = {.threads = 1}}, backend_, limits,
                            clock_, hooks);
    }

    const Graph& graph() const { return graph_; }

private:
    void plant(testing::ScriptedExecutable& executable) {
        const EngineOptions& engine = backend_.asked.engine;
        for (std::size_t i = 0; i < executable.steps().size(); ++i) {
            const Step step = executable.steps()[i];
            const bool is_alone = is_kept();
            const Layer& layer = graph_.layers[is_alone ? 0 : step.layer];
            if (is_convolution(layer.op) && step.pass != Pass::update) {
                plant(executable, i, layer, engine);
            } else if (!engine.choices.empty()) {
                executable.take_time(i, [this, iteration = 0]() mutable {
                    return Seconds{others_with_choices(iteration++) * 1e-3};
                });
            }
        }
    }

    // A single layer is checked, not timed.
    bool is_kept() const { return backend_.asked.scheduling.memory == MemoryReuse::kept; }

    void plant(testing::ScriptedExecutable& executable, std::size_t place, const Layer& layer,
               const EngineOptions& engine) {
        const Pass pass = executable.steps()[place].pass;
        const AlgorithmChoice* choice = choice_for(engine, graph_, layer, pass);
        const ConvolutionAlgorithm wanted =
            choice ? std::get<ConvolutionAlgorithm>(choice->algorithm.kind) : engine.algorithm;
        const bool is_known = std::ranges::find(known, wanted) != known.end();
        const ConvolutionAlgorithm run = is_known ? wanted : direct;
        executable.describe(place, [&](Step& step) {
            step.algorithm = name_of(run);
            step.implementation = "planted:" + step.algorithm;
            step.choice = {.asked = std::string(name_of(wanted)),
                           .reason = run == wanted ? "" : "unknown"};
        });
        const bool is_counted = layer.name == "first" && pass == Pass::forward;
        const bool is_choice = choice != nullptr && choice->source == ChoiceSource::tuned;
        set_time(executable, place, time(layer, pass, run, choice != nullptr),
                 is_choice ? noise_of_choices : 0.01, is_counted ? &runs[run] : nullptr);
        if (wrong.contains(run) && is_kept()) {
            executable.after(place, [this](Executable& real) { disturb(real); });
        }
    }

    void set_time(testing::ScriptedExecutable& executable, std::size_t place, double milliseconds,
                  double max_noise, int* count) {
        executable.take_time(place, [this, milliseconds, max_noise, count] {
            if (count != nullptr) {
                ++*count;
            }
            const auto noise = static_cast<double>(random_.symmetric(draws_++));
            const Seconds taken{milliseconds * 1e-3 * (1 + max_noise * noise)};
            clock_.advance(taken);
            return taken;
        });
    }

    // The output of a single layer, a thousandth larger.
    void disturb(Executable& real) const {
        const TensorId output = slice(graph_, "first").layers.front().outputs.front();
        HostValues values = real.read(output, Content::value);
        for (float& value : values) {
            value *= 1.001F;
        }
        real.write(output, Content::value, values);
    }

    Graph graph_ = testing::network_of_convolutions();
    testing::FakeClock clock_;  // of which only convolutions take time
    RandomStream random_{1, 0};
    std::uint64_t draws_ = 0;
    testing::ScriptedBackend backend_{
        [this](testing::ScriptedExecutable& executable) { plant(executable); }};
};

const TunedPass& tuned(const TuningOutcome& outcome, const Graph& graph, std::size_t layer,
                       Pass pass) {
    const std::string problem = problem_text(graph, graph.layers[layer]);
    const auto found = std::ranges::find_if(outcome.passes, [&](const TunedPass& one) {
        return one.problem == problem && one.pass == pass;
    });
    EXPECT_NE(found, outcome.passes.end());
    return *found;
}

// The trials as stored in a database.
auto known_in(const std::vector<TuningTrial>& kept) {
    return [&kept](const ProblemPass& key) {
        std::vector<TuningTrial> known;
        std::ranges::copy_if(kept, std::back_inserter(known), [&](const TuningTrial& trial) {
            return trial.problem == key.problem && trial.pass == key.pass;
        });
        return known;
    };
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
    EXPECT_EQ(tuned(outcome, graph, 0, Pass::backward_weights).algorithm, automatic);
    EXPECT_EQ(tuned(outcome, graph, 3, Pass::forward).algorithm, gemm);
    EXPECT_EQ(tuned(outcome, graph, 3, Pass::backward_data).algorithm, gemm);
    EXPECT_EQ(tuned(outcome, graph, 0, Pass::forward).candidates, 3U);
    EXPECT_NEAR(tuned(outcome, graph, 0, Pass::forward).ratio->value, 0.4, 0.02);
    ASSERT_TRUE(outcome.whole);
    EXPECT_LT(outcome.whole->high, 1);
    EXPECT_TRUE(outcome.is_kept);
    // Nothing needs the first layer's data gradient: two passes of the problem that two layers
    // share, one of which computes its data's gradient.
    EXPECT_EQ(outcome.passes.size(), 6U);
}

TEST(Tune, WithoutACertainGainTheUsualAlgorithmStays) {
    PlantedEngine engine;  // all take the same time
    const TuningOutcome outcome = engine.tune();
    for (const TunedPass& pass : outcome.passes) {
        EXPECT_EQ(pass.algorithm, automatic);
        EXPECT_FALSE(pass.ratio);
    }
    EXPECT_FALSE(outcome.whole);
}

TEST(Tune, AFastAlgorithmWithLargeErrorsIsNotChosen) {
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

TEST(Tune, AChoiceThatGainsNothingAmongTheOthersIsDropped) {
    PlantedEngine engine;
    engine.time = [](const Layer& layer, Pass pass, ConvolutionAlgorithm algorithm,
                     bool are_chosen) {
        const bool suffers = layer.name == "other" && are_chosen;
        return pass == Pass::forward && algorithm == gemm ? (suffers ? 1.5 : 0.5) : 1.0;
    };
    const TuningOutcome outcome = engine.tune();
    EXPECT_EQ(tuned(outcome, engine.graph(), 0, Pass::forward).algorithm, gemm);
    EXPECT_EQ(tuned(outcome, engine.graph(), 3, Pass::forward).algorithm, automatic);
    EXPECT_TRUE(outcome.is_kept);
}

TEST(Tune, AChoiceWhoseGainNoiseHidesAmongTheOthersIsKept) {
    PlantedEngine engine;
    engine.noise_of_choices = 0.8;
    engine.time = [](const Layer&, Pass pass, ConvolutionAlgorithm algorithm, bool) {
        return pass == Pass::forward && algorithm == gemm ? 0.92 : 1.0;
    };
    const TuningOutcome outcome = engine.tune();
    const TunedPass& first = tuned(outcome, engine.graph(), 0, Pass::forward);
    ASSERT_EQ(first.algorithm, gemm);
    EXPECT_LT(first.ratio->value, 0.98);
    EXPECT_GE(first.ratio->high, 1);
    EXPECT_TRUE(outcome.is_kept);
}

TEST(Tune, NoChoiceIsKeptIfTheWholeStepIsSlower) {
    PlantedEngine engine;
    engine.others_with_choices = [](int) { return 3.0; };  // which have another layout there
    engine.time = [](const Layer&, Pass pass, ConvolutionAlgorithm algorithm, bool) {
        return pass == Pass::forward && algorithm == gemm ? 0.9 : 1.0;
    };
    const TuningOutcome outcome = engine.tune();
    EXPECT_FALSE(outcome.is_kept);
    EXPECT_GT(outcome.whole->value, 1);
    EXPECT_EQ(tuned(outcome, engine.graph(), 0, Pass::forward).algorithm, automatic);
}

TEST(Tune, AStepReplacesTheUsualOneOnlyIfItIsFasterAndNotSlowerBeyondTheMargin) {
    EXPECT_TRUE(may_replace({.value = 0.97, .low = 0.93, .high = 1.01}));
    EXPECT_FALSE(may_replace({.value = 0.97, .low = 0.90, .high = 1.04}));
    EXPECT_FALSE(may_replace({.value = 1.005, .low = 1.0, .high = 1.01}));
}

TEST(Tune, AnUnclearWholeStepIsMeasuredLongerAndThenNotKept) {
    PlantedEngine engine;
    engine.others_with_choices = [](int iteration) {
        constexpr std::array times = {0.1, 1.9, 1.2, 0.0, 2.0, 0.6, 1.4, 0.4, 0.8, 1.6};
        return times.at(static_cast<std::size_t>(iteration) % times.size());
    };
    engine.time = [](const Layer&, Pass pass, ConvolutionAlgorithm algorithm, bool) {
        return algorithm == gemm ? (pass == Pass::forward ? 0.9 : 2.0) : 1.0;
    };
    const TuningOutcome outcome = engine.tune();
    EXPECT_LT(outcome.whole->value, 1);
    EXPECT_GT(outcome.whole->high, 1.02);
    EXPECT_FALSE(outcome.is_kept);
    // (Two iterations before the ten rounds of the candidate, one before the thirty of all.)
    EXPECT_EQ(engine.runs[gemm], 2 + 10 + 30);
}

TEST(Tune, AStepThatIsSlowerOnlyInTheFirstRoundsIsMeasuredLongerAndKept) {
    PlantedEngine engine;
    engine.others_with_choices = [](int iteration) {
        return iteration > 8 ? 1.0 : 1.7;  // during a neighbour's disturbance
    };
    engine.time = [](const Layer&, Pass pass, ConvolutionAlgorithm algorithm, bool) {
        return algorithm == gemm ? (pass == Pass::forward ? 0.3 : 2.0) : 1.0;
    };
    const TuningOutcome outcome = engine.tune();
    EXPECT_LT(outcome.whole->value, 1);
    EXPECT_TRUE(outcome.is_kept);
    EXPECT_GT(engine.runs[gemm], 2 + 10 + 10);
}

TEST(Tune, ACandidateIsMeasuredOnlyWhileItMayWin) {
    PlantedEngine engine;
    engine.time = [](const Layer&, Pass, ConvolutionAlgorithm algorithm, bool) {
        return algorithm == gemm               ? 2.0
               : algorithm == winograd_6x6_3x3 ? 1.3
               : algorithm == fft              ? 1.08
                                               : 1.0;
    };
    const TuningOutcome outcome = engine.tune();
    // The first iteration and this many rounds.
    EXPECT_EQ(engine.runs[gemm], 1 + 1);
    EXPECT_EQ(engine.runs[winograd_6x6_3x3], 1 + 3);
    EXPECT_EQ(engine.runs[fft], 1 + 6);
    const auto found = std::ranges::find(outcome.trials, gemm, &TuningTrial::algorithm);
    EXPECT_FALSE(found->ratio);
    EXPECT_EQ(found->reason, "2.0 times as long as auto in one round");
    EXPECT_EQ(tuned(outcome, engine.graph(), 0, Pass::forward).candidates, 3U);
}

TEST(Tune, KnownCandidatesAreNotTriedAgain) {
    PlantedEngine engine;
    engine.time = [](const Layer&, Pass, ConvolutionAlgorithm algorithm, bool) {
        return algorithm == fft ? 0.5 : 1.0;
    };
    // The first attempt is interrupted when everything was tried.
    std::vector<TuningTrial> kept;
    engine.tune({.tried = [&](std::span<const TuningTrial> trials) {
        kept.insert(kept.end(), trials.begin(), trials.end());
    }});
    engine.runs.clear();
    const TuningOutcome outcome = engine.tune({.known = known_in(kept)});
    EXPECT_EQ(engine.runs[gemm], 0);
    EXPECT_EQ(tuned(outcome, engine.graph(), 0, Pass::forward).algorithm, fft);
    EXPECT_EQ(outcome.trials.size(), kept.size());
}

TEST(Tune, AnUndecidedCandidateIsTriedAgain) {
    PlantedEngine engine;
    const auto retried = [&](Ratio ratio, std::size_t rounds) {
        const TuningOutcome outcome = engine.tune({.known = [&](const ProblemPass& key) {
            return std::vector<TuningTrial>{{.problem = key.problem,
                                             .pass = key.pass,
                                             .algorithm = fft,
                                             .ratio = ratio,
                                             .rounds = rounds}};
        }});
        const auto found = std::ranges::find(outcome.trials, fft, &TuningTrial::algorithm);
        return !found->ratio || found->ratio->value != ratio.value;
    };
    EXPECT_TRUE(retried({0.95, 0.8, 1.1}, 2));
    EXPECT_FALSE(retried({0.95, 0.8, 1.1}, 10)) << "all rounds were run";
    EXPECT_FALSE(retried({0.9, 0.85, 0.95}, 2)) << "it surely wins";
    EXPECT_FALSE(retried({1.1, 0.9, 1.3}, 2)) << "it is slower in the median";
}

// All candidates gain, so that errors and all choices together are measured too.
TEST(Tune, APartThatWouldEndAfterTheLimitIsNotBegun) {
    std::vector<std::size_t> untried;
    for (const double limit : {0.25, 0.4, 1.0}) {
        PlantedEngine engine;
        engine.limits.time = Seconds{limit};
        engine.time = [](const Layer&, Pass, ConvolutionAlgorithm algorithm, bool) {
            return algorithm == direct ? 1.0 : 0.8;
        };
        const TuningOutcome outcome = engine.tune();
        EXPECT_LE(outcome.spent.value, limit * 1.05);
        EXPECT_TRUE(outcome.whole) << limit;
        untried.push_back(outcome.untried);
    }
    EXPECT_GT(untried[0], untried[1]);
    EXPECT_GE(untried[1], untried[2]);
}

TEST(Tune, OnePartIsDoneHoweverLittleTimeThereIs) {
    PlantedEngine engine;
    engine.limits.time = Seconds{1e-3};
    engine.time = [](const Layer&, Pass, ConvolutionAlgorithm algorithm, bool) {
        return algorithm == direct ? 1.0 : 0.5;
    };
    std::vector<TuningTrial> kept;
    const TuningOutcome tried = engine.tune({.tried = [&](std::span<const TuningTrial> trials) {
        kept.insert(kept.end(), trials.begin(), trials.end());
    }});
    EXPECT_GT(tried.untried, 0U);
    EXPECT_GT(tried.unconfirmed, 0U);
    EXPECT_TRUE(tried.passes.empty()) << "nothing that was not measured together is used";
    const TuningOutcome confirmed = engine.tune({.known = known_in(kept)});
    EXPECT_EQ(confirmed.trials.size(), kept.size());
    EXPECT_EQ(confirmed.unconfirmed, 0U);
    EXPECT_TRUE(confirmed.whole);
    EXPECT_EQ(tuned(confirmed, engine.graph(), 0, Pass::forward).algorithm, gemm);
}

TEST(Tune, AnInterruptLeavesNoChoices) {
    PlantedEngine engine;
    const TuningOutcome outcome = engine.tune({.stop = [] { return true; }});
    EXPECT_TRUE(outcome.passes.empty());
    EXPECT_GT(outcome.untried, 0U);
}

TEST(Tune, AnUnsupportedCandidateIsATrialWithItsReason) {
    PlantedEngine engine;
    const TuningOutcome outcome = engine.tune();
    const auto found = std::ranges::find(outcome.trials, fft_tiled, &TuningTrial::algorithm);
    ASSERT_NE(found, outcome.trials.end());
    EXPECT_FALSE(found->ratio);
    EXPECT_EQ(found->reason, "unknown");
}

// Two layers without a convolution: matmul gains in the weights' gradient, panels are unknown.
TEST(Tune, APassOfALinearLayerGetsItsPlantedFastest) {
    GraphBuilder builder("linear");
    TensorId x = builder.input("x", {{4, 8}});
    x = builder.add("first", FullyConnected{.out_features = 8}, {x});
    const Graph graph =
        builder.finish({builder.add("again", FullyConnected{.out_features = 8}, {x})});
    const Execution* asked = nullptr;
    testing::ScriptedBackend backend([&](testing::ScriptedExecutable& executable) {
        for (std::size_t i = 0; i < executable.steps().size(); ++i) {
            const Step step = executable.steps()[i];
            const AlgorithmChoice* choice =
                step.pass == Pass::update
                    ? nullptr
                    : choice_for(asked->engine, graph, graph.layers[step.layer], step.pass);
            if (choice == nullptr) {
                continue;
            }
            const bool is_known = choice->algorithm == LinearAlgorithm::matmul;
            executable.describe(i, [&](Step& described) {
                described.algorithm = is_known ? "matmul" : "";
                described.implementation = is_known ? "planted:matmul" : "planted:usual";
                described.choice = {
                    .asked = "matmul", .source = "heuristic", .reason = is_known ? "" : "unknown"};
            });
            const bool gains = is_known && step.pass == Pass::backward_weights;
            executable.take_time(i, [gains] { return Seconds{gains ? 0.5e-3 : 1.1e-3}; });
        }
    });
    asked = &backend.asked;
    testing::FakeClock clock;
    const TuningOutcome outcome =
        tune(*plan_of(graph, {}), {.scheduling = {.threads = 1}}, backend, TuningLimits{}, clock);
    EXPECT_EQ(outcome.passes.size(), 3U);
    EXPECT_EQ(tuned(outcome, graph, 0, Pass::backward_weights).algorithm, LinearAlgorithm::matmul);
    EXPECT_EQ(tuned(outcome, graph, 0, Pass::forward).algorithm, LinearAlgorithm::usual);
    EXPECT_EQ(outcome.untried, 0U);
    for (const TuningTrial& trial : outcome.trials) {
        EXPECT_TRUE(trial.algorithm.is_linear()) << name_of(trial.algorithm);
    }
}

}  // namespace
}  // namespace strata
