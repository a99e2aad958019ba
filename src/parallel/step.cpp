// SPDX-License-Identifier: MIT
#include "parallel/step.h"

#include "base/error.h"
#include "parallel/layer_costs.h"

#include <fmt/format.h>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>

namespace strata {

namespace {

// Gathering parameters beside passes that need others slows these, by kernels that take processors
// and streams that wait for each other: this share of the exchange that seems hidden is lost.
// Fitted to 27 rows of llm-foundry's table of H100 (Apache-2.0, commit 8c8dd48f7), more than one
// node, whose times are 20 % + 0.50 of it beyond the model's (correlation 0.92).
constexpr double lost_beside_gathering = 0.5;

// One device and one channel for messages, each of which does one thing at a time.
class DividedBatch {
public:
    DividedBatch(const DeviceWork& work, const Cluster& cluster, const ParallelPlan& plan)
        : work_(work),
          cluster_(cluster),
          plan_(plan),
          costs_(layer_costs(work, cluster, plan)),
          units_(units_of(costs_, plan.bucket)),
          exchanged_(units_.size()),
          blocking_(costs_.size()) {}

    ParallelStep run() {
        // All backward passes but the last add to the gradients without exchanging them.
        for (int i = 1; i < plan_.micro_batches; ++i) {
            for (std::size_t unit = units_.size(); unit-- > 0;) {
                forward(unit);
            }
            for (std::size_t unit = 0; unit < units_.size(); ++unit) {
                backward(unit, Last::no);
            }
        }
        for (std::size_t unit = units_.size(); unit-- > 0;) {
            forward(unit);
        }
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            backward(unit, Last::yes);
        }
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            update(unit);
        }
        wait_until(channel_free_, units_.size() - 1);
        return result();
    }

private:
    enum class Last { no, yes };

    // What a unit exchanges, and what of that is exposed.
    struct Exchanged {
        Bytes bytes;
        Seconds exchange;
        Seconds exposed;
        Seconds done;  // when its gradients are there
    };

    bool divides_parameters() const { return plan_.zero == 3; }

    Seconds encoding_of(const Unit& unit) const {
        return encoding_time(work_, unit.values, plan_.gradient_bits);
    }

    // Sends a message as soon as the channel is free and it is ready.
    Seconds send(std::size_t unit, Collective collective, Bytes bytes, Seconds ready) {
        const Seconds time =
            time_of(cluster_, collective, replicas_of(plan_), bytes, plan_.algorithm);
        channel_free_ = std::max(channel_free_, ready) + time;
        exchanged_[unit].bytes += bytes;
        exchanged_[unit].exchange += time;
        return channel_free_;
    }

    void wait_until(Seconds time, std::size_t unit) {
        const Seconds wait = std::max(time - clock_, Seconds{});
        exchanged_[unit].exposed += wait;
        clock_ += wait;
    }

    Bytes gathered_bytes(const Unit& unit) const { return parameter_bytes(work_, unit.values); }

    // Gathers a unit's parameters; with overlap, from when the unit before it began.
    void gather(std::size_t unit) {
        if (divides_parameters() && units_[unit].values > 0) {
            const Seconds ready = plan_.overlap == Overlap::on ? began_ : clock_;
            wait_until(send(unit, Collective::all_gather, gathered_bytes(units_[unit]), ready),
                       unit);
        }
        began_ = clock_;
    }

    void compute(Seconds time) {
        clock_ += time;
        compute_ += time;
    }

    // All devices that share a layer wait for its sum.
    void block(LayerId layer, const BlockingExchange& exchange) {
        clock_ += exchange.exposed;
        blocking_[layer] += exchange;
    }

    void forward(std::size_t unit) {
        gather(unit);
        compute_forward(unit);
    }

    void compute_forward(std::size_t unit) {
        for (LayerId layer = units_[unit].first; layer <= units_[unit].last; ++layer) {
            compute(costs_[layer].forward);
            block(layer, costs_[layer].after_forward);
        }
    }

    void backward(std::size_t unit, Last last) {
        gather(unit);
        // The unit before this one sends its gradients after these parameters.
        if (waiting_unit_) {
            exchange_gradients(*waiting_unit_);
            waiting_unit_.reset();
        }
        if (plan_.activations == Activations::recomputed) {
            compute_forward(unit);
        }
        const Unit& range = units_[unit];
        for (LayerId layer = range.last + 1; layer-- > range.first;) {
            compute(costs_[layer].backward);
            block(layer, costs_[layer].after_backward);
            if (layer == range.ready && range.values > 0 && plan_.replicas() > 1 &&
                (last == Last::yes || divides_parameters())) {
                encode(encoding_of(range) / 2);
                gradients_ready_ = clock_;
                if (divides_parameters()) {
                    waiting_unit_ = unit;
                } else if (plan_.overlap == Overlap::on) {
                    exchange_gradients(unit);
                }
            }
        }
        if (divides_parameters() && plan_.overlap == Overlap::off && waiting_unit_) {
            exchange_gradients(unit);
            wait_until(channel_free_, unit);
            waiting_unit_.reset();
        }
        if (unit + 1 == units_.size() && waiting_unit_) {
            exchange_gradients(unit);
            waiting_unit_.reset();
        }
    }

    void exchange_gradients(std::size_t unit) {
        const Collective collective =
            plan_.zero >= 1 ? Collective::reduce_scatter : Collective::all_reduce;
        const Bytes bytes{units_[unit].values * plan_.gradient_bits / 8};
        exchanged_[unit].done = send(unit, collective, bytes, gradients_ready_);
    }

    void encode(Seconds time) {
        clock_ += time;
        encoding_ += time;
    }

    void update(std::size_t unit) {
        const Unit& range = units_[unit];
        if (range.values > 0 && plan_.replicas() > 1) {
            if (plan_.overlap == Overlap::off && !divides_parameters()) {
                gradients_ready_ = clock_;
                exchange_gradients(unit);
            }
            wait_until(exchanged_[unit].done, unit);
            encode(encoding_of(range) / 2);
        }
        const double share = plan_.zero >= 1 ? 1.0 / plan_.replicas() : 1.0;
        for (LayerId layer = range.first; layer <= range.last; ++layer) {
            compute(costs_[layer].update * share);
        }
        // Stages 1 and 2 hand out the updated parameters.
        if ((plan_.zero == 1 || plan_.zero == 2) && range.values > 0) {
            const Seconds done = send(unit, Collective::all_gather, gathered_bytes(range), clock_);
            if (plan_.overlap == Overlap::off) {
                wait_until(done, unit);
            }
        }
    }

    ParallelStep result() {
        ParallelStep step{.compute = compute_ + work_.prediction.beyond,
                          .encoding = encoding_ + plan_.overhead};
        step.waiting = (slowest_of(plan_.devices, plan_.spread) - 1) * step.compute;
        if (divides_parameters()) {
            for (Exchanged& unit : exchanged_) {
                unit.exposed += lost_beside_gathering * (unit.exchange - unit.exposed);
            }
        }
        for (std::size_t unit = units_.size(); unit-- > 0;) {
            step.exchange += exchanged_[unit].exchange;
            step.exposed += exchanged_[unit].exposed;
            add_layers(unit, step);
        }
        for (const BlockingExchange& blocking : blocking_) {
            step.exchange += blocking.time;
            step.exposed += blocking.exposed;
        }
        step.time = step.compute + step.encoding + step.exposed + step.waiting;
        step.memory = divided_memory(work_, units_, plan_);
        return step;
    }

    void add_layers(std::size_t unit, ParallelStep& step) const {
        const Exchanged& whole = exchanged_[unit];
        const double values = units_[unit].values;
        for (LayerId layer = units_[unit].first; layer <= units_[unit].last; ++layer) {
            const LayerCost& cost = costs_[layer];
            const BlockingExchange& own = blocking_[layer];
            const double share = values > 0 ? cost.values / values : 0;
            const Bytes bytes = whole.bytes * share + own.bytes;
            if (bytes > Bytes{}) {
                step.layers.push_back({layer, bytes, whole.exchange * share + own.time,
                                       whole.exposed * share + own.exposed,
                                       cost.forward + cost.backward + cost.update});
            }
        }
    }

    const DeviceWork& work_;
    const Cluster& cluster_;
    const ParallelPlan& plan_;
    std::vector<LayerCost> costs_;
    std::vector<Unit> units_;  // in backward order
    std::vector<Exchanged> exchanged_;
    std::vector<BlockingExchange> blocking_;   // by layer, in all
    std::optional<std::size_t> waiting_unit_;  // its gradients are ready but not sent
    Seconds gradients_ready_;
    Seconds began_;  // when the present unit began to compute
    Seconds clock_;
    Seconds channel_free_;
    Seconds compute_;
    Seconds encoding_;
};

// The rest of an exchange; nothing if only rounding remains.
Seconds hidden_part(Seconds exchange, Seconds exposed) {
    const Seconds hidden = exchange - exposed;
    return hidden > 1e-9 * exchange ? hidden : Seconds{};
}

}  // namespace

Seconds LayerExchange::hidden() const {
    return hidden_part(exchange, exposed);
}

Seconds ParallelStep::hidden() const {
    return hidden_part(exchange, exposed);
}

double slowest_of(int devices, double spread) {
    if (devices == 1 || !(spread > 0)) {
        return 1;
    }
    const double place = (devices - 0.375) / (devices + 0.25);
    return 1 + spread * boost::math::quantile(boost::math::normal(), place);
}

bool exchanges_gradients(const ParallelPlan& plan) {
    return plan.replicas() > 1;
}

bool has_buckets(const ParallelPlan& plan) {
    return exchanges_gradients(plan) && plan.stages == 1;
}

bool may_overlap(const ParallelPlan& plan) {
    return has_buckets(plan) || plan.tensor > 1;
}

namespace {

// How many devices share a layer and how many stages there are; only a combination needs both.
void set_groups(ParallelPlan& plan) {
    if (plan.strategy == Strategy::tensor && plan.tensor == 1) {
        plan.tensor = plan.devices;
    }
    if (plan.strategy == Strategy::pipeline && plan.stages == 1) {
        plan.stages = plan.devices / plan.tensor;
    }
    const std::int64_t of_replica = std::int64_t{plan.tensor} * plan.stages;
    if (of_replica > plan.devices || plan.devices % of_replica != 0) {
        throw Error(
            plan.stages == 1 || plan.tensor == 1
                ? fmt::format("{} devices are no multiple of {} {}; give one", plan.devices,
                              of_replica, plan.stages == 1 ? "that share each layer" : "stages")
                : fmt::format("{} devices are no multiple of {} stages of {} that share each "
                              "layer; give one",
                              plan.devices, plan.stages, plan.tensor),
            ExitCode::usage);
    }
}

}  // namespace

ParallelPlan effective(ParallelPlan plan) {
    const ParallelPlan unset;
    set_groups(plan);
    const bool is_known = plan.strategy != Strategy::expert;
    if (plan.stages > 1 && is_known && plan.strategy != Strategy::fsdp) {
        plan.strategy = Strategy::pipeline;
    } else if (is_known && plan.stages == 1) {
        const bool divides = exchanges_gradients(plan);
        const bool is_fsdp = plan.strategy == Strategy::fsdp || plan.zero == 3;
        plan.strategy = divides && is_fsdp ? Strategy::fsdp
                        : divides          ? Strategy::data
                        : plan.tensor > 1  ? Strategy::tensor
                                           : Strategy::data;
        plan.zero = plan.strategy == Strategy::fsdp ? 3 : plan.zero;
    }
    if (plan.devices == 1) {
        plan.strategy = Strategy::data;
    }
    if (!exchanges_gradients(plan)) {
        plan.gradient_bits = unset.gradient_bits;
        plan.zero = unset.zero;
        plan.overhead = unset.overhead;
    }
    plan.bucket = has_buckets(plan) ? plan.bucket : unset.bucket;
    plan.overlap = may_overlap(plan) ? plan.overlap : unset.overlap;
    return plan;
}

ParallelStep parallel_step(const DeviceWork& work, const Cluster& cluster,
                           const ParallelPlan& asked) {
    const ParallelPlan plan = effective(asked);
    check(work.prediction.refused() == 0, "every layer of a divided network has a prediction");
    if (plan.strategy == Strategy::expert) {
        throw Error(
            "expert parallelism divides layers of which each example uses a part, and no network "
            "has any here: all layers of a graph compute all examples; choose data, fsdp, pipeline "
            "or tensor",
            ExitCode::usage);
    }
    if (plan.stages == 1) {
        return DividedBatch(work, cluster, plan).run();
    }
    if (plan.strategy == Strategy::fsdp || plan.zero == 3) {
        throw Error(
            "a stage of a pipeline keeps its parameters: give --zero 0, 1 or 2, and no fsdp",
            ExitCode::usage);
    }
    return pipeline_step(work, cluster, plan);
}

}  // namespace strata
