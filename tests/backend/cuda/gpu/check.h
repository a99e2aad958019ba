// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace strata::testing {

// One line of what a check found: a figure, or a case that agreed or did not.
struct Finding {
    std::string subject;
    double value = 0;     // 0 where only the outcome counts
    std::string unit;     // empty: no figure
    std::string failure;  // empty: as it should be
};

// Takes findings as they come, so that none is lost where a check ends early.
using Sink = std::function<void(const Finding&)>;

// Something that only a GPU can show. After trouble that leaves the device unusable for this
// process it continues in another one, from the case after: `first` is the case to begin with, and
// `run` tells through `case_begins` which it is at.
struct Check {
    std::string_view name;
    std::string_view shows;
    void (*run)(std::size_t first, const std::function<void(std::size_t)>& case_begins,
                const Sink& sink);
};

// THE list, the most telling first: a run that is cut short has had them.
std::span<const Check> gpu_checks();

}  // namespace strata::testing
