// SPDX-License-Identifier: MIT
#include "sweep/point_predictor.h"

#include "base/error.h"
#include "base/unit_text.h"
#include "record/options.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

constexpr std::int64_t points_per_model = 10'000;
constexpr std::size_t max_kinds = 16'384;  // remembered kinds of layers: some megabytes

std::string refusal_in(const NetworkPrediction& prediction, const Graph& graph) {
    for (const PredictedStep& step : prediction.steps) {
        if (!step.refusal.empty()) {
            return fmt::format("{} of {} steps have no prediction ({} {}: {})",
                               prediction.refused(), prediction.steps.size(),
                               graph.layers[step.layer].name, name_of(step.pass), step.refusal);
        }
    }
    return "";
}

}  // namespace

Job predicted_job(const SweepSpec& spec, const GridPlace& place, const DeviceDescription& device) {
    Job job = job_of(spec, point_of(spec, place.index));
    set_device(job, device);
    return job;
}

PointPredictor::PointPredictor(const SweepSpec& spec, KeptSteps steps)
    : spec_(spec), steps_(steps), outline_(spec) {
    for (const Settings& settings : spec.settings) {
        mode_and_dtype_.emplace_back(text_of(settings, "mode"), text_of(settings, "dtype"));
    }
    renew();
}

// Frees memory: a model remembers every product that it has planned, a table every layer.
void PointPredictor::renew() {
    models_.clear();
    predictors_.clear();
    outline_.forget_layers();
    for (const std::string& name : spec_.devices) {
        models_.push_back(model_of(find_description(name)));
    }
    for (std::size_t settings = 0; settings < spec_.settings.size(); ++settings) {
        for (std::size_t target = 0; target < models_.size(); ++target) {
            if (can_be_outlined(spec_.settings[settings])) {
                // Uses the first network's first batch: the execution is the same for all.
                const auto index = static_cast<std::int64_t>(settings * models_.size() + target);
                const Job job = job_at(place_of(spec_, index));
                predictors_.emplace_back(*models_[target], job.execution, outline_.table());
            }
        }
    }
    if (predictors_.size() != spec_.settings.size() * models_.size()) {
        predictors_.clear();
    }
}

StoredPoint PointPredictor::planned(const GridPlace& place) {
    if (place.network != network_) {
        text_ = to_text(outline_.generator_at(place));
        network_ = place.network;
    }
    const auto& [mode, dtype] = mode_and_dtype_[place.settings];
    return {.position = place.index,
            .network = text_,
            .batch = place.batch,
            .mode = mode,
            .dtype = dtype,
            .threads = spec_.settings[place.settings].threads(),
            .backend = modelled_backend(spec_.devices[place.target])};
}

PredictedPoint PointPredictor::predicted(std::int64_t index) {
    if (++predicted_ % points_per_model == 0 || outline_.table().kinds() > max_kinds) {
        renew();
    }
    const GridPlace place = place_of(spec_, index);
    PredictedPoint found{.point = planned(place)};
    if (predict_outline(place, found)) {
        ++outlined_;
        return found;
    }
    try {
        predict_graph(place, found);
    } catch (const Error& error) {
        found.point.outcome = PointOutcome::failed;
        found.point.reason = error.what();
        found.run.reset();
    }
    return found;
}

bool PointPredictor::has_room(const GridPlace& place, const ModelledMemory& memory,
                              StoredPoint& point) const {
    if (memory.fits()) {
        return true;
    }
    point.outcome = PointOutcome::out_of_memory;
    point.reason = fmt::format("it needs {}, and {} has {}", byte_size_text(memory.needed()),
                               spec_.devices[place.target], byte_size_text(*memory.of_device));
    return false;
}

void PointPredictor::predict_graph(const GridPlace& place, PredictedPoint& found) {
    Job job = job_at(place);
    const std::int64_t shared = place.index / static_cast<std::int64_t>(models_.size());
    if (shared != plan_index_) {
        plan_ = strata::planned(job).plan;
        plan_index_ = shared;
    }
    job.plan = plan_;
    const DeviceModel& model = model_at(place);
    const NetworkPrediction prediction = predict_network(*plan_, job.execution, model);
    const ModelledMemory memory = memory_of(*plan_, prediction, model.device());
    if (!has_room(place, memory, found.point)) {
        return;
    }
    if (prediction.refused() > 0) {
        found.point.outcome = PointOutcome::failed;
        found.point.reason = refusal_in(prediction, plan_->graph);
        return;
    }
    found.run =
        modelled_run(job, model, prediction, memory,
                     steps_ == KeptSteps::none ? ModelledDetail::time : ModelledDetail::steps);
    found.point.outcome = PointOutcome::ok;
}

// False if the point needs a graph.
bool PointPredictor::predict_outline(const GridPlace& place, PredictedPoint& found) {
    if (steps_ == KeptSteps::all || predictors_.empty() || !outline_.find(place)) {
        return false;
    }
    const std::size_t at = place.settings * models_.size() + place.target;
    const auto whole = predictors_[at].predict(outline_.outline(), outline_.structure());
    if (!whole) {
        return false;
    }
    ModelledMemory memory{.footprint = {}, .workspace = whole->workspace};
    memory.footprint.peak = outline_.peak();
    if (const auto& of_device = model_at(place).device().memory) {
        memory.of_device = of_device->value;
    }
    if (!is_believable(whole->time, memory.needed())) {
        return false;
    }
    if (has_room(place, memory, found.point)) {
        found.whole = {.time = whole->time, .memory = outline_.peak(), .work = whole->work};
        found.point.outcome = PointOutcome::ok;
    }
    return true;
}

}  // namespace strata
