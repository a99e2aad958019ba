// SPDX-License-Identifier: MIT
#include "graph/memory.h"

#include <algorithm>

namespace strata {

namespace {

template <class Chosen>
Bytes bytes_where(const Graph& graph, Chosen chosen) {
    Bytes sum;
    for (const GraphTensor& tensor : graph.tensors) {
        sum += chosen(tensor.role) ? tensor.tensor.bytes() : Bytes{};
    }
    return sum;
}

// By task what the chosen buffers need together.
template <class Chosen>
std::vector<Bytes> needed_by(std::span<const Buffer> buffers, Chosen chosen) {
    std::vector<Bytes> needed(1);  // at first what begins at a task less what ended before
    for (const Buffer& buffer : buffers) {
        if (!chosen(buffer.kind)) {
            continue;
        }
        const Lifetime& lifetime = buffer.lifetime;
        needed.resize(std::max(needed.size(), lifetime.last_task + 2));
        needed[lifetime.first_task] += lifetime.size;
        needed[lifetime.last_task + 1] -= lifetime.size;
    }
    for (std::size_t task = 1; task < needed.size(); ++task) {
        needed[task] += needed[task - 1];
    }
    needed.pop_back();
    return needed;
}

// The most that the chosen buffers need together at any task.
template <class Chosen>
Bytes worst_moment(std::span<const Buffer> buffers, Chosen chosen) {
    const auto needed = needed_by(buffers, chosen);
    return needed.empty() ? Bytes{} : std::ranges::max(needed);
}

}  // namespace

bool is_persistent(Role role) {
    return role == Role::parameter || role == Role::statistic || role == Role::constant;
}

std::vector<Bytes> needed_by_task(std::span<const Buffer> buffers) {
    return needed_by(buffers, [](BufferKind) { return true; });
}

Footprint footprint_of(const Graph& graph, const Execution& execution) {
    const auto buffers = lifetimes_of(graph, execution);
    Footprint footprint;
    footprint.parameters = bytes_where(graph, is_persistent);
    if (execution.numerics.mode == Mode::training) {
        footprint.optimizer = cost_of(execution.numerics.optimizer).states *
                              bytes_where(graph, [](Role role) { return role == Role::parameter; });
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
