// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <cstddef>

namespace strata {

// Is told where each step of an iteration begins and ends, to put a range of a profiler around it.
class StepWatch {
public:
    virtual ~StepWatch() = default;
    // `index` is the step's among Executable::steps().
    virtual void begin(std::size_t index, const Step& step) = 0;
    virtual void end() noexcept = 0;
};

// Ends a step that has begun, also where its work throws.
class WatchedStep {
public:
    WatchedStep(StepWatch& watch, std::size_t index, const Step& step) : watch_(watch) {
        watch_.begin(index, step);
    }
    WatchedStep(const WatchedStep&) = delete;
    WatchedStep& operator=(const WatchedStep&) = delete;
    ~WatchedStep() { watch_.end(); }

private:
    StepWatch& watch_;
};

}  // namespace strata
