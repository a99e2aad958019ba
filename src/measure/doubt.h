// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"

#include <array>
#include <string>
#include <string_view>

namespace strata {

// What is doubted of a run: of its samples and the machine meanwhile (measure/diagnose.h), of a
// device (measure/device_diagnosis.h), of the circumstances (measure/circumstances.h), and of what
// was not done as asked. `other` is a kind that this version does not know.
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
    folded,       // training leaves out what an inference file folded
    device_lost,  // a step made it unusable
    not_traced,
    not_counted,
    other,
};
inline constexpr std::array<std::string_view, 18> names_of(DoubtKind) {
    return {"imprecise",       "drift",       "bimodal",       "autocorrelated",
            "noisy-neighbour", "steal",       "preempted",     "throttled",
            "paging",          "clock-drift", "shared-device", "oversubscribed",
            "shared-machine",  "folded",      "device-lost",   "not-traced",
            "not-counted",     "other"};
}

// A reason to doubt what was measured.
struct Doubt {
    DoubtKind kind = DoubtKind::other;
    std::string sentence = {};    // for people: what was seen, and what helps
    std::string other_kind = {};  // the name of `other`
};

// As databases, JSON and tables name it: "noisy-neighbour".
inline std::string kind_text(const Doubt& doubt) {
    return doubt.kind == DoubtKind::other ? doubt.other_kind : std::string(name_of(doubt.kind));
}

inline Doubt doubt_named(const std::string& kind, std::string sentence) {
    const auto known = value_named<DoubtKind>(kind);
    return known && *known != DoubtKind::other ? Doubt{*known, std::move(sentence)}
                                               : Doubt{DoubtKind::other, std::move(sentence), kind};
}

}  // namespace strata
