// SPDX-License-Identifier: MIT
#pragma once

#include "tests/backend/problems.h"
#include "tests/backend/verified.h"

namespace strata::testing {

// `verify_graph` with the oneDNN backend.
std::string verify_graph(const Graph& graph, const Execution& execution);

// Skips the test with this sentence, unless it is empty.
#define STRATA_SKIP_FOR(sentence)                                 \
    if (const std::string reason = (sentence); !reason.empty()) { \
        GTEST_SKIP() << reason;                                   \
    }                                                             \
    static_assert(true)

// Why this machine or the library does not support the type, as a sentence for skipping a test;
// empty if both do.
std::string lack_of(DataType dtype);

// The same for Winograd's convolutions.
std::string lack_of_winograd();

}  // namespace strata::testing
