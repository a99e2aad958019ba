// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/budget.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A setting in which two runs differ; "default" where a run does not name it.
struct SettingDifference {
    std::string name;
    std::string before;
    std::string after;

    bool operator==(const SettingDifference&) const = default;
};

// By name. How long was measured does not count.
std::vector<SettingDifference> differences_between(const Settings& before, const Settings& after);

// What the ratio of two times says: no difference where its interval holds 1, and nothing where
// either has too few samples for an interval.
enum class Change { unknown, uncertain, none, faster, slower };
inline constexpr std::array<std::string_view, 5> names_of(Change) {
    return {"unknown", "uncertain", "none", "faster", "slower"};
}

// The same work in two runs.
struct PairedTime {
    std::vector<std::string> layers = {};  // several where one operation of either run does them
    std::string pass = {};                 // empty: the whole iteration
    std::optional<Estimate> before = {};   // nothing where it was not measured
    std::optional<Estimate> after = {};
    std::optional<Ratio> ratio = {};  // after over before

    Change change() const;
};

// Two runs of one network beside each other. A row is a layer's pass with its reorders and
// accumulations; layers that are one operation in one of the runs are one row. A ratio's interval
// is that of the two medians taken at their worst: too wide rather than too narrow.
struct Pairing {
    std::vector<SettingDifference> differences;
    std::vector<PairedTime> rows;  // layer by layer
    PairedTime whole;              // end to end, without time stamps
    // Why the two are not compared: one is incomplete (record/completeness.h). Then there is no row
    // and no ratio. Empty where they are.
    std::string refusal = {};
};

Pairing pair_of(const Run& before, const Run& after);

}  // namespace strata
