// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/compare.h"

#include <array>
#include <string_view>

namespace strata {

// A gate's verdict on the second side. `passes`: it is not slower than the limit allows. `fails`:
// it is. `open`: these samples do not decide it, which is not a pass.
enum class GateResult { passes, fails, open };
inline constexpr std::array<std::string_view, 3> names_of(GateResult) {
    return {"passes", "fails", "open"};
}

struct Gate {
    GateResult result = GateResult::open;
    double limit = 0;       // 0.03: 3 % slower is allowed
    bool by_steps = false;  // judged by the sum of common steps, not by the whole
};

// Judges the whole: it fails if the whole is slower and the ratio beyond the limit, and passes
// if the interval ends below the limit. If that is open, as for profiles, which have no whole,
// it judges the sum of the common steps in the same way. The sum passes only if it also stays below
// the limit when the steps that only one side has are added. Requires: the comparison was not
// refused.
Gate gate_of(const Comparison& comparison, double limit);

}  // namespace strata
