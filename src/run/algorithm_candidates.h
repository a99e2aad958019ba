// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "measure/clock.h"
#include "measure/measurement.h"
#include "measure/policy.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The algorithms tried for every convolution: the usual one first, the library's own choice
// last.
std::span<const ConvolutionAlgorithm> candidate_algorithms();

// Candidates of which at most one applies to each layer, so that one network tries all of them.
using CandidateGroup = std::vector<PassAlgorithm>;

// Every candidate besides the usual ones, for convolutions and for linear layers. Winograd with an
// open tile comes after 4x4, which it uses if the library has none of its own.
std::vector<CandidateGroup> candidate_groups();

// The group's candidate for this kind of layer, among several the one for its window; nothing: the
// group has none.
std::optional<PassAlgorithm> candidate_for(const CandidateGroup& group, const Op& op);

// Whether a step is a convolution's pass.
bool is_convolution_pass(const Graph& graph, const Step& step);

// Whether a step is a pass with a choice of algorithms.
bool is_tunable_pass(const Graph& graph, const Step& step);

// Why a step does not use the requested algorithm; empty if it does.
std::string reason_against(const Step& step, const PassAlgorithm& asked);

// An execution that requests this algorithm for every convolution.
Execution with_algorithm(Execution execution, ConvolutionAlgorithm algorithm);

// Executables measured alternately: the times of each one's steps, one sample per round.
struct TurnTimes {
    std::vector<std::vector<Samples>> steps;  // by executable, then by step
    std::vector<Samples> whole;               // by executable: the sum of its steps
    std::size_t rounds = 0;
};

// How long executables alternate.
struct TurnLimits {
    std::size_t min_rounds = 5;
    std::size_t max_rounds = 50;
    Seconds min_time{0};      // for all together
    Seconds max_time{60};     // likewise; a begun round is completed, and there are at least two
    double precision = 0;     // target half-width of every total's median; 0: the maximum of rounds
    Seconds each_turn{5e-3};  // a quick executable repeats until then
    std::size_t before = 0;   // earlier rounds, whose order is continued
};

// Adds rounds in which the same executables alternated.
void append(TurnTimes& times, const TurnTimes& further);

// Removes an executable.
void remove(TurnTimes& times, std::size_t executable);

// Each round runs every executable, in the opposite order in every second round, so that a
// machine's drift affects all alike. The first iteration of a turn finds caches left by the others:
// it does not count unless it takes longer than a turn should. `stop` is checked between turns;
// null: never. Requires: every executable has a step.
TurnTimes time_in_turn(std::span<Executable* const> executables, const TurnLimits& limits,
                       Clock& clock, const std::function<bool()>& stop = {});

}  // namespace strata
