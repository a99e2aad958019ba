// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "op/problem.h"
#include "record/options.h"

#include <string_view>
#include <vector>

namespace strata {

// What the engine of this name can do, known without opening a vendor's library: what the command
// line refuses, and what stored runs are advised to try, go by it. Nothing of an unknown engine.
Capabilities capabilities_of(std::string_view backend);

// An algorithm that an engine has for a pass, and the share of the machine's arithmetic peak that
// it commonly reaches there. The share counts the operations that the pass asks for, so it lies
// above 1 where the algorithm does fewer.
struct AlgorithmOffer {
    PassAlgorithm algorithm;
    double usual_share = 0;
};

// The algorithms of an engine's own that are often the fastest for a pass of this problem, as far
// as it can do the problem by them.
std::vector<AlgorithmOffer> offers_of(std::string_view backend, const Problem& problem, Pass pass,
                                      DataType dtype);

}  // namespace strata
