// SPDX-License-Identifier: MIT
#include "scale/merged_step.h"

#include "base/error.h"

#include <algorithm>

namespace strata {

namespace {

constexpr std::size_t whole_numbers = 4;  // total, compute, copying, coding
constexpr std::size_t bucket_numbers = 3;

Seconds slowest_total(const IterationsByRank& ranks, std::size_t iteration) {
    Seconds most;
    for (const auto& rank : ranks) {
        most = std::max(most, rank[iteration].total);
    }
    return most;
}

std::size_t median_iteration(const IterationsByRank& ranks) {
    std::vector<std::size_t> order(ranks.front().size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return slowest_total(ranks, i); });
    return order[(order.size() - 1) / 2];
}

// A bucket's exchange, as all ranks saw it.
struct MergedBucket {
    Seconds exchange;
    Seconds exposed;
    Seconds waiting;
};

MergedBucket merged_bucket(const IterationsByRank& ranks, std::size_t iteration,
                           std::size_t bucket) {
    const double share = 1.0 / static_cast<double>(ranks.size());
    double last = ranks.front()[iteration].buckets[bucket].begin;
    for (const auto& rank : ranks) {
        last = std::max(last, rank[iteration].buckets[bucket].begin);
    }
    MergedBucket merged;
    for (const auto& rank : ranks) {
        const BucketTimes& times = rank[iteration].buckets[bucket];
        const double began_waiting = times.end - times.waited;
        const double for_slowest = std::clamp(last - began_waiting, 0.0, times.waited);
        merged.exchange += Seconds{share * std::max(times.end - last, 0.0)};
        merged.waiting += Seconds{share * for_slowest};
        merged.exposed += Seconds{share * (times.waited - for_slowest)};
    }
    // A wake-up after the exchange is waiting, too, but no more of it can be exposed than there
    // was.
    merged.exchange = std::max(merged.exchange, merged.exposed);
    return merged;
}

}  // namespace

ParallelStep merged_step(const IterationsByRank& ranks,
                         const std::vector<std::vector<SharedTraining::BucketLayer>>& buckets) {
    check(!ranks.empty() && !ranks.front().empty(), "ranks have measured iterations");
    const std::size_t iteration = median_iteration(ranks);
    const double share = 1.0 / static_cast<double>(ranks.size());
    ParallelStep step{.time = slowest_total(ranks, iteration)};
    const auto mean_of_layer = [&](LayerId layer) {
        Seconds mean;
        for (const auto& rank : ranks) {
            mean += share * rank[iteration].by_layer[layer];
        }
        return mean;
    };
    for (const auto& rank : ranks) {
        step.compute += share * rank[iteration].compute;
        step.encoding += share * (rank[iteration].copying + rank[iteration].coding);
    }
    for (std::size_t b = buckets.size(); b-- > 0;) {
        const MergedBucket merged =
            ranks.size() > 1 ? merged_bucket(ranks, iteration, b) : MergedBucket();
        step.exchange += merged.exchange;
        step.exposed += merged.exposed;
        step.waiting += merged.waiting;
        Bytes whole;
        for (const auto& layer : buckets[b]) {
            whole += layer.bytes;
        }
        for (auto layer = buckets[b].rbegin(); layer != buckets[b].rend(); ++layer) {
            const double part = layer->bytes / whole;
            step.layers.push_back({layer->layer, ranks.size() > 1 ? layer->bytes : Bytes{},
                                   part * merged.exchange, part * merged.exposed,
                                   mean_of_layer(layer->layer), part * merged.waiting});
        }
    }
    step.other = step.time - step.compute - step.encoding - step.exposed - step.waiting;
    return step;
}

std::vector<double> numbers_of(const IterationTimes& times) {
    std::vector<double> numbers = {times.total.value, times.compute.value, times.copying.value,
                                   times.coding.value};
    for (const Seconds layer : times.by_layer) {
        numbers.push_back(layer.value);
    }
    for (const BucketTimes& bucket : times.buckets) {
        numbers.insert(numbers.end(), {bucket.begin, bucket.end, bucket.waited});
    }
    return numbers;
}

IterationTimes iteration_of(std::span<const double> numbers, std::size_t layers) {
    check(numbers.size() >= whole_numbers + layers &&
              (numbers.size() - whole_numbers - layers) % bucket_numbers == 0,
          "an iteration has its numbers");
    IterationTimes times{.total = Seconds{numbers[0]},
                         .compute = Seconds{numbers[1]},
                         .copying = Seconds{numbers[2]},
                         .coding = Seconds{numbers[3]},
                         .by_layer = {},
                         .buckets = {}};
    for (const double layer : numbers.subspan(whole_numbers, layers)) {
        times.by_layer.push_back(Seconds{layer});
    }
    for (auto rest = numbers.subspan(whole_numbers + layers); !rest.empty();
         rest = rest.subspan(bucket_numbers)) {
        times.buckets.push_back({rest[0], rest[1], rest[2]});
    }
    return times;
}

}  // namespace strata
