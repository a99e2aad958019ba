// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/trouble.h"
#include "metric/value.h"

#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace strata::cuda {

// What was counted between a push and its pop.
struct CountedRange {
    std::string name = {};
    CounterValues values = {};
};

// Whether another pass over the work is needed.
enum class Passes { remain, are_done };

// Counters set up on a device, to be read range by range; the work is repeated once for each pass.
// Every function throws ProfilerError where CUPTI refuses.
class RangeCounter {
public:
    virtual ~RangeCounter() = default;

    virtual void start_pass() = 0;
    virtual void push(const std::string& name) = 0;
    virtual void pop() = 0;
    // Requires: the device has done what was launched.
    virtual Passes stop_pass() = 0;
    // After the last pass: every range, in the order of the pushes.
    virtual std::vector<CountedRange> read() = 0;
};

// The range that lies around what is done while it lives.
class CountingRange {
public:
    CountingRange(RangeCounter& counter, const std::string& name) : counter_(counter) {
        counter_.push(name);
    }
    CountingRange(const CountingRange&) = delete;
    CountingRange& operator=(const CountingRange&) = delete;
    // A pop that fails shows at the end of the pass, too.
    ~CountingRange();

private:
    RangeCounter& counter_;
};

// Counters that could not be had: why, and in a sentence with its fix.
struct NotCounted {
    ProfilerTrouble trouble = ProfilerTrouble::refused;
    std::string sentence = {};
};

using CountingOutcome = std::variant<std::vector<CountedRange>, NotCounted>;

// Repeats `work` until all passes are done. The work launches the same each time, in ranges of
// `counter`, and waits for the device before it returns. `planned` passes are expected; where they
// do not end after a few times as many, that is trouble, too. What CUPTI refuses becomes an
// outcome, so that the rest of a run continues; what the work itself throws is passed on.
CountingOutcome count_ranges(RangeCounter& counter, std::size_t planned,
                             const std::function<void()>& work);

}  // namespace strata::cuda
