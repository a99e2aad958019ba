// SPDX-License-Identifier: MIT
#pragma once

#include "tests/backend/problems.h"
#include "tests/backend/verified.h"

namespace strata::testing {

// `verify_graph` by the oneDNN backend.
std::string verify_graph(const Graph& graph, const Execution& execution);

}  // namespace strata::testing
