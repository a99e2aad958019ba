// SPDX-License-Identifier: MIT
#include "published/finding.h"

#include "base/enumeration.h"
#include "base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace strata {

namespace {

using namespace std::string_view_literals;

constexpr std::array finding_keys = {"name"sv,   "quantity"sv, "device"sv, "over"sv,
                                     "layers"sv, "pass"sv,     "stalls"sv, "published"sv};
constexpr std::array finding_passes = {""sv, "forward"sv, "backward_data"sv, "backward_weights"sv};

bool compares_devices(FindingMeasure measure) {
    return measure == FindingMeasure::multiply_add_ratio || measure == FindingMeasure::speedup;
}

}  // namespace

PublishedFinding finding_of(const TomlSection& section) {
    section.expect_only(finding_keys);
    PublishedFinding finding{.name = section.required_text("name"),
                             .device = section.required_text("device"),
                             .over = section.text("over").value_or(""),
                             .layers = section.required_text("layers"),
                             .pass = section.text("pass").value_or(""),
                             .published = section.number("published")};
    const auto measure = value_named<FindingMeasure>(section.required_text("quantity"));
    if (!measure) {
        section.refuse("quantity",
                       fmt::format("give one of {}", fmt::join(names_of(FindingMeasure{}), ", ")));
    }
    finding.measure = *measure;
    if (std::ranges::find(finding_passes, finding.pass) == finding_passes.end()) {
        section.refuse("pass", "give forward, backward_data or backward_weights");
    }
    if (compares_devices(finding.measure) == finding.over.empty()) {
        section.refuse(
            "over", "give another device for multiply_add_ratio and speedup, and only for these");
    }
    for (const std::string& name : section.texts("stalls")) {
        const auto reason = value_named<StallReason>(name);
        if (!reason) {
            section.refuse(
                "stalls", fmt::format("give some of {}", fmt::join(names_of(StallReason{}), ", ")));
        }
        finding.stalls.push_back(*reason);
    }
    const bool is_of_stalls = finding.measure == FindingMeasure::top_stalls ||
                              finding.measure == FindingMeasure::stall_share;
    if (is_of_stalls == finding.stalls.empty()) {
        section.refuse("stalls", "give reasons for top_stalls and stall_share, and only for these");
    }
    return finding;
}

}  // namespace strata
