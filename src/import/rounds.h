// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"
#include "trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace strata {

// An operator, or the kernels of one graph launch, as a part of a sequence that may consist of
// equal rounds.
struct SequencePart {
    std::uint32_t identity = 0;  // equal for equal parts
    Pass pass = Pass::forward;
    bool is_graph = false;
    Nanoseconds time = {};
    Nanoseconds start = {};  // of the device's work if there is any
    Nanoseconds end = {};
};

// The evidence that a sequence consists of several rounds.
enum class RoundEvidence {
    gaps,       // a clear gap in time before each
    training,   // a forward pass begins again after a backward pass or an update
    graphs,     // launches of a graph repeat
    recurrence  // the first part recurs with everything that followed it, up to the end
};

// Rounds of a sequence: the first part of each, and the end of the last one.
struct Rounds {
    std::vector<std::size_t> begins = {};
    std::size_t end = 0;
    RoundEvidence evidence = RoundEvidence::recurrence;
};

// The rounds of a sequence, at least two; nothing if there is no evidence of them. Equal blocks at
// the end of one pass are not rounds: rounds cover every part from the first one on, except
// preparations of at most 2 % of the time if a gap or a backward pass shows the rounds, and a
// truncated last round. A network of nothing but equal blocks cannot be distinguished from
// iterations (RoundEvidence::recurrence).
std::optional<Rounds> rounds_in(std::span<const SequencePart> parts, bool has_starts);

// The requested number of rounds: of equal length if all begin with the first part, else split
// where it recurs, else at the longest gaps, else of equal length; nothing if none of these gives
// that many.
std::optional<Rounds> rounds_in(std::span<const SequencePart> parts, bool has_starts,
                                std::size_t count);

}  // namespace strata
