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

// The algorithms that are tried for every convolution: the usual one first, the library's own
// choice last.
std::span<const ConvolutionAlgorithm> candidate_algorithms();

// Candidates of which a layer can run by one at most, so that one network tries all of them.
using CandidateGroup = std::vector<PassAlgorithm>;

// Every candidate beside the usual ones, for convolutions and for linear layers. Winograd with an
// open tile stands behind 4x4, which it takes where the library has none of its own.
std::vector<CandidateGroup> candidate_groups();

// That of the group which is for this kind of layer, among several the one made for its window;
// nothing: the group has none.
std::optional<PassAlgorithm> candidate_for(const CandidateGroup& group, const Op& op);

// Whether a step is a convolution's pass.
bool is_convolution_pass(const Graph& graph, const Step& step);

// Whether a step is a pass of which the algorithm can be chosen.
bool is_tunable_pass(const Graph& graph, const Step& step);

// Why a step does not run by the algorithm that was asked for; empty if it does.
std::string reason_against(const Step& step, const PassAlgorithm& asked);

// An execution that asks this algorithm of every convolution.
Execution with_algorithm(Execution execution, ConvolutionAlgorithm algorithm);

// Executables that are measured in turn: the times of each one's steps, a sample of each round.
struct TurnTimes {
    std::vector<std::vector<Samples>> steps;  // by executable, then by step
    std::vector<Samples> whole;               // by executable: the sum of its steps
    std::size_t rounds = 0;
};

// How long executables take turns.
struct TurnLimits {
    std::size_t min_rounds = 5;
    std::size_t max_rounds = 50;
    Seconds min_time{0};      // of all together
    Seconds max_time{60};     // likewise; a round that began ends, and there are two at least
    double precision = 0;     // wanted half-width of every whole's median; 0: rounds to the maximum
    Seconds each_turn{5e-3};  // a quick executable repeats until then
    std::size_t before = 0;   // rounds taken before, whose order goes on
};

// Adds rounds in which the same executables took turns.
void append(TurnTimes& times, const TurnTimes& further);

// Forgets an executable.
void remove(TurnTimes& times, std::size_t executable);

// Each round runs every executable, in the opposite order in every second round, so that a machine
// that drifts treats all alike. The first iteration of a turn meets caches that the others left: it
// does not count unless it takes longer than a turn should. `stop` is asked between turns; null:
// never. Requires: every executable has a step.
TurnTimes time_in_turn(std::span<Executable* const> executables, const TurnLimits& limits,
                       Clock& clock, const std::function<bool()>& stop = {});

}  // namespace strata
