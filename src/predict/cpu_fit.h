// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"
#include "predict/cpu_model.h"

#include <span>
#include <string>

namespace strata {

// What a pass of an operator took that ran alone, again and again.
struct OperatorTime {
    Op op;
    Signature signature;
    Pass pass = Pass::forward;
    Mode mode = Mode::training;
    StepKind kind = StepKind::compute;
    Seconds time;
    std::string problem = {};  // the operator as `strata run` takes it
};

// Rates fitted to such times (predict/fit.h), each family by itself after the caches' and the
// memory's bandwidths, which are those that the elementwise operators reach. A time that is no
// positive number, or that the model has no family for, says nothing.
CpuRates fit_cpu_rates(std::span<const OperatorTime> times, const DeviceDescription& device);

// The predicted time of one, alone; nothing where the model has no family for it.
std::optional<Seconds> predict_alone(const OperatorTime& one, const CpuCeilings& ceilings,
                                     const CpuRates& rates);

}  // namespace strata
