// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"

#include <array>
#include <string>
#include <string_view>

namespace strata {

// The kinds of doubts about a run: about its samples and the machine meanwhile
// (measure/diagnose.h), a device (measure/device_diagnosis.h), the conditions
// (measure/diagnose.h), and requests that were not followed. `other` is a kind unknown to this
// version.
enum class DoubtKind {
    imprecise,
    drift,
    bimodal,
    autocorrelated,
    noisy_neighbour,
    steal,
    preempted,
    throttled,
    paging,
    clock_drift,
    shared_device,
    oversubscribed,
    shared_machine,
    folded,       // training omits what an inference file folded
    device_lost,  // a step made the device unusable
    not_traced,
    not_counted,
    traced_differs,     // the recorded iteration differs in length from the timed one
    faulty_profiler,    // a version with a known defect
    profiler_attached,  // a profiler was used in this process before the run was timed
    not_recorded,       // the iteration was launched step by step
    overridden,         // a variable contradicts a setting
    disturbed,          // other programs delayed samples, or too many of them
    stale_ceilings,     // a step was faster than its ceiling allows
    doubtful_ceilings,  // their best values were not reproduced
    other,
};
inline constexpr std::array<std::string_view, 26> names_of(DoubtKind) {
    return {
        "imprecise",     "drift",          "bimodal",        "autocorrelated",  "noisy-neighbour",
        "steal",         "preempted",      "throttled",      "paging",          "clock-drift",
        "shared-device", "oversubscribed", "shared-machine", "folded",          "device-lost",
        "not-traced",    "not-counted",    "traced-differs", "faulty-profiler", "profiler-attached",
        "not-recorded",  "overridden",     "disturbed",      "stale-ceilings",  "doubtful-ceilings",
        "other"};
}

// A reason to doubt a measurement.
struct Doubt {
    DoubtKind kind = DoubtKind::other;
    std::string sentence = {};    // for display: the observation, and what helps
    std::string other_kind = {};  // the name of `other`
};

// The name in databases, JSON and tables: "noisy-neighbour".
inline std::string kind_text(const Doubt& doubt) {
    return doubt.kind == DoubtKind::other ? doubt.other_kind : std::string(name_of(doubt.kind));
}

inline Doubt doubt_named(const std::string& kind, std::string sentence) {
    const auto known = value_named<DoubtKind>(kind);
    return known && *known != DoubtKind::other ? Doubt{*known, std::move(sentence)}
                                               : Doubt{DoubtKind::other, std::move(sentence), kind};
}

}  // namespace strata
