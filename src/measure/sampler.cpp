// SPDX-License-Identifier: MIT
#include "measure/sampler.h"

#include "base/error.h"
#include "measure/contest.h"
#include "measure/stopping.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {
namespace {

constexpr Seconds time_of_a_kind{1e-3};  // in one block
constexpr std::size_t max_in_a_row = 64;
constexpr Seconds between_checkpoints{1};
constexpr Seconds between_reports{0.1};

Seconds total(const Samples& samples) {
    Seconds sum;
    for (const Seconds value : samples.values) {
        sum += value;
    }
    return sum;
}

Seconds total(const SampledIteration& sampled) {
    return total(sampled.end_to_end) + total(sampled.instrumented) + total(sampled.calibration);
}

// Keeps the first, third, fifth ... sample.
void drop_every_second(Samples& samples) {
    auto& values = samples.values;
    for (std::size_t i = 0; 2 * i < values.size(); ++i) {
        values[i] = values[2 * i];
    }
    values.resize((values.size() + 1) / 2);
    auto& disturbed = samples.disturbed;
    for (std::size_t i = 0; 2 * i < disturbed.size(); ++i) {
        disturbed[i] = disturbed[2 * i];
    }
    disturbed.resize((disturbed.size() + 1) / 2);
}

// Adds a sample; without a mark if it was not watched. Unwatched samples of an earlier attempt
// count as undisturbed.
void keep(Samples& samples, Seconds time, std::optional<bool> disturbed) {
    if (disturbed || !samples.disturbed.empty()) {
        samples.disturbed.resize(samples.values.size());
        samples.disturbed.push_back(disturbed.value_or(false));
    }
    samples.values.push_back(time);
}

// Something that is due again a fixed time after it was last done.
class Recurring {
public:
    Recurring(Seconds now, Seconds period) : last_(now), period_(period) {}

    bool is_due(Seconds now) {
        if (now - last_ < period_) {
            return false;
        }
        last_ = now;
        return true;
    }

private:
    Seconds last_;
    Seconds period_;
};

SampledIteration fitted(SampledIteration earlier, std::size_t parts) {
    if (earlier.parts.empty() && earlier.instrumented.values.empty()) {
        earlier.parts.resize(parts);
    }
    const auto count = earlier.instrumented.values.size();
    const bool complete = std::all_of(earlier.parts.begin(), earlier.parts.end(),
                                      [&](const Samples& s) { return s.values.size() == count; });
    if (earlier.parts.size() != parts || !complete) {
        throw Error(
            fmt::format("the stored samples of an interrupted run ({} parts) do not match the "
                        "present measurement ({} parts); start over",
                        earlier.parts.size(), parts));
    }
    return earlier;
}

class Sampler {
public:
    Sampler(Iteration& iteration, const Policy& policy, const std::function<Seconds()>& calibration,
            Clock& clock, const SamplerHooks& hooks, SampledIteration earlier)
        : iteration_(iteration),
          policy_(policy),
          calibration_(calibration),
          clock_(clock),
          hooks_(hooks),
          sampled_(fitted(std::move(earlier), iteration.parts())),
          spent_before_(total(sampled_)),
          stopping_(policy),
          kinds_(TurnOrder::drawn, [this] { return is_stopped(); }) {
        for (const auto kind :
             {&Sampler::sample_end_to_end, &Sampler::sample_instrumented, &Sampler::calibrate}) {
            kinds_.add([this, kind] {
                (this->*kind)();
                return std::vector<Seconds>();
            });
        }
    }

    SampledIteration run() {
        const Seconds begin = clock_.now();
        warm_up(iteration_, policy_, clock_, [this] { return is_stopped(); });
        policy_.max_time =
            std::max(Seconds{}, policy_.max_time - (clock_.now() - begin));  // remaining time
        stopping_ = Stopping(policy_);
        sampled_.reason = sample_blocks();
        return std::move(sampled_);
    }

private:
    bool is_stopped() {
        stopped_ = stopped_ || (hooks_.stop_requested && hooks_.stop_requested());
        return stopped_;
    }

    StopReason sample_blocks() {
        begin_ = clock_.now();
        Recurring checkpoint(begin_, between_checkpoints);
        Recurring report(begin_, between_reports);
        while (kinds_.run_round()) {
            const Seconds now = clock_.now();
            const Seconds spent = spent_before_ + (now - begin_);
            if (const auto reason = stopping_.decide(sampled_, spent)) {
                return *reason;
            }
            thin();
            if (hooks_.checkpoint && checkpoint.is_due(now)) {
                hooks_.checkpoint(sampled_);
            }
            if (hooks_.progress && report.is_due(now)) {
                hooks_.progress(progress(spent));
            }
        }
        return StopReason::interrupted;
    }

    // The waits are known when all have run.
    void sample_end_to_end() {
        WaitWatch* watch = begin_watching();
        std::vector<Seconds> times;
        for (std::size_t i = 0; i < in_a_row_ && !is_stopped(); ++i) {
            times.push_back(iteration_.run());
            if (watch != nullptr) {
                watch->took(times.back());
            }
        }
        const std::vector<Wait> waits = watch != nullptr ? watch->end() : std::vector<Wait>();
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (end_to_end_runs_++ % stride_ == 0) {
                keep(sampled_.end_to_end, times[i], mark(times[i], watched(waits, i, 1)));
            }
            last_ = times[i];
        }
        in_a_row_ = runs_within(time_of_a_kind, last_, max_in_a_row);
    }

    void sample_instrumented() {
        WaitWatch* watch = begin_watching();
        std::vector<Timed> all;
        for (std::size_t i = 0; i < in_a_row_ && !is_stopped(); ++i) {
            Timed timed{{}, std::vector<Seconds>(iteration_.parts())};
            timed.whole = iteration_.run_timed(timed.parts);
            all.push_back(std::move(timed));
        }
        const std::vector<Wait> waits = watch != nullptr ? watch->end() : std::vector<Wait>();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (instrumented_runs_++ % stride_ == 0) {
                keep_instrumented(all[i], watched(waits, i, iteration_.parts()));
            }
        }
    }

    // One iteration with time stamps.
    struct Timed {
        Seconds whole;
        std::vector<Seconds> parts;
    };

    void keep_instrumented(const Timed& timed, std::span<const Wait> waits) {
        keep(sampled_.instrumented, timed.whole, mark(timed.whole, waits));
        for (std::size_t p = 0; p < timed.parts.size(); ++p) {
            keep(sampled_.parts[p], timed.parts[p],
                 mark(timed.parts[p], waits.empty() ? waits : waits.subspan(p, 1)));
        }
    }

    WaitWatch* begin_watching() {
        WaitWatch* watch = iteration_.watch();
        if (watch != nullptr) {
            watch->begin();
        }
        return watch;
    }

    // The marks of one iteration with this number of pieces; empty if it was not watched.
    static std::span<const Wait> watched(std::span<const Wait> waits, std::size_t iteration,
                                         std::size_t pieces) {
        return waits.empty() ? waits : waits.subspan(iteration * pieces, pieces);
    }

    static std::optional<bool> mark(Seconds time, std::span<const Wait> waits) {
        return waits.empty() ? std::nullopt : std::optional(is_disturbed(time, total_of(waits)));
    }

    void calibrate() { sampled_.calibration.values.push_back(calibration_()); }

    void thin() {
        const auto maximum =
            std::max(sampled_.end_to_end.values.size(), sampled_.instrumented.values.size());
        if (maximum <= max_samples) {
            return;
        }
        stride_ *= 2;
        drop_every_second(sampled_.end_to_end);
        drop_every_second(sampled_.instrumented);
        std::for_each(sampled_.parts.begin(), sampled_.parts.end(), drop_every_second);
    }

    Progress progress(Seconds spent) const {
        const auto samples =
            std::min(sampled_.end_to_end.values.size(), sampled_.instrumented.values.size());
        return {.fraction = fraction(samples, spent),
                .precision = stopping_.precision(),
                .samples = samples,
                .spent = spent};
    }

    // The work needed grows with the square of the missing precision.
    double fraction(std::size_t samples, Seconds spent) const {
        double done = policy_.min_time.value > 0 ? spent / policy_.min_time : 1;
        if (policy_.min_samples > 0) {
            done = std::min(
                done, static_cast<double>(samples) / static_cast<double>(policy_.min_samples));
        }
        if (const auto precision = stopping_.precision(); precision && *precision > 0) {
            const double ratio = policy_.precision / *precision;
            done = std::min(done, ratio * ratio);
        }
        return std::min(1.0, std::max(done, spent / policy_.max_time));
    }

    Iteration& iteration_;
    Policy policy_;
    const std::function<Seconds()>& calibration_;
    Clock& clock_;
    const SamplerHooks& hooks_;
    SampledIteration sampled_;
    const Seconds spent_before_;
    Stopping stopping_;
    Contest kinds_;
    Seconds begin_;
    Seconds last_;
    bool stopped_ = false;
    std::size_t in_a_row_ = 1;
    std::size_t stride_ = 1;  // one in this many runs is kept
    std::uint64_t end_to_end_runs_ = 0;
    std::uint64_t instrumented_runs_ = 0;
};

}  // namespace

SampledIteration sample(Iteration& iteration, const Policy& policy,
                        const std::function<Seconds()>& calibration, Clock& clock,
                        const SamplerHooks& hooks, SampledIteration earlier) {
    return Sampler(iteration, policy, calibration, clock, hooks, std::move(earlier)).run();
}

}  // namespace strata
