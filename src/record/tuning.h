// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "measure/ratio.h"

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// What a tuning is valid for. Another processor, library or version of strata's kernels needs one
// of its own, and so do training, inference and fused layers: in inference filters may be
// transformed once for all iterations, and what a step does beside its convolution has its cost.
struct TuningScope {
    std::string machine = {};       // processor model and how many: "Intel Xeon ..., 2 processors"
    std::string instructions = {};  // what the library computes with: "AVX-512"
    std::string library = {};       // "onednn 2.6.3"
    std::string kernels = {};       // version of strata's own kernels
    int threads = 1;
    DataType dtype = DataType::f32;
    Mode mode = Mode::training;
    Fusion fusion = Fusion::none;

    bool operator==(const TuningScope&) const = default;
};

// A candidate for one pass of one problem against the usual algorithm (Execution's default), both
// in the running network with the reorders that each needs, in rounds in which they took turns.
struct TuningTrial {
    std::string problem = {};  // as problem_text gives it
    Pass pass = Pass::forward;
    PassAlgorithm algorithm = ConvolutionAlgorithm::direct;
    std::string implementation = {};
    // Where it was tried; nothing if it cannot do the problem, or does what the usual one does.
    std::optional<Ratio> ratio = {};  // the candidate's time over the usual one's
    Seconds usual = {};               // median of one layer
    Seconds own = {};                 // likewise
    std::size_t rounds = 0;           // 0: not measured in rounds
    std::string reason = {};          // why it has no ratio

    bool surely_gains() const { return ratio && ratio->high < 1; }
};

// The algorithm that later runs use for one pass of one problem.
struct TunedPass {
    std::string problem = {};
    Pass pass = Pass::forward;
    PassAlgorithm algorithm = ConvolutionAlgorithm::direct;
    std::string implementation = {};
    std::optional<Ratio> ratio = {};  // to the usual one, in the network with all choices made;
                                      // nothing where the usual one was kept
    std::size_t candidates = 0;       // that were measured against it
    std::string network = {};         // in which it was measured
};

// One pass of one problem, however many layers of a network have it.
struct ProblemPass {
    std::string problem;
    Pass pass = Pass::forward;

    auto operator<=>(const ProblemPass&) const = default;
};

// A pass whose algorithm can be chosen, and the first layer that has it.
struct TunablePass {
    ProblemPass key;
    LayerId layer = 0;
    int layers = 1;
    std::string name = {};  // of that layer
};

// What a tuning of a network found.
struct TuningOutcome {
    std::vector<TunablePass> tunable = {};
    std::vector<TuningTrial> trials = {};  // those known before included
    // One for each tunable pass; none if it was stopped, or there was no time for all choices
    // together.
    std::vector<TunedPass> passes = {};
    // The network's step with all choices made over the usual one; nothing where none was made.
    std::optional<Ratio> whole = {};
    std::optional<Seconds> usual = {};  // median of the network's usual step beside it
    bool is_kept = true;                // the step with all choices may replace the usual one
    std::size_t untried = 0;            // algorithms that there was no time for
    std::size_t unchecked = 0;          // faster ones whose errors there was no time for
    std::size_t unconfirmed = 0;        // faster ones that there was no time to measure together
    Seconds spent = {};
};

}  // namespace strata
