// SPDX-License-Identifier: MIT
#pragma once

#include "graph/plan.h"
#include "predict/device_model.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// One step of a predicted iteration: a layer's pass, or the sum of gradients it contributes to.
struct PredictedStep {
    LayerId layer = 0;
    Pass pass = Pass::forward;
    StepKind kind = StepKind::compute;
    Kernels kernels = {};             // none: it costs nothing
    std::string refusal = {};         // why it has no prediction; empty: it has one
    std::optional<Task> within = {};  // the task whose kernels include its work
    Bytes moved = {};                 // for a sum of gradients: read and written

    Seconds time() const { return time_of(kernels); }
    bool has_time() const { return refusal.empty() && !within; }
};

// A network on a device. Its time is the sum of its steps' times and of `beyond`; the time of a
// refused step is missing.
struct NetworkPrediction {
    std::vector<PredictedStep> steps;  // in the order of execution
    Seconds beyond = {};               // DeviceModel::beyond_steps

    Seconds time() const;
    std::size_t refused() const;
    std::size_t kernels() const;
};

// Predicts every step of the schedule, and the sums of gradients from several layers for one
// tensor. A pass includes the time that the device waits for the host to issue it (IssueQueue).
// If layers are fused (EngineOptions::fusion), the first one's kernels do the work of those that
// follow; only their other reads remain of their traffic. Requires: the plan has the execution's
// numerics.
NetworkPrediction predict_network(const Plan& plan, const Execution& execution,
                                  const DeviceModel& device);
// The same of a graph that has no plan yet.
NetworkPrediction predict_network(const Graph& graph, const Execution& execution,
                                  const DeviceModel& device);

// The sum of two tensors of this shape, such as gradients; none if it has no prediction.
Kernels sum_of_gradients(const Tensor& tensor, const Execution& execution,
                         const DeviceModel& device, const Device& ceilings);

// The share of the time that the rates of each class decide; statements of their errors use it.
std::array<Seconds, rate_classes> time_by_rates(const NetworkPrediction& prediction);

}  // namespace strata
