// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "op/problem.h"
#include "record/options.h"

#include <string_view>
#include <vector>

namespace strata {

// The capabilities of the engine of this name, known without opening a vendor's library: the
// command line refuses, and advice for stored runs proposes, by them. Nothing for an unknown
// engine.
Capabilities capabilities_of(std::string_view backend);

// An algorithm that an engine has for a pass, and the share of the machine's arithmetic peak that
// it commonly reaches there. The share counts the pass's nominal operations, so it exceeds 1 if the
// algorithm executes fewer.
struct AlgorithmOffer {
    PassAlgorithm algorithm;
    double usual_share = 0;
};

// The engine's own algorithms that are often the fastest for a pass of this problem, among those
// that can compute it.
std::vector<AlgorithmOffer> offers_of(std::string_view backend, const Problem& problem, Pass pass,
                                      DataType dtype);

}  // namespace strata
