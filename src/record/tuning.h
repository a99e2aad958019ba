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

// The scope of a tuning. Each processor, library and version of strata's kernels needs its own, and
// so do training, inference and fused layers: inference may transform filters once for all
// iterations, and whatever a step does besides its convolution has its cost.
struct TuningScope {
    std::string machine = {};       // processor model and count: "Intel Xeon ..., 2 processors"
    std::string instructions = {};  // the library's instruction set: "AVX-512"
    std::string library = {};       // "onednn 2.6.3"
    std::string kernels = {};       // version of strata's own kernels
    int threads = 1;
    DataType dtype = DataType::f32;
    Mode mode = Mode::training;
    Fusion fusion = Fusion::none;

    bool operator==(const TuningScope&) const = default;
};

// A candidate for one pass of one problem against the usual algorithm (Execution's default), both
// in the running network with the reorders that each needs, alternating in rounds.
struct TuningTrial {
    std::string problem = {};  // text by problem_text
    Pass pass = Pass::forward;
    PassAlgorithm algorithm = ConvolutionAlgorithm::automatic;
    std::string implementation = {};
    // The layer it was tried on; nothing if it cannot compute the problem or is identical to the
    // usual one.
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
    PassAlgorithm algorithm = ConvolutionAlgorithm::automatic;
    std::string implementation = {};
    std::optional<Ratio> ratio = {};  // versus the usual one, in the network with all choices made;
                                      // nothing if the usual one was kept
    std::size_t candidates = 0;       // candidates measured against it
    std::string network = {};         // rounds in which it was measured
};

// One pass of one problem, shared by all layers of a network that have it.
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

// The result of tuning a network.
struct TuningOutcome {
    std::vector<TunablePass> tunable = {};
    std::vector<TuningTrial> trials = {};  // including those known before
    // One for each tunable pass; none if it was stopped or had no time to measure all choices
    // together.
    std::vector<TunedPass> passes = {};
    // The step's time with all choices over the usual one; nothing if no choice was made.
    std::optional<Ratio> whole = {};
    std::optional<Seconds> usual = {};  // median of the usual step measured alongside
    bool is_kept = true;                // the choices may replace the usual algorithms
    std::size_t untried = 0;            // algorithms not tried for lack of time
    std::size_t unchecked = 0;    // faster ones whose errors were not checked for lack of time
    std::size_t unconfirmed = 0;  // faster ones not measured together for lack of time
    Seconds spent = {};
};

}  // namespace strata
