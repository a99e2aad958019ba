// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <span>
#include <string>

namespace strata {

// The algorithms that are tried for every convolution: the usual one first, the library's own
// choice last. Winograd with an open tile stands behind those with a given one: what is left to it
// is the library's own.
std::span<const ConvolutionAlgorithm> candidate_algorithms();

// Whether a step is a convolution's pass.
bool is_convolution_pass(const Graph& graph, const Step& step);

// Why a step does not run by the algorithm that was asked for; empty if it does.
std::string reason_against(const Step& step, ConvolutionAlgorithm asked);

// An execution that asks this algorithm of every convolution.
Execution with_algorithm(Execution execution, ConvolutionAlgorithm algorithm);

}  // namespace strata
