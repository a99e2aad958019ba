// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/budget.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A setting in which two runs differ; "default" where a run does not set it.
struct SettingDifference {
    std::string name;
    std::string before;
    std::string after;

    bool operator==(const SettingDifference&) const = default;
};

// Sorted by name. The measuring time does not count as a setting.
std::vector<SettingDifference> differences_between(const Settings& before, const Settings& after);

// The conclusion from the ratio of two times: no difference if its interval contains 1, uncertain
// if either time has too few samples for an interval.
enum class Change { unknown, uncertain, none, faster, slower };
inline constexpr std::array<std::string_view, 5> names_of(Change) {
    return {"unknown", "uncertain", "none", "faster", "slower"};
}

// The same work, in two runs.
struct PairedTime {
    std::vector<std::string> layers = {};  // several where one run fuses them into one operation
    std::string pass = {};                 // empty: the whole iteration
    std::optional<Estimate> before = {};   // nothing where it was not measured
    std::optional<Estimate> after = {};
    std::optional<Ratio> ratio = {};  // after over before

    Change change() const;
};

// Two runs of one network side by side. A row is a layer's pass with its reorders and
// accumulations; layers that either run fuses into one operation share a row. A ratio's interval
// combines the extremes of both medians' intervals, so it errs on the wide side.
struct Pairing {
    std::vector<SettingDifference> differences;
    std::vector<PairedTime> rows;  // layer by layer
    PairedTime whole;              // end to end, without time stamps
    // Why the two runs are not compared: one is incomplete (record/completeness.h), and there are
    // no rows and no ratio. Empty where they are compared.
    std::string refusal = {};
};

Pairing pair_of(const Run& before, const Run& after);

}  // namespace strata
