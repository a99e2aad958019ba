// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata::testing {

// One line of what a check found: a figure, or a case that agreed or did not.
struct Finding {
    std::string subject;
    double value = 0;     // 0 where only the outcome counts
    std::string unit;     // empty: no figure
    std::string failure;  // empty: as it should be
};

// Something that only a GPU can show.
struct Check {
    std::string_view name;
    std::string_view shows;
    std::vector<Finding> (*run)();
};

// THE list, the most telling first: a run that is cut short has had them.
std::span<const Check> gpu_checks();

}  // namespace strata::testing
