// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The algorithms that are tried for every convolution: the usual one first, the library's own
// choice last. Winograd with an open tile stands behind those with a given one: what is left to it
// is the library's own.
std::span<const ConvolutionAlgorithm> candidate_algorithms();

// Candidates of which a layer can run by one at most, so that one network tries all of them.
using CandidateGroup = std::vector<PassAlgorithm>;

// Every candidate beside the usual ones, for convolutions and for linear layers.
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

}  // namespace strata
