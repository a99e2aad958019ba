// SPDX-License-Identifier: MIT
#include "base/enumeration.h"
#include "view/traffic_line.h"
#include "view/work_sweep.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

template <class Quantity>
Json whole(Quantity count) {
    return static_cast<std::int64_t>(std::llround(count.value));
}

Json point_json(const WorkSweep& sweep, std::size_t at) {
    const WorkPoint& point = sweep.points[at];
    const auto growth = growth_at(sweep, at);
    return {{"value", point.value},           {"batch", point.batch},
            {"parameters", point.parameters}, {"flops_forward", whole(point.forward)},
            {"flops", whole(point.flops)},    {"growth", growth ? Json(*growth) : Json()},
            {"bytes", whole(point.traffic)},  {"memory_bytes", whole(point.memory)}};
}

Json fit_json(const WorkSweep& sweep) {
    const auto line = traffic_line(sweep);
    if (!line) {
        return nullptr;
    }
    const std::string misfit = misfit_of(*line);
    return {{"bytes_per_flop", line->slope},
            {"bytes_per_flop_low", line->slope_interval.low},
            {"bytes_per_flop_high", line->slope_interval.high},
            {"bytes_at_none", line->intercept},
            {"r_squared", line->r_squared},
            {"describes", misfit.empty()},
            {"misfit", misfit.empty() ? Json() : Json(misfit)}};
}

}  // namespace

std::string work_sweep_json(const WorkSweep& sweep, const Convention& convention,
                            const Execution& execution) {
    Json points = Json::array();
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        points.push_back(point_json(sweep, i));
    }
    const Json shown = {{"variable", sweep.variable},
                        {"network", sweep.network},
                        {"mode", name_of(execution.mode)},
                        {"convention", convention.name},
                        {"points", points},
                        {"fit", fit_json(sweep)}};
    return shown.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata
