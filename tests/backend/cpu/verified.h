// SPDX-License-Identifier: MIT
#pragma once

#include "tests/backend/problems.h"
#include "tests/backend/verified.h"

namespace strata::testing {

// `verify_graph` by the oneDNN backend.
std::string verify_graph(const Graph& graph, const Execution& execution);

// Skips the test with this sentence, unless it is empty.
#define STRATA_SKIP_FOR(sentence)                                 \
    if (const std::string reason = (sentence); !reason.empty()) { \
        GTEST_SKIP() << reason;                                   \
    }                                                             \
    static_assert(true)

// What this machine or the library lacks for this type, as a sentence to skip a test with; empty
// where it lacks nothing.
std::string lack_of(DataType dtype);

// The same for Winograd's convolutions.
std::string lack_of_winograd();

}  // namespace strata::testing
