// SPDX-License-Identifier: MIT
#include "measure/infeed.h"

#include "measure/contest.h"
#include "measure/sampler.h"
#include "measure/stopping.h"

#include <algorithm>
#include <array>
#include <optional>

namespace strata {

namespace {

constexpr Seconds infeed_time_of_a_kind{20e-3};  // in one round
constexpr std::size_t max_repetitions = 64;
constexpr std::size_t min_overlapped = 2;

class InfeedSampler {
public:
    InfeedSampler(Infeed& infeed, const Policy& policy, Clock& clock,
                  const std::function<bool()>& stop_requested,
                  const std::function<void(double)>& progress)
        : infeed_(infeed),
          policy_(policy),
          clock_(clock),
          stop_requested_(stop_requested),
          progress_(progress),
          stopping_(policy),
          kinds_(TurnOrder::drawn, [this] { return is_stopped(); }) {
        for (const auto kind : {&InfeedSampler::sample_steps, &InfeedSampler::sample_serial,
                                &InfeedSampler::sample_overlapped}) {
            kinds_.add([this, kind] {
                (this->*kind)();
                return std::vector<Seconds>();
            });
        }
    }

    SampledInfeed run() {
        const Seconds begin = clock_.now();
        kinds_.run_round();
        if (policy_.warmup > 0) {
            sampled_ = {};
        }
        while (kinds_.run_round()) {
            if (const auto reason = decide(clock_.now() - begin)) {
                sampled_.reason = *reason;
                break;
            }
        }
        return std::move(sampled_);
    }

private:
    bool is_stopped() {
        is_stopped_ = is_stopped_ || (stop_requested_ && stop_requested_());
        return is_stopped_;
    }

    // How many iterations of this kind run in a row, by the last one's time.
    static std::size_t in_a_row(const Samples& samples) {
        return samples.values.empty()
                   ? 1
                   : runs_within(infeed_time_of_a_kind, samples.values.back(), max_repetitions);
    }

    // Quick iterations are affected by what ran before them: the first one of several is not kept.
    template <class Sample>
    void repeat(const Samples& samples, Sample&& sample) {
        const std::size_t count = in_a_row(samples);
        for (std::size_t i = count > 1 ? 0 : 1; i <= count && !is_stopped(); ++i) {
            sample(i > 0);
        }
    }

    void sample_steps() {
        repeat(sampled_.step, [&](bool is_kept) {
            const Seconds begin = clock_.now();
            infeed_.run_step();
            keep(is_kept, sampled_.step, clock_.now() - begin);
        });
    }

    void sample_serial() {
        repeat(sampled_.serial, [&](bool is_kept) {
            const Seconds begin = clock_.now();
            infeed_.begin_batch();
            const BatchTimes batch = infeed_.finish_batch();
            const Seconds made = clock_.now();
            infeed_.copy_batch();
            const Seconds copied = clock_.now();
            infeed_.run_step();
            const Seconds end = clock_.now();
            keep(is_kept, sampled_.serial, end - begin);
            keep(is_kept, sampled_.decode, batch.decode);
            keep(is_kept, sampled_.augment, batch.augment);
            keep(is_kept, sampled_.produce, made - begin);
            keep(is_kept, sampled_.copy, copied - made);
        });
    }

    // The first iteration waits for a whole batch, because none was made during a previous one.
    void sample_overlapped() {
        const std::size_t count = std::max(in_a_row(sampled_.overlapped), min_overlapped);
        infeed_.begin_batch();
        for (std::size_t i = 0; i <= count && !is_stopped(); ++i) {
            const Seconds begin = clock_.now();
            infeed_.finish_batch();
            const Seconds made = clock_.now();
            infeed_.begin_batch();
            infeed_.copy_batch();
            const Seconds copied = clock_.now();
            infeed_.run_step();
            const Seconds end = clock_.now();
            keep(i > 0, sampled_.overlapped, end - begin);
            keep(i > 0, sampled_.waiting, made - begin);
            keep(i > 0, sampled_.copying, copied - made);
        }
        infeed_.finish_batch();
    }

    static void keep(bool is_kept, Samples& samples, Seconds value) {
        if (is_kept) {
            samples.values.push_back(value);
        }
    }

    std::optional<StopReason> decide(Seconds spent) {
        const std::array<const Samples*, 3> all = {&sampled_.step, &sampled_.serial,
                                                   &sampled_.overlapped};
        std::array<std::size_t, all.size()> counts = {};
        std::ranges::transform(all, counts.begin(),
                               [](const Samples* one) { return one->values.size(); });
        if (progress_) {
            progress_(std::min(1.0, spent / policy_.max_time));
        }
        if (std::ranges::max(counts) >= max_samples) {
            return StopReason::budget;
        }
        return stopping_.decide(std::ranges::min(counts), spent, [&] {
            double worst = 0;
            for (const Samples* one : all) {
                worst = std::max(worst, precision_of(*one));
            }
            return worst;
        });
    }

    Infeed& infeed_;
    const Policy& policy_;
    Clock& clock_;
    const std::function<bool()>& stop_requested_;
    const std::function<void(double)>& progress_;
    SampledInfeed sampled_;
    Stopping stopping_;
    Contest kinds_;
    bool is_stopped_ = false;
};

}  // namespace

SampledInfeed sample_infeed(Infeed& infeed, const Policy& policy, Clock& clock,
                            const std::function<bool()>& stop_requested,
                            const std::function<void(double)>& progress) {
    return InfeedSampler(infeed, policy, clock, stop_requested, progress).run();
}

}  // namespace strata
