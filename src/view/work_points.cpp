// SPDX-License-Identifier: MIT
#include "view/traffic_line.h"

#include "view/layer_work.h"

#include <cmath>

namespace strata {

WorkPoint work_point_of(const Graph& graph, std::int64_t value, const Convention& convention,
                        const Execution& execution) {
    const NetworkWork work = work_of(graph, convention, execution);
    WorkPoint point{.value = value, .batch = batch_of(graph), .parameters = work.parameters};
    const PassWork nothing;
    point.forward = work.passes[static_cast<std::size_t>(Pass::forward)].value_or(nothing).flops;
    for (const auto& known : work.passes) {
        const PassWork pass = known.value_or(nothing);
        point.flops += pass.flops;
        point.traffic += pass.read + pass.written;
    }
    point.memory = footprint_of(graph, execution).peak;
    return point;
}

std::optional<double> growth_at(const WorkSweep& sweep, std::size_t point) {
    if (point == 0) {
        return std::nullopt;
    }
    const WorkPoint& before = sweep.points[point - 1];
    const WorkPoint& here = sweep.points[point];
    if (before.flops <= Flops{0} || here.flops <= Flops{0}) {
        return std::nullopt;
    }
    const double sizes = static_cast<double>(here.value) / static_cast<double>(before.value);
    return std::log(here.flops / before.flops) / std::log(sizes);
}

std::optional<LineFit> traffic_line(const WorkSweep& sweep) {
    std::vector<double> work, traffic;
    for (const WorkPoint& point : sweep.points) {
        work.push_back(point.flops.value);
        traffic.push_back(point.traffic.value);
    }
    return fit_line(work, traffic);
}

}  // namespace strata
