// SPDX-License-Identifier: MIT
#include "analyze/network_size.h"

#include "analyze/distribution.h"
#include "graph/graph.h"
#include "op/convention.h"

#include <algorithm>

namespace strata {

NetworkSize size_of(const Graph& graph) {
    Flops flops;
    Bytes traffic;
    const auto first = first_alike(graph);
    std::vector<std::pair<Flops, Bytes>> known(graph.layers.size());
    for (LayerId id = 0; id < graph.layers.size(); ++id) {
        if (first[id] == id) {
            const Signature signature = signature_of(graph, graph.layers[id]);
            const Op& op = graph.layers[id].op;
            known[id] = {count(op, signature, Pass::forward, conventions().front()),
                         work_of(op, signature, Pass::forward).traffic()};
        }
        flops += known[first[id]].first;
        traffic += known[first[id]].second;
    }
    const auto batch = static_cast<double>(std::max<std::int64_t>(batch_of(graph), 1));
    return {.name = graph.name,
            .values = {static_cast<double>(parameter_count(graph)), flops.value / batch,
                       traffic > Bytes{} ? flops.value / traffic.value : 0}};
}

SizeRange range_of(const SizedNetworks& group, SizeQuantity quantity, const SizedNetworks& others) {
    std::vector<double> values;
    for (const NetworkSize& network : group.networks) {
        values.push_back(network.of(quantity));
    }
    std::ranges::sort(values);
    SizeRange range;
    constexpr std::array shares = {0.0, 0.09, 0.5, 0.91, 1.0};
    for (std::size_t i = 0; i < shares.size(); ++i) {
        range.percentiles[i] = sorted_quantile(values, shares[i]);
    }
    const auto within = std::ranges::count_if(others.networks, [&](const NetworkSize& network) {
        return network.of(quantity) >= values.front() && network.of(quantity) <= values.back();
    });
    range.covered = static_cast<double>(within) / static_cast<double>(others.networks.size());
    return range;
}

}  // namespace strata
