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
    std::vector<std::optional<std::size_t>> of_operator = {};  // nothing: outside of all
    std::vector<Seconds> lengths = {};  // of each; empty where the file has no starts
    bool has_wrapped = false;           // a length was negative or beyond an hour, and none is kept
    std::string how = {};               // "marked by the tool", a phrase for people
    Nanoseconds outside = {};           // time of the operators outside
};

// The iterations that the tool marked; else as many as were asked, of equal numbers of operators;
// else those by which the sequence of operators repeats itself, from where it first does; else
// one. Throws Error with exit code usage if the operators cannot be divided as asked.
RecordedIterations iterations_in(const RecordedProfile& recording,
                                 std::optional<std::int64_t> asked);

}  // namespace strata
