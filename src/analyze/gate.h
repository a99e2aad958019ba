// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/compare.h"

#include <array>
#include <string_view>

namespace strata {

// What a gate says of the second side. `passes`: it is not slower than the limit allows. `fails`:
// it is. `open`: these samples do not decide it, which is no pass.
enum class GateResult { passes, fails, open };
inline constexpr std::array<std::string_view, 3> names_of(GateResult) {
    return {"passes", "fails", "open"};
}

struct Gate {
    GateResult result = GateResult::open;
    double limit = 0;       // 0.03: 3 % slower is allowed
    bool by_steps = false;  // the sum of the steps that both sides have was judged, not the whole
};

// Judges the whole: it fails where the whole is slower and the ratio beyond the limit, and passes
// where the interval ends below the limit. Where that is open, as for profiles, which have no
// whole, it judges the sum of the steps that both sides have in the same way. The sum passes only
// if what one side alone has, added to its time, leaves it below the limit, too. Requires: the
// comparison was not refused.
Gate gate_of(const Comparison& comparison, double limit);

}  // namespace strata
