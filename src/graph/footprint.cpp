// SPDX-License-Identifier: MIT
#include "graph/memory.h"

#include <algorithm>

namespace strata {

namespace {

bool is_persistent(Role role) {
    return role == Role::parameter || role == Role::statistic || role == Role::constant;
}

template <class Chosen>
Bytes bytes_where(const Graph& graph, Chosen chosen) {
    Bytes sum;
    for (const GraphTensor& tensor : graph.tensors) {
        sum += chosen(tensor.role) ? tensor.tensor.bytes() : Bytes{};
    }
    return sum;
}

// The most that the chosen buffers need together at any task.
template <class Chosen>
Bytes worst_moment(std::span<const Buffer> buffers, Chosen chosen) {
    std::vector<Bytes> change;  // by task: what begins there less what ended before
    for (const Buffer& buffer : buffers) {
        if (!chosen(buffer.kind)) {
            continue;
        }
        const Lifetime& lifetime = buffer.lifetime;
        change.resize(std::max(change.size(), lifetime.last_task + 2));
        change[lifetime.first_task] += lifetime.size;
        change[lifetime.last_task + 1] -= lifetime.size;
    }
    Bytes alive, worst;
    for (const Bytes step : change) {
        alive += step;
        worst = std::max(worst, alive);
    }
    return worst;
}

}  // namespace

Footprint footprint_of(const Graph& graph, const Execution& execution) {
    const auto buffers = lifetimes_of(graph, execution);
    Footprint footprint;
    footprint.parameters = bytes_where(graph, is_persistent);
    if (execution.mode == Mode::training) {
        footprint.optimizer = bytes_where(graph, [](Role role) { return role == Role::parameter; });
    }
    footprint.activations =
        worst_moment(buffers, [](BufferKind kind) { return kind == BufferKind::value; });
    footprint.gradients = worst_moment(buffers, [](BufferKind kind) {
        return kind == BufferKind::gradient || kind == BufferKind::contribution;
    });
    footprint.saved =
        worst_moment(buffers, [](BufferKind kind) { return kind == BufferKind::saved; });
    footprint.peak = footprint.parameters + footprint.optimizer +
                     worst_moment(buffers, [](BufferKind) { return true; });
    return footprint;
}

}  // namespace strata
