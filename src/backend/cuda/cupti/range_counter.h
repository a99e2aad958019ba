// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/trouble.h"
#include "metric/formula.h"

#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace strata::cuda {

// The values counted between a push and its pop.
struct CountedRange {
    std::string name = {};
    CounterValues values = {};
};

// Whether another pass over the work is needed.
enum class Passes { remain, are_done };

// Counters configured on a device and read range by range; the work is repeated for each pass.
// Every function throws ProfilerError if CUPTI refuses.
class RangeCounter {
public:
    virtual ~RangeCounter() = default;

    virtual void start_pass() = 0;
    virtual void push(const std::string& name) = 0;
    virtual void pop() = 0;
    // Requires: the device has finished the launched work.
    virtual Passes stop_pass() = 0;
    // After the last pass: every range, in the order of the pushes.
    virtual std::vector<CountedRange> read() = 0;
};

// A scope guard for a range.
class CountingRange {
public:
    CountingRange(RangeCounter& counter, const std::string& name) : counter_(counter) {
        counter_.push(name);
    }
    CountingRange(const CountingRange&) = delete;
    CountingRange& operator=(const CountingRange&) = delete;
    // A failed pop is also reported at the end of the pass.
    ~CountingRange();

private:
    RangeCounter& counter_;
};

// Why counters could not be read, and a sentence that includes the fix.
struct NotCounted {
    ProfilerTrouble trouble = ProfilerTrouble::refused;
    std::string sentence = {};
};

using CountingOutcome = std::variant<std::vector<CountedRange>, NotCounted>;

// Repeats `work` until all passes are done. The work launches the same each time, in ranges of
// `counter`, and waits for the device before it returns. If the passes have not ended after a few
// times the `planned` number, that is an error, too. A refusal by CUPTI becomes an outcome, so that
// the rest of a run continues; exceptions from the work itself are passed on.
CountingOutcome count_ranges(RangeCounter& counter, std::size_t planned,
                             const std::function<void()>& work);

}  // namespace strata::cuda
