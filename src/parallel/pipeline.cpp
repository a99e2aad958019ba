// SPDX-License-Identifier: MIT
#include "parallel/step.h"

#include "base/error.h"
#include "graph/executed.h"
#include "graph/memory.h"
#include "parallel/layer_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// Consecutive layers on one device, for one micro-batch.
struct Stage {
    LayerId first = 0;
    LayerId last = 0;
    Seconds forward = {};
    Seconds backward = {};
    Seconds update = {};
    Bytes sent = {};     // to the next stage; as much comes back
    Seconds hop = {};    // of a message to the next stage
    Bytes weights = {};  // parameters
    Bytes held = {};     // activations of a micro-batch, kept until its backward pass

    Seconds busy(int micro_batches) const { return micro_batches * (forward + backward) + update; }
};

// When the passes of every micro-batch end, stage by stage.
class Pipeline {
public:
    Pipeline(std::span<const Stage> stages, int micro_batches)
        : stages_(stages),
          count_(static_cast<std::size_t>(micro_batches)),
          forward_(stages.size(), std::vector<Seconds>(count_)),
          backward_(stages.size(), std::vector<Seconds>(count_)),
          free_(stages.size()) {}

    // The end of each stage's last pass. A stage's order is fixed, so each sweep over the stages
    // does what has become possible.
    const std::vector<Seconds>& run() {
        std::vector<std::size_t> forwards(stages_.size()), backwards(stages_.size());
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (std::size_t s = 0; s < stages_.size(); ++s) {
                while (advance(s, forwards, backwards)) {
                    goes_on = true;
                }
            }
        }
        return free_;
    }

private:
    bool advance(std::size_t s, std::vector<std::size_t>& forwards,
                 std::vector<std::size_t>& backwards) {
        const std::size_t in_flight = std::min(stages_.size() - s, count_);
        const bool is_forward = forwards[s] < count_ && forwards[s] - backwards[s] < in_flight;
        std::size_t& next = is_forward ? forwards[s] : backwards[s];
        if (next == count_) {
            return false;
        }
        Seconds ready;
        if (is_forward && s > 0) {
            if (forwards[s - 1] <= next) {
                return false;
            }
            ready = forward_[s - 1][next] + stages_[s - 1].hop;
        } else if (!is_forward && s + 1 < stages_.size()) {
            if (backwards[s + 1] <= next) {
                return false;
            }
            ready = backward_[s + 1][next] + stages_[s].hop;
        }
        free_[s] =
            std::max(free_[s], ready) + (is_forward ? stages_[s].forward : stages_[s].backward);
        (is_forward ? forward_ : backward_)[s][next] = free_[s];
        ++next;
        return true;
    }

    std::span<const Stage> stages_;
    std::size_t count_;
    std::vector<std::vector<Seconds>> forward_;
    std::vector<std::vector<Seconds>> backward_;
    std::vector<Seconds> free_;
};

// When every stage has updated its parameters.
Seconds end_of(std::span<const Stage> stages, int micro_batches) {
    const std::vector<Seconds> ends = Pipeline(stages, micro_batches).run();
    Seconds end;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        end = std::max(end, ends[s] + stages[s].update);
    }
    return end;
}

// Bytes of activations that layers after this one read of it and those before it.
std::vector<Bytes> bytes_after(const DeviceWork& work) {
    std::vector<Bytes> sent(work.graph.layers.size());
    const auto producers = producers_of(work.graph);
    const auto readers = consumers_of(work.graph);
    for (TensorId id = 0; id < work.graph.tensors.size(); ++id) {
        if (!producers[id] || readers[id].empty()) {
            continue;
        }
        const Bytes bytes = held_bytes(work.graph.tensors[id], work.execution.numerics);
        for (LayerId layer = *producers[id]; layer < readers[id].back(); ++layer) {
            sent[layer] += bytes;
        }
    }
    return sent;
}

// What each layer's results keep in memory until the backward pass.
std::vector<Bytes> kept_by_layer(const DeviceWork& work) {
    std::vector<Bytes> kept(work.graph.layers.size());
    const auto producers = producers_of(work.graph);
    const std::size_t forward_tasks = work.graph.layers.size();
    for (const Buffer& buffer : lifetimes_of(work.graph, work.execution)) {
        const bool is_kept = buffer.lifetime.last_task >= forward_tasks &&
                             (buffer.kind == BufferKind::value || buffer.kind == BufferKind::saved);
        if (is_kept && producers[buffer.tensor]) {
            kept[*producers[buffer.tensor]] += buffer.lifetime.size;
        }
    }
    return kept;
}

std::vector<Stage> stages_of(const DeviceWork& work, const Cluster& cluster,
                             const ParallelPlan& plan) {
    const std::vector<LayerCost> costs = layer_costs(work);
    std::vector<Seconds> times;
    for (const LayerCost& cost : costs) {
        times.push_back(cost.forward + cost.backward);
    }
    const std::vector<Bytes> sent = bytes_after(work), kept = kept_by_layer(work);
    std::vector<Stage> stages;
    LayerId first = 0;
    for (const LayerId last : balanced_stages(times, static_cast<std::size_t>(plan.devices))) {
        Stage& stage = stages.emplace_back(Stage{.first = first, .last = last});
        for (LayerId layer = first; layer <= last; ++layer) {
            stage.forward += costs[layer].forward;
            stage.backward += costs[layer].backward;
            stage.update += costs[layer].update;
            stage.weights += costs[layer].parameters;
            stage.held += kept[layer];
        }
        if (plan.activations == Activations::recomputed) {
            stage.backward += stage.forward;
            stage.held = first == 0 ? Bytes{} : sent[first - 1];
        }
        if (last + 1 < costs.size()) {
            stage.sent = sent[last];
            stage.hop = message_time(cluster, plan.devices, stage.sent);
        }
        first = last + 1;
    }
    return stages;
}

// Parameters, gradients, the optimizer's state in proportion, and the activations in flight.
Bytes memory_of(std::span<const Stage> stages, const DeviceWork& work, const ParallelPlan& plan) {
    const Footprint footprint = footprint_of(work.graph, work.execution);
    Bytes all, most;
    for (const Stage& stage : stages) {
        all += stage.weights;
    }
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const double share = all > Bytes{} ? stages[s].weights / all : 0;
        const double in_flight =
            std::min<double>(static_cast<double>(stages.size() - s), plan.micro_batches);
        most = std::max(
            most, 2 * stages[s].weights + footprint.optimizer * share + in_flight * stages[s].held);
    }
    return most;
}

}  // namespace

std::vector<LayerId> balanced_stages(std::span<const Seconds> layers, std::size_t stages) {
    check(layers.size() >= stages && stages >= 1, "every stage has a layer");
    // The least limit under which greedy stages suffice, by bisection.
    const auto ends_under = [&](Seconds limit) {
        std::vector<LayerId> ends;
        Seconds sum;
        for (LayerId layer = 0; layer < layers.size(); ++layer) {
            const bool must_end = layers.size() - layer < stages - ends.size();
            if (layer > 0 && (sum + layers[layer] > limit || must_end)) {
                ends.push_back(layer - 1);
                sum = {};
            }
            sum += layers[layer];
        }
        ends.push_back(layers.size() - 1);
        return ends;
    };
    Seconds low, high;
    for (const Seconds& layer : layers) {
        low = std::max(low, layer);
        high += layer;
    }
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
        const Seconds middle = 0.5 * (low + high);
        (ends_under(middle).size() <= stages ? high : low) = middle;
    }
    return ends_under(high);
}

ParallelStep pipeline_step(const DeviceWork& work, const Cluster& cluster,
                           const ParallelPlan& plan) {
    if (work.graph.layers.size() < static_cast<std::size_t>(plan.devices)) {
        throw Error(fmt::format("{} has {} layers, too few for a pipeline of {} devices; give "
                                "fewer devices",
                                work.graph.name, work.graph.layers.size(), plan.devices),
                    ExitCode::usage);
    }
    std::vector<Stage> stages = stages_of(work, cluster, plan);
    const Seconds end = end_of(stages, plan.micro_batches);
    ParallelStep step;
    for (const Stage& stage : stages) {
        const Seconds busy = stage.busy(plan.micro_batches);
        step.compute = std::max(step.compute, busy);
        const Seconds exchange = 2.0 * plan.micro_batches * stage.hop;
        step.exchange += exchange;
        if (stage.sent > Bytes{}) {
            step.layers.push_back(
                {stage.last, 2.0 * plan.micro_batches * stage.sent, exchange, {}, busy});
        }
    }
    // Without messages, only the bubble remains.
    for (Stage& stage : stages) {
        stage.hop = {};
    }
    const Seconds bare = end_of(stages, plan.micro_batches);
    // Sums in another order differ in their last bits.
    const auto beyond = [&](Seconds later, Seconds earlier) {
        return later - earlier > 1e-9 * end ? later - earlier : Seconds{};
    };
    step.bubble = beyond(bare, step.compute);
    step.exposed = beyond(end, bare);
    step.compute += work.prediction.beyond;
    step.waiting = (slowest_of(plan.devices, plan.spread) - 1) * step.compute;
    step.time = step.compute + step.bubble + step.exposed + step.waiting;
    step.memory = memory_of(stages, work, plan);
    return step;
}

}  // namespace strata
