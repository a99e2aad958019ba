// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// How well something works on this machine.
enum class Condition { ok, limited, absent };
inline constexpr std::array<std::string_view, 3> names_of(Condition) {
    return {"ok", "limited", "absent"};
}

// The result of one check: something that measuring needs or gains from.
struct DoctorCheck {
    std::string subject;  // "hardware counters"
    Condition condition = Condition::ok;
    std::string meaning;  // what it enables or costs: "no cache misses by layer"
    std::string fix;      // how to get it: "sysctl kernel.perf_event_paranoid=1"; may be empty
};

// What this machine can measure, one paragraph each, with what is missing first:
//
//   Not available
//   hardware counters: no cache misses by layer → sysctl kernel.perf_event_paranoid=1
//
//   Available
//   processor: AMD EPYC, 2 processors for this process
Document doctor_document(std::span<const DoctorCheck> findings);

// The same as one table, in the order of examination: for JSON and CSV.
Document doctor_records(std::span<const DoctorCheck> findings);

}  // namespace strata
