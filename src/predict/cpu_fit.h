// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"
#include "predict/cpu_model.h"

#include <span>
#include <string>

namespace strata {

// The measured time of an operator's pass that ran alone repeatedly.
struct OperatorTime {
    Op op;
    Signature signature;
    Pass pass = Pass::forward;
    Mode mode = Mode::training;
    StepKind kind = StepKind::compute;
    Seconds time;
    std::string problem = {};  // the operator in the form that `strata run` accepts
};

// Rates fitted to such times (predict/fit.h). The bandwidths of caches and memory come first, from
// the elementwise operators; then each family is fitted separately. A time that is not a positive
// number, or for which the model has no family, is ignored.
CpuRates fit_cpu_rates(std::span<const OperatorTime> times, const DeviceDescription& device);

// The predicted time of one, run alone; nothing if the model has no family for it.
std::optional<Seconds> predict_alone(const OperatorTime& one, const CpuCeilings& ceilings,
                                     const CpuRates& rates);

}  // namespace strata
