// SPDX-License-Identifier: MIT
#include "parallel/step.h"

#include "base/error.h"
#include "parallel/layer_costs.h"

#include <fmt/format.h>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>

namespace strata {

namespace {

// Bytes that a device must read and write of each gradient in f32 to convert it and to convert the
// sum back: 16 bits read 4 and write 2, then the reverse; 1 bit reads the gradient and the error
// that is fed back (Seide et al. 2014), writes the new error, and the gradient from the sum. At the
// memory's peak that is a lower bound: launches, sums over ranks and further passes are not in it.
double encoding_bytes(int bits) {
    switch (bits) {
        case 16:
            return 12;
        case 1:
            return 16;
        default:
            return 0;
    }
}

// One device and one channel for messages, each of which does one thing at a time.
class DividedBatch {
public:
    DividedBatch(const DeviceWork& work, const Cluster& cluster, const ParallelPlan& plan)
        : work_(work),
          cluster_(cluster),
          plan_(plan),
          costs_(layer_costs(work)),
          units_(units_of(costs_, plan.bucket)),
          exchanged_(units_.size()) {}

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
        const Bytes moved{unit.values * encoding_bytes(plan_.gradient_bits)};
        return moved / work_.device.dram_bandwidth->value;
    }

    // Sends a message as soon as the channel is free and it is ready.
    Seconds send(std::size_t unit, Collective collective, Bytes bytes, Seconds ready) {
        const Seconds time = time_of(cluster_, collective, plan_.devices, bytes, plan_.algorithm);
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

    // Bytes of a unit's parameters in the element type of the execution.
    Bytes gathered_bytes(const Unit& unit) const {
        const double bytes = work_.execution.numerics.dtype == DataType::f32 ? 4 : 2;
        return Bytes{unit.values * bytes};
    }

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

    void forward(std::size_t unit) {
        gather(unit);
        compute(forward_of(unit));
    }

    Seconds forward_of(std::size_t unit) const {
        Seconds sum;
        for (LayerId layer = units_[unit].first; layer <= units_[unit].last; ++layer) {
            sum += costs_[layer].forward;
        }
        return sum;
    }

    void backward(std::size_t unit, Last last) {
        gather(unit);
        // The unit before this one sends its gradients after these parameters.
        if (waiting_unit_) {
            exchange_gradients(*waiting_unit_);
            waiting_unit_.reset();
        }
        if (plan_.activations == Activations::recomputed) {
            compute(forward_of(unit));
        }
        const Unit& range = units_[unit];
        for (LayerId layer = range.last + 1; layer-- > range.first;) {
            compute(costs_[layer].backward);
            if (layer == range.ready && range.values > 0 && plan_.devices > 1 &&
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
        if (range.values > 0 && plan_.devices > 1) {
            if (plan_.overlap == Overlap::off && !divides_parameters()) {
                gradients_ready_ = clock_;
                exchange_gradients(unit);
            }
            wait_until(exchanged_[unit].done, unit);
            encode(encoding_of(range) / 2);
        }
        const double share = plan_.zero >= 1 ? 1.0 / plan_.devices : 1.0;
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
        for (std::size_t unit = units_.size(); unit-- > 0;) {
            step.exchange += exchanged_[unit].exchange;
            step.exposed += exchanged_[unit].exposed;
            add_layers(unit, step);
        }
        step.time = step.compute + step.encoding + step.exposed + step.waiting;
        step.memory = divided_memory(work_, units_, plan_);
        return step;
    }

    void add_layers(std::size_t unit, ParallelStep& step) const {
        const Exchanged& whole = exchanged_[unit];
        if (!(whole.bytes > Bytes{})) {
            return;
        }
        for (LayerId layer = units_[unit].first; layer <= units_[unit].last; ++layer) {
            if (costs_[layer].values > 0) {
                const double share = costs_[layer].values / units_[unit].values;
                step.layers.push_back(
                    {layer, whole.bytes * share, whole.exchange * share, whole.exposed * share,
                     costs_[layer].forward + costs_[layer].backward + costs_[layer].update});
            }
        }
    }

    const DeviceWork& work_;
    const Cluster& cluster_;
    const ParallelPlan& plan_;
    std::vector<LayerCost> costs_;
    std::vector<Unit> units_;  // in backward order
    std::vector<Exchanged> exchanged_;
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
    return plan.devices > 1 && plan.strategy != Strategy::pipeline;
}

ParallelPlan effective(ParallelPlan plan) {
    const ParallelPlan unset;
    if (plan.devices == 1) {
        plan.strategy = Strategy::data;
        plan.overhead = unset.overhead;
    }
    if (!exchanges_gradients(plan)) {
        plan.overlap = unset.overlap;
        plan.gradient_bits = unset.gradient_bits;
        plan.bucket = unset.bucket;
        plan.zero = unset.zero;
    } else if (plan.strategy == Strategy::fsdp || plan.zero == 3) {
        plan.strategy = Strategy::fsdp;
        plan.zero = 3;
    }
    return plan;
}

ParallelStep parallel_step(const DeviceWork& work, const Cluster& cluster,
                           const ParallelPlan& asked) {
    const ParallelPlan plan = effective(asked);
    check(work.prediction.refused() == 0, "every layer of a divided network has a prediction");
    switch (plan.strategy) {
        case Strategy::pipeline:
            return pipeline_step(work, cluster, plan);
        case Strategy::tensor:
        case Strategy::expert:
            break;
        case Strategy::data:
        case Strategy::fsdp:
            return DividedBatch(work, cluster, plan).run();
    }
    throw Error(fmt::format("there is no model of {} parallelism; choose data, fsdp or pipeline",
                            name_of(plan.strategy)),
                ExitCode::usage);
}

}  // namespace strata
