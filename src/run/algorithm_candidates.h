// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "measure/contest.h"

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

// How often one turn of an executable runs it: until its iterations take `enough` and there are
// `fewest`, but not beyond `longest` or `most`.
struct TurnLength {
    Seconds enough{5e-3};
    Seconds longest{5e-3};
    std::size_t fewest = 1;
    std::size_t most = 20;
};

// The median of each step over the iterations of one turn. The first finds caches left by others:
// it does not count unless it takes as long as a turn may. Requires: the executable has a step.
std::vector<Seconds> take_turn(Executable& executable, const TurnLength& length = {});

// Executables that take turns.
Contest contest_of(std::span<Executable* const> executables, std::function<bool()> is_stopped = {});

}  // namespace strata
