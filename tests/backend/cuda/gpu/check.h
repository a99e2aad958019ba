// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace strata::testing {

// One line of a check's result: a figure, or whether a case agreed.
struct Finding {
    std::string subject;
    double value = 0;     // 0 if only the outcome counts
    std::string unit;     // empty: no figure
    std::string failure;  // empty: passed
};

// Receives findings as they come, so that none is lost if a check ends early.
using Sink = std::function<void(const Finding&)>;

// A check that needs a GPU. After an error that leaves the device unusable for this process, it
// continues in another one with the next case: `first` is the case to begin with, and `run` reports
// through `case_begins` which case it is at.
struct Check {
    std::string_view name;
    std::string_view shows;
    int quick_seconds;  // its limit in gpu-check --quick; 0: not part of that
    void (*run)(std::size_t first, const std::function<void(std::size_t)>& case_begins,
                const Sink& sink);
};

// THE list, most doubtful first, for runs that are cut short.
std::span<const Check> gpu_checks();

}  // namespace strata::testing
