// SPDX-License-Identifier: MIT
#include "graph/plan.h"

#include "graph/executed.h"

#include <utility>

namespace strata {

std::shared_ptr<const Plan> plan_of(Graph graph, const Numerics& numerics) {
    const Execution execution{.numerics = numerics};
    Plan plan{.graph = std::move(graph),
              .numerics = numerics,
              .schedule = {},
              .signatures = {},
              .footprint = {}};
    plan.schedule = schedule_of(plan.graph, execution);
    plan.footprint = footprint_of(plan.graph, execution, plan.schedule);
    plan.signatures.reserve(plan.graph.layers.size());
    for (const Layer& layer : plan.graph.layers) {
        plan.signatures.push_back(executed(signature_of(plan.graph, layer), numerics));
    }
    return std::make_shared<const Plan>(std::move(plan));
}

}  // namespace strata
