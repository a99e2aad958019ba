// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/range_counter.h"

#include <exception>

namespace strata::cuda {

namespace {

// One pass over the work. A pass is stopped even if the work fails, because the counters would
// otherwise stay in use for the whole process.
Passes run_pass(RangeCounter& counter, const std::function<void()>& work) {
    counter.start_pass();
    try {
        work();
    } catch (...) {
        const std::exception_ptr failure = std::current_exception();
        try {
            counter.stop_pass();
        } catch (const ProfilerError&) {
            // The work's own failure is the one to report.
        }
        std::rethrow_exception(failure);
    }
    return counter.stop_pass();
}

void run_passes(RangeCounter& counter, std::size_t planned, const std::function<void()>& work) {
    const std::size_t maximum = 4 * planned + 8;
    for (std::size_t pass = 0; pass < maximum; ++pass) {
        if (run_pass(counter, work) == Passes::are_done) {
            return;
        }
    }
    throw ProfilerError(ProfilerTrouble::endless_passes, "count ranges");
}

}  // namespace

CountingRange::~CountingRange() {
    try {
        counter_.pop();
    } catch (const ProfilerError&) {
        // The end of the pass finds the range still open and reports it.
    }
}

CountingOutcome count_ranges(RangeCounter& counter, std::size_t planned,
                             const std::function<void()>& work) {
    try {
        run_passes(counter, planned, work);
        return counter.read();
    } catch (const ProfilerError& error) {
        return NotCounted{error.trouble(), error.what()};
    }
}

}  // namespace strata::cuda
