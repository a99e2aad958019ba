// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "graph/graph.h"

namespace strata {

// Computes what `show` computes about a graph, so that extents near the limits are multiplied out,
// too.
inline void use_graph(const Graph& graph) {
    for (const Layer& layer : graph.layers) {
        const Signature signature = signature_of(graph, layer);
        for (const Pass pass : all_passes) {
            work_of(layer.op, signature, pass);
        }
    }
    parameter_count(graph);
}

// Reads foreign bytes; they may be refused, but only with an Error.
template <class Read>
void graph_or_error(Read&& read) {
    try {
        use_graph(read());
    } catch (const Error&) {
    }
}

}  // namespace strata
