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

// An operator, or the kernels of one launch of a graph, as a part of a sequence that may consist of
// equal rounds.
struct SequencePart {
    std::uint32_t identity = 0;  // equal parts have equal ones
    Pass pass = Pass::forward;
    bool is_graph = false;
    Nanoseconds time = {};
    Nanoseconds start = {};  // of the device's work where there is any
    Nanoseconds end = {};
};

// What says that a sequence consists of several rounds.
enum class RoundEvidence {
    gaps,       // a clear gap in time before each
    training,   // a forward pass begins again after a backward pass or an update
    graphs,     // launches of a graph are what repeats itself
    recurrence  // the first part comes again with all that followed it, up to the end
};

// Rounds of a sequence: the parts at which each begins, and the end of the last one.
struct Rounds {
    std::vector<std::size_t> begins = {};
    std::size_t end = 0;
    RoundEvidence evidence = RoundEvidence::recurrence;
};

// The rounds of a sequence, at least two; nothing where there is no evidence of them. Equal blocks
// at the end of one pass are none: rounds hold every part from the first one on, but for
// preparations of at most 2 % of the time where a gap or a backward pass shows the rounds by
// themselves, and a last round that was cut. Whoever only repeats equal blocks and nothing else
// cannot be told from iterations (RoundEvidence::recurrence).
std::optional<Rounds> rounds_in(std::span<const SequencePart> parts, bool has_starts);

// So many rounds as are asked for: of equal length if all begin with the first part, else from
// where it comes again to where it does, else between the longest gaps, else of equal length;
// nothing if none of these gives that many.
std::optional<Rounds> rounds_in(std::span<const SequencePart> parts, bool has_starts,
                                std::size_t count);

}  // namespace strata
