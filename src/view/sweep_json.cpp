// SPDX-License-Identifier: MIT
#include "view/sweep.h"

#include "base/enumeration.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

template <class Quantity>
Json whole(Quantity count) {
    return static_cast<std::int64_t>(std::llround(count.value));
}

Json time_json(const std::optional<Estimate>& time) {
    if (!time) {
        return nullptr;
    }
    return {{"median_s", time->median.value},
            {"low_s", time->low.value},
            {"high_s", time->high.value},
            {"samples", time->samples}};
}

Json throughput_json(const SweepPoint& point) {
    if (!point.time || point.time->low <= Seconds{0}) {
        return nullptr;
    }
    const Throughput examples = throughput_of(point);
    return {{"median", examples.median}, {"low", examples.low}, {"high", examples.high}};
}

Bytes traffic_of(const Run& run) {
    Bytes bytes;
    for (const StepResult& step : run.steps) {
        bytes += std::holds_alternative<Samples>(step.time) ? step.read + step.written : Bytes{};
    }
    return bytes;
}

Json point_json(const SweepPoint& point) {
    const Run& run = *point.run;
    return {{"value", point.value},
            {"batch", run.settings.batch},
            {"run", run.id},
            {"status", point.time ? "measured" : "skipped: " + point.reason},
            {"flops", point.time ? whole(point.flops) : Json()},
            {"bytes", point.time ? whole(traffic_of(run)) : Json()},
            {"time", time_json(point.time)},
            {"throughput", throughput_json(point)},
            {"predicted_memory_bytes", whole(run.predicted_memory)},
            {"measured_memory_bytes", run.measured_memory ? whole(*run.measured_memory) : Json()}};
}

Json residuals_of(const Sweep& sweep, const Extrapolation& found) {
    Json residuals = Json::array();
    for (std::size_t i = 0; i < found.points.size(); ++i) {
        const SweepPoint& point = sweep.points[found.points[i]];
        residuals.push_back(point.time->median.value - found.line.fitted[i]);
    }
    return residuals;
}

Json fit_json(const Sweep& sweep) {
    const auto found = extrapolate(sweep);
    if (!found) {
        return nullptr;
    }
    const auto& rate = found->hardware_interval;
    // What a line says that does not describe the times would be taken for a constant.
    const auto told = [&](const auto& value) {
        return found->misfit.empty() ? Json(value) : Json();
    };
    return {
        {"points", found->points.size()},
        {"slope_s_per_flop", told(found->line.slope)},
        {"flop_per_s", found->hardware ? told(found->hardware->value) : Json()},
        {"flop_per_s_low", rate ? told(rate->low) : Json()},
        {"flop_per_s_high", rate ? told(rate->high) : Json()},
        {"framework_s", told(found->framework.value)},
        {"framework_low_s", told(found->framework_interval.low)},
        {"framework_high_s", told(found->framework_interval.high)},
        {"half_rate_flops", found->half_rate_work ? told(whole(*found->half_rate_work)) : Json()},
        {"r_squared", found->line.r_squared},
        {"fitted_s", found->line.fitted},
        {"residual_s", residuals_of(sweep, *found)},
        {"describes", found->misfit.empty()},
        {"misfit", found->misfit.empty() ? Json() : Json(found->misfit)}};
}

Json saturation_json(const Sweep& sweep) {
    const auto found = saturation_of(sweep);
    if (!found) {
        return nullptr;
    }
    return {{"batch", found->batch},
            {"earliest", found->earliest},
            {"latest", found->latest},
            {"best_batch", found->best_batch},
            {"best_per_s", found->best.median},
            {"reached", found->reached}};
}

Json capacity_json(const std::optional<Capacity>& capacity) {
    if (!capacity) {
        return nullptr;
    }
    const LargestBatch& largest = capacity->largest;
    const bool found = largest.limit != BatchLimit::none;
    return {{"batch", found ? Json(largest.batch) : Json()},
            {"limit", name_of(largest.limit)},
            {"needs_bytes", whole(largest.needs)},
            {"memory_bytes", whole(capacity->memory)},
            {"memory_source", name_of(capacity->source)},
            {"searched_to", largest_batch_tried},
            {"provenance", "modelled"}};
}

}  // namespace

std::string sweep_json(const Sweep& sweep, const std::optional<Capacity>& capacity) {
    const Settings& settings = sweep.points.front().run->settings;
    Json points = Json::array();
    for (const SweepPoint& point : sweep.points) {
        points.push_back(point_json(point));
    }
    const Json shown = {{"variable", sweep.variable},
                        {"network", settings.network},
                        {"backend", settings.backend},
                        {"mode", settings.mode},
                        {"dtype", settings.dtype},
                        {"threads", settings.threads},
                        {"convention", sweep.convention},
                        {"points", points},
                        {"fit", fit_json(sweep)},
                        {"saturation", saturation_json(sweep)},
                        {"capacity", capacity_json(capacity)}};
    return shown.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata
