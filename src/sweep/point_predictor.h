// SPDX-License-Identifier: MIT
#pragma once

#include "run/modelled.h"
#include "run/outline_prediction.h"
#include "store/sweeps.h"
#include "sweep/point_outline.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// The stored part of each predicted point.
enum class KeptSteps { all, none };  // none: only the time of the whole iteration

// A point's prediction without its steps.
struct PredictedWhole {
    Seconds time;
    Bytes memory;  // Run::predicted_memory
    RunWork work;
};

// A point with its outcome and, if that is ok, one of these.
struct PredictedPoint {
    StoredPoint point;
    std::optional<Run> run = {};
    std::optional<PredictedWhole> whole = {};
};

// The job that predicts a point.
Job predicted_job(const SweepSpec& spec, const GridPlace& place, const DeviceDescription& device);

// Predicts the points of a grid, for one thread. Neighbours share work: the network's graph or
// outline serves all devices. If only whole times are requested, no graph is made at all: a layer
// that was seen before, in any network, costs one addition. Points without an outline, including
// those with fused or chosen layers, need a graph.
class PointPredictor {
public:
    // Throws Error for a device that is unknown or has no model. Requires: the spec outlives it.
    PointPredictor(const SweepSpec& spec, KeptSteps steps);

    PredictedPoint predicted(std::int64_t index);

    // How many points needed no graph.
    std::int64_t outlined() const { return outlined_; }

private:
    void renew();
    StoredPoint planned(const GridPlace& place);
    Job job_at(const GridPlace& place) const {
        return predicted_job(spec_, place, model_at(place).device());
    }
    void predict_graph(const GridPlace& place, PredictedPoint& found);
    bool predict_outline(const GridPlace& place, PredictedPoint& found);
    bool has_room(const GridPlace& place, const ModelledMemory& memory, StoredPoint& point) const;
    const DeviceModel& model_at(const GridPlace& place) const { return *models_[place.target]; }

    const SweepSpec& spec_;
    KeptSteps steps_;
    std::vector<std::unique_ptr<DeviceModel>> models_;  // by device
    std::int64_t predicted_ = 0;
    std::int64_t outlined_ = 0;

    std::int64_t network_ = -1;  // of text_
    std::string text_;
    std::vector<std::pair<std::string, std::string>> mode_and_dtype_;  // by settings

    std::shared_ptr<const Plan> plan_;  // of the last points that needed one
    std::int64_t plan_index_ = -1;

    PointOutline outline_;
    std::vector<OutlinePredictor> predictors_;  // by settings and device
};

}  // namespace strata
