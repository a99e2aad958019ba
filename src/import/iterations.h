// SPDX-License-Identifier: MIT
#pragma once

#include "import/recording.h"

#include <optional>
#include <string>
#include <vector>

namespace strata {

// A recording divided into iterations.
struct RecordedIterations {
    std::size_t count = 1;
    std::vector<std::optional<std::size_t>> of_operator = {};  // nothing: outside all
    std::vector<Seconds> lengths = {};  // of each; empty if the file has no starts
    bool has_wrapped = false;           // a length was negative or over an hour, so none is kept
    std::string how = {};               // "marked by the tool", for display
    Nanoseconds outside = {};           // time of the operators outside
};

// The iterations that the tool marked; else the requested number, of equally many operators; else
// those in which the sequence of operators repeats, from its first repetition on; else one. Throws
// Error with exit code usage if the operators cannot be divided as requested.
RecordedIterations iterations_in(const RecordedProfile& recording,
                                 std::optional<std::int64_t> asked);

}  // namespace strata
