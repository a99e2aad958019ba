// SPDX-License-Identifier: MIT
#include "measure/infeed.h"

#include "base/random.h"
#include "measure/sampler.h"
#include "measure/statistics.h"

#include <algorithm>
#include <array>
#include <optional>

namespace strata {

namespace {

constexpr Seconds infeed_time_of_a_kind{20e-3};  // in one round
constexpr double max_repetitions = 64;
constexpr std::size_t min_overlapped = 2;
constexpr std::uint64_t infeed_order_seed = 0x5374726174610002;

class InfeedSampler {
public:
    InfeedSampler(Infeed& infeed, const Policy& policy, Clock& clock,
                  const std::function<bool()>& stop_requested,
                  const std::function<void(double)>& progress)
        : infeed_(infeed),
          policy_(policy),
          clock_(clock),
          stop_requested_(stop_requested),
          progress_(progress) {}

    SampledInfeed run() {
        const Seconds begin = clock_.now();
        sample_round(0);
        if (policy_.warmup > 0) {
            sampled_ = {};
        }
        for (std::uint64_t round = 1; !is_stopped(); ++round) {
            sample_round(round);
            if (const auto reason = decide(clock_.now() - begin); reason && !is_stopped_) {
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

    void sample_round(std::uint64_t round) {
        std::array<void (InfeedSampler::*)(), 3> kinds = {&InfeedSampler::sample_steps,
                                                          &InfeedSampler::sample_serial,
                                                          &InfeedSampler::sample_overlapped};
        const std::uint64_t drawn = order_.bits(round);
        std::swap(kinds[2], kinds[drawn % 3]);
        std::swap(kinds[1], kinds[(drawn >> 32) % 2]);
        for (const auto kind : kinds) {
            if (!is_stopped()) {
                (this->*kind)();
            }
        }
    }

    // How many iterations of this kind run in a row, by the last one's time.
    static std::size_t in_a_row(const Samples& samples) {
        if (samples.values.empty()) {
            return 1;
        }
        const Seconds last = samples.values.back();
        const double fitting = last.value > 0 ? infeed_time_of_a_kind / last : max_repetitions;
        return static_cast<std::size_t>(std::clamp(fitting, 1.0, max_repetitions));
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

    std::array<const Samples*, 3> kinds() const {
        return {&sampled_.step, &sampled_.serial, &sampled_.overlapped};
    }

    // As rarely as Stopping checks, and for the same reason.
    std::optional<StopReason> decide(Seconds spent) {
        std::size_t least = max_samples, most = 0;
        for (const Samples* samples : kinds()) {
            least = std::min(least, samples->values.size());
            most = std::max(most, samples->values.size());
        }
        if (progress_) {
            progress_(std::min(1.0, spent / policy_.max_time));
        }
        if (spent >= policy_.max_time || most >= max_samples) {
            return StopReason::budget;
        }
        if (least < std::max(next_look_, policy_.min_samples) || spent < policy_.min_time) {
            return {};
        }
        next_look_ = least + least / 4 + 1;
        const bool is_precise = std::ranges::all_of(kinds(), [&](const Samples* samples) {
            return relative_half_width(estimate(samples->values)) <= policy_.precision;
        });
        return is_precise ? std::optional(StopReason::precise) : std::nullopt;
    }

    Infeed& infeed_;
    const Policy& policy_;
    Clock& clock_;
    const std::function<bool()>& stop_requested_;
    const std::function<void(double)>& progress_;
    SampledInfeed sampled_;
    RandomStream order_{infeed_order_seed, 0};
    std::size_t next_look_ = min_samples_for_interval;
    bool is_stopped_ = false;
};

}  // namespace

SampledInfeed sample_infeed(Infeed& infeed, const Policy& policy, Clock& clock,
                            const std::function<bool()>& stop_requested,
                            const std::function<void(double)>& progress) {
    return InfeedSampler(infeed, policy, clock, stop_requested, progress).run();
}

}  // namespace strata
