// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "measure/measurement.h"
#include "measure/waits.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// Something prepared, warmed up and ready to be timed that can also time its own
// parts.
class Iteration {
public:
    virtual ~Iteration() = default;

    // Runs once, without anything added; returns its time.
    virtual Seconds run() = 0;

    // Runs once with a time stamp between parts; fills in one time per part, returns the total.
    virtual Seconds run_timed(std::span<Seconds> parts) = 0;

    virtual std::size_t parts() const = 0;

    // The watch that `run_timed` informs of each part; null if nobody watches.
    virtual WaitWatch* watch() { return nullptr; }
};

// Why sampling ended. `budget`: max_time was used up and some median is still imprecise.
enum class StopReason { precise, budget, interrupted };
inline constexpr std::array<std::string_view, 3> names_of(StopReason) {
    return {"precise", "budget", "interrupted"};
}

// All samples of an iteration. parts[p].values[i] belongs to instrumented.values[i]; end_to_end and
// instrumented have the same number of values; calibration has one per block. Watched samples
// include marks of which ones other programs disturbed; those of the calibration are not watched.
struct SampledIteration {
    std::vector<Samples> parts;
    Samples end_to_end;    // Iteration::run
    Samples instrumented;  // Iteration::run_timed
    Samples calibration;   // fixed work, independent of the iteration
    StopReason reason = StopReason::interrupted;
};

// The sum of the parts, sample by sample, disturbed if one of them is. Requires: every part has the
// same number of values.
Samples sum_of_parts(const SampledIteration& sampled);

}  // namespace strata
