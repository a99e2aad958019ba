// SPDX-License-Identifier: MIT
#include "scale/shared_training.h"

#include "backend/gradients.h"
#include "backend/inputs.h"
#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// Adds the time of a piece of work.
template <class Work>
void timed(Seconds& sum, Work&& work) {
    const Seconds begin = monotonic_now();
    work();
    sum += monotonic_now() - begin;
}

std::size_t elements_of(const Graph& graph, TensorId tensor) {
    return static_cast<std::size_t>(graph.tensors[tensor].tensor.elements());
}

}  // namespace

// Gradients that are exchanged together.
struct SharedTraining::Bucket {
    struct Part {
        TensorId tensor = 0;
        LayerId layer = 0;
        std::size_t begin = 0;  // in `values`
        std::size_t count = 0;
    };

    std::vector<Part> parts = {};
    std::vector<float> values = {};        // this rank's; of codes then the sum
    std::vector<float> sum = {};           // of all ranks, without codes
    std::vector<std::byte> received = {};  // codes of all ranks
    std::unique_ptr<GradientCode> code = {};
    LayerId last = 0;  // the last in backward order
    std::future<ExchangeTimes> exchange = {};
};

SharedTraining::SharedTraining(const Graph& graph, const Execution& execution,
                               Executable& executable, const TrainingPlan& plan,
                               Exchanger& exchanger)
    : graph_(graph),
      execution_(execution),
      executable_(executable),
      plan_(plan),
      exchanger_(exchanger) {
    const Schedule schedule = schedule_of(graph, execution);
    bool is_full = true;
    for (LayerId layer = graph.layers.size(); layer-- > 0;) {
        for (const TensorId tensor : updated_parameters(graph, schedule, layer)) {
            if (is_full) {
                buckets_.push_back(std::make_unique<Bucket>());
            }
            Bucket& bucket = *buckets_.back();
            const std::size_t count = elements_of(graph, tensor);
            bucket.parts.push_back({tensor, layer, bucket.values.size(), count});
            bucket.values.resize(bucket.values.size() + count);
            bucket.last = layer;
            is_full = false;
        }
        if (!buckets_.empty()) {
            is_full =
                Bytes{4.0 * static_cast<double>(buckets_.back()->values.size())} >= plan.bucket;
        }
    }
    for (const auto& bucket : buckets_) {
        if (plan.compression == Compression::none) {
            bucket->sum.resize(bucket->values.size());
        } else {
            bucket->code = std::make_unique<GradientCode>(plan.compression, bucket->values.size(),
                                                          plan.feedback);
            bucket->received.resize(bucket->code->bytes() * static_cast<std::size_t>(plan.workers));
        }
    }
    const auto steps = executable.steps();
    for (std::size_t step = 0; step < steps.size(); ++step) {
        (steps[step].pass == Pass::update ? update_steps_ : first_steps_).push_back(step);
    }
}

SharedTraining::~SharedTraining() = default;

void SharedTraining::take_part_of(const Graph& whole) {
    const auto rank = static_cast<std::size_t>(exchanger_.rank());
    for (const TensorId tensor : graph_.inputs) {
        const std::size_t own = elements_of(graph_, tensor);
        const HostValues all = initial_values(whole, tensor, execution_.numerics.seed);
        check(all.size() >= (rank + 1) * own, "the whole batch has every rank's part");
        executable_.write(tensor, Content::value, std::span(all).subspan(rank * own, own));
    }
}

void SharedTraining::run_step(std::size_t step, IterationTimes& times) {
    const Step& known = executable_.steps()[step];
    if (!known.runs()) {
        return;
    }
    Seconds taken;
    timed(taken, [&] { executable_.run_step(step); });
    times.compute += taken;
    times.by_layer[known.layer] += taken;
}

IterationTimes SharedTraining::iterate() {
    IterationTimes times;
    times.by_layer.resize(graph_.layers.size());
    times.buckets.resize(buckets_.size());
    const Seconds begin = monotonic_now();
    const auto steps = executable_.steps();
    const bool is_shared = plan_.workers > 1;
    std::size_t next = 0;  // bucket that is not complete yet
    for (std::size_t i = 0; i < first_steps_.size(); ++i) {
        run_step(first_steps_[i], times);
        const Step& step = steps[first_steps_[i]];
        const bool layer_is_done =
            step.pass != Pass::forward &&
            (i + 1 == first_steps_.size() || steps[first_steps_[i + 1]].layer != step.layer);
        while (is_shared && layer_is_done && next < buckets_.size() &&
               step.layer <= buckets_[next]->last) {
            if (plan_.overlap == Overlap::on) {
                send(next, times);
            }
            ++next;
        }
    }
    check(!is_shared || next == buckets_.size(),
          "every gradient is complete after the backward pass");
    for (std::size_t bucket = 0; is_shared && bucket < buckets_.size(); ++bucket) {
        if (plan_.overlap == Overlap::off) {
            send(bucket, times);
        }
        receive(bucket, times);
    }
    for (const std::size_t step : update_steps_) {
        run_step(step, times);
    }
    times.total = monotonic_now() - begin;
    return times;
}

void SharedTraining::send(std::size_t place, IterationTimes& times) {
    Bucket& bucket = *buckets_[place];
    timed(times.copying, [&] {
        for (const Bucket::Part& part : bucket.parts) {
            const HostValues gradient = executable_.read(part.tensor, Content::gradient);
            std::ranges::copy(gradient,
                              bucket.values.begin() + static_cast<std::ptrdiff_t>(part.begin));
        }
    });
    Exchange exchange{.ranks = plan_.workers};
    if (bucket.code) {
        timed(times.coding, [&] { exchange.sent = bucket.code->encode(bucket.values); });
        exchange.collective = Collective::all_gather;
        exchange.received = bucket.received;
    } else {
        exchange.sent = std::as_bytes(std::span(bucket.values));
        exchange.received = std::as_writable_bytes(std::span(bucket.sum));
    }
    bucket.exchange = exchanger_.post(exchange);
}

void SharedTraining::receive(std::size_t place, IterationTimes& times) {
    Bucket& bucket = *buckets_[place];
    Seconds waited;
    ExchangeTimes done;
    timed(waited, [&] { done = bucket.exchange.get(); });
    times.buckets[place] = {done.begin.value, done.end.value, waited.value};
    timed(times.coding, [&] {
        if (bucket.code) {
            bucket.code->decode_sum(bucket.received, bucket.values);
        }
    });
    timed(times.copying, [&] {
        const float share = 1.0F / static_cast<float>(plan_.workers);
        std::vector<float>& mean = bucket.code ? bucket.values : bucket.sum;
        for (float& value : mean) {
            value *= share;
        }
        for (const Bucket::Part& part : bucket.parts) {
            executable_.write(part.tensor, Content::gradient,
                              std::span(mean).subspan(part.begin, part.count));
        }
    });
}

std::vector<std::vector<SharedTraining::BucketLayer>> SharedTraining::bucket_layers() const {
    std::vector<std::vector<BucketLayer>> all;
    for (const auto& bucket : buckets_) {
        std::vector<BucketLayer>& layers = all.emplace_back();
        for (const Bucket::Part& part : bucket->parts) {
            if (layers.empty() || layers.back().layer != part.layer) {
                layers.push_back({part.layer, {}});
            }
            layers.back().bytes += Bytes{4.0 * static_cast<double>(part.count)};
        }
    }
    return all;
}

Bytes SharedTraining::sent_bytes() const {
    Bytes sum;
    for (const auto& bucket : buckets_) {
        sum += Bytes{static_cast<double>(bucket->code
                                             ? bucket->code->bytes() - bucket->code->scale_bytes()
                                             : bucket->values.size() * sizeof(float))};
    }
    return sum;
}

Bytes copied_bytes(const Graph& graph, const Execution& execution) {
    // Each value is read and written four times: out of the engine, into its bucket, to make the
    // mean of the sum, and into the engine.
    constexpr double moves = 8;
    const Schedule schedule = schedule_of(graph, execution);
    Bytes bytes;
    for (LayerId layer = 0; layer < graph.layers.size(); ++layer) {
        for (const TensorId tensor : updated_parameters(graph, schedule, layer)) {
            bytes += Bytes{moves * sizeof(float) * static_cast<double>(elements_of(graph, tensor))};
        }
    }
    return bytes;
}

double parameter_difference(const Graph& graph, const Executable& a, const Executable& b) {
    double difference = 0, largest = 0;
    for (TensorId tensor = 0; tensor < graph.tensors.size(); ++tensor) {
        if (graph.tensors[tensor].role != Role::parameter) {
            continue;
        }
        const HostValues left = a.read(tensor, Content::value);
        const HostValues right = b.read(tensor, Content::value);
        for (std::size_t i = 0; i < left.size(); ++i) {
            // A value that is no number differs from every other.
            const double apart = std::abs(left[i] - right[i]);
            difference = std::isnan(apart) ? HUGE_VAL : std::max(difference, apart);
            largest = std::max(largest, static_cast<double>(std::abs(right[i])));
        }
    }
    return largest > 0 ? difference / largest : difference;
}

}  // namespace strata
