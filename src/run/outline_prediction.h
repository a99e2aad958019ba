// SPDX-License-Identifier: MIT
#pragma once

#include "graph/outline.h"
#include "predict/network.h"
#include "record/run.h"

#include <array>
#include <optional>
#include <vector>

namespace strata {

// A whole iteration on a device.
struct WholePrediction {
    Seconds time;
    Bytes workspace;  // the largest of a step
    RunWork work;
};

// Predicts networks from their outlines. Every kind of layer is predicted once, so a network costs
// little more than adding up its steps. The numbers equal those of predict_network and
// work_of_steps to the last bit: the same terms are added in the same order.
class OutlinePredictor {
public:
    // Requires: `table` numbers the layers of all outlines; nothing is fused; device and table
    // outlive it.
    OutlinePredictor(const DeviceModel& device, const Execution& execution,
                     const LayerTable& table);

    // Nothing if a step has no prediction.
    std::optional<WholePrediction> predict(const Outline& outline, const Structure& structure);

private:
    struct Step {
        bool is_known = false;
        bool is_refused = false;
        Seconds issue = {};  // of the first kernel
        Seconds first = {};
        Seconds others = {};  // the kernels after it
        Bytes workspace = {};
        RunWork work = {};
    };

    const Step& step_of(KindId kind, Pass pass);
    const Step& sum_of(ShapeId shape);
    Step found(const Kernels& kernels) const;
    FedValues fed_by(const Outline& outline) const;

    const DeviceModel* device_;
    Device ceilings_;
    const LayerTable* table_;
    Execution execution_;
    UpdateCost update_;
    std::vector<std::array<Step, all_passes.size()>> steps_;  // by kind
    std::vector<Step> sums_;                                  // by shape
    std::vector<Seconds> times_;                              // of the steps of one network
};

}  // namespace strata
