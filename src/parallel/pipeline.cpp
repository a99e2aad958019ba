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
    BlockingExchange forward_sums = {};  // of divided layers; the passes include what is exposed
    BlockingExchange backward_sums = {};
    Seconds update = {};
    Seconds encoding = {};  // of gradients of fewer bits
    Seconds sync = {};      // of gradients with other replicas
    Bytes synced = {};
    Bytes sent = {};     // to the next stage; as much comes back
    Seconds hop = {};    // of a message to the next stage
    double values = 0;   // gradients of parameters
    Bytes weights = {};  // parameters
    Bytes held = {};     // activations of a micro-batch, kept until its backward pass

    Seconds busy(int micro_batches) const { return micro_batches * (forward + backward) + update; }

    void add(const LayerCost& cost) {
        forward += cost.forward + cost.after_forward.exposed;
        backward += cost.backward + cost.after_backward.exposed;
        forward_sums += cost.after_forward;
        backward_sums += cost.after_backward;
        update += cost.update;
        values += cost.values;
        weights += cost.parameters;
    }
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
        end = std::max(end, ends[s] + stages[s].encoding + stages[s].sync + stages[s].update);
    }
    return end;
}

// Gradients, after the last backward pass; stages 1 and 2 of ZeRO hand out updated parameters.
void set_exchange(Stage& stage, const DeviceWork& work, const Cluster& cluster,
                  const ParallelPlan& plan) {
    if (plan.replicas() == 1) {
        return;
    }
    const auto exchange = [&](Collective collective, Bytes bytes) {
        stage.sync += time_of(cluster, collective, replicas_of(plan), bytes, plan.algorithm);
        stage.synced += bytes;
    };
    const Bytes gradients{stage.values * plan.gradient_bits / 8};
    stage.encoding = encoding_time(work, stage.values, plan.gradient_bits);
    if (plan.zero == 0) {
        return exchange(Collective::all_reduce, gradients);
    }
    exchange(Collective::reduce_scatter, gradients);
    exchange(Collective::all_gather, parameter_bytes(work, stage.values));
    stage.update *= 1.0 / plan.replicas();
}

std::vector<Stage> stages_of(const DeviceWork& work, const Cluster& cluster,
                             const ParallelPlan& plan) {
    const std::vector<LayerCost> costs = layer_costs(work, cluster, plan);
    std::vector<Seconds> times;
    for (const LayerCost& cost : costs) {
        times.push_back(cost.forward + cost.after_forward.exposed + cost.backward +
                        cost.after_backward.exposed);
    }
    const std::vector<Bytes> sent = bytes_after(work), kept = kept_by_layer(work);
    std::vector<Stage> stages;
    LayerId first = 0;
    for (const LayerId last : balanced_stages(times, static_cast<std::size_t>(plan.stages))) {
        Stage& stage = stages.emplace_back(Stage{.first = first, .last = last});
        for (LayerId layer = first; layer <= last; ++layer) {
            stage.add(costs[layer]);
            stage.held += kept[layer];
        }
        if (plan.activations == Activations::recomputed) {
            stage.backward += stage.forward;
            stage.backward_sums += stage.forward_sums;
            stage.held = first == 0 ? Bytes{} : sent[first - 1];
        }
        if (last + 1 < costs.size()) {
            stage.sent = sent[last];
            stage.hop = message_time(cluster, plan.devices, stage.sent);
        }
        set_exchange(stage, work, cluster, plan);
        first = last + 1;
    }
    return stages;
}

// Parameters, gradients, the optimizer's state in proportion, and the activations in flight.
DeviceMemory memory_of(std::span<const Stage> stages, const DeviceWork& work,
                       const ParallelPlan& plan) {
    const Footprint footprint = footprint_of(work.graph, work.execution);
    Bytes all;
    DeviceMemory most;
    for (const Stage& stage : stages) {
        all += stage.weights;
    }
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const double share = all > Bytes{} ? stages[s].weights / all : 0;
        const double in_flight =
            std::min<double>(static_cast<double>(stages.size() - s), plan.micro_batches);
        const double optimizer = plan.zero >= 1 ? share / plan.replicas() : share;
        const DeviceMemory memory{.parameters = stages[s].weights,
                                  .gradients = stages[s].weights,
                                  .optimizer = footprint.optimizer * optimizer,
                                  .passes = in_flight * stages[s].held};
        most = memory.all() > most.all() ? memory : most;
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
    if (work.graph.layers.size() < static_cast<std::size_t>(plan.stages)) {
        throw Error(fmt::format("{} has {} layers, too few for a pipeline of {} stages; give "
                                "fewer",
                                work.graph.name, work.graph.layers.size(), plan.stages),
                    ExitCode::usage);
    }
    std::vector<Stage> stages = stages_of(work, cluster, plan);
    const Seconds end = end_of(stages, plan.micro_batches);
    const double passes = plan.micro_batches;
    ParallelStep step;
    const Stage* busiest = &stages.front();
    for (const Stage& stage : stages) {
        const Seconds busy = stage.busy(plan.micro_batches);
        busiest = busy > busiest->busy(plan.micro_batches) ? &stage : busiest;
        step.encoding = std::max(step.encoding, stage.encoding);
        const BlockingExchange& forward = stage.forward_sums;
        const BlockingExchange& backward = stage.backward_sums;
        const Bytes bytes =
            passes * (2 * stage.sent + forward.bytes + backward.bytes) + stage.synced;
        const Seconds exchange =
            passes * (2 * stage.hop + forward.time + backward.time) + stage.sync;
        step.exchange += exchange;
        if (bytes > Bytes{}) {
            const Seconds waits = passes * (forward.exposed + backward.exposed);
            step.layers.push_back({stage.last, bytes, exchange, waits, busy - waits});
        }
    }
    const Seconds busy = busiest->busy(plan.micro_batches);
    const Seconds waits = passes * (busiest->forward_sums.exposed + busiest->backward_sums.exposed);
    // Without messages between stages and replicas, only the bubble remains.
    for (Stage& stage : stages) {
        stage.hop = stage.sync = stage.encoding = {};
    }
    const Seconds bare = end_of(stages, plan.micro_batches);
    // Sums in another order differ in their last bits.
    const auto beyond = [&](Seconds later, Seconds earlier) {
        return later - earlier > 1e-9 * end ? later - earlier : Seconds{};
    };
    step.bubble = beyond(bare, busy);
    step.encoding = std::min(step.encoding, beyond(end, bare));
    step.exposed = waits + beyond(end, bare) - step.encoding;
    step.compute = busy - waits + work.prediction.beyond;
    step.waiting = (slowest_of(plan.devices, plan.spread) - 1) * step.compute;
    step.time = step.compute + step.encoding + step.bubble + step.exposed + step.waiting;
    step.memory = memory_of(stages, work, plan);
    return step;
}

}  // namespace strata
