// SPDX-License-Identifier: MIT
#include "analyze/gate.h"

#include "base/error.h"

namespace strata {

namespace {

GateResult result_of(const ComparedTime& time, double limit) {
    if (!time.ratio) {
        return GateResult::open;
    }
    if (verdict_of(*time.ratio, limit) == Verdict::slower) {
        return GateResult::fails;
    }
    return time.ratio->high <= 1 + limit ? GateResult::passes : GateResult::open;
}

// The ratio of all steps' times if the steps that both sides have slow down by `ratio`.
double ratio_of_all(const Comparison& comparison, double ratio) {
    const Seconds before = comparison.before.matched + comparison.before.unmatched;
    return (ratio * comparison.before.matched + comparison.after.unmatched) / before;
}

GateResult result_of_steps(const Comparison& comparison, double limit) {
    const GateResult result = result_of(comparison.sum, limit);
    if (result == GateResult::open) {
        return result;
    }
    const Ratio& ratio = *comparison.sum.ratio;
    const double judged = result == GateResult::passes ? ratio.high : ratio.value;
    const bool is_beyond = ratio_of_all(comparison, judged) > 1 + limit;
    return is_beyond == (result == GateResult::fails) ? result : GateResult::open;
}

}  // namespace

Gate gate_of(const Comparison& comparison, double limit) {
    check(comparison.refusal.empty(), "only a comparison can be judged");
    const GateResult whole = result_of(comparison.whole, limit);
    return whole != GateResult::open ? Gate{whole, limit, false}
                                     : Gate{result_of_steps(comparison, limit), limit, true};
}

}  // namespace strata
