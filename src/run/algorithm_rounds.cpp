// SPDX-License-Identifier: MIT
#include "run/algorithm_rounds.h"

#include "measure/statistics.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

constexpr int max_repeats = 20;

Seconds sum_of(std::span<const Seconds> times) {
    return std::accumulate(times.begin(), times.end(), Seconds{});
}

// The median of each step over the iterations of one turn.
std::vector<Seconds> medians_of(const std::vector<std::vector<Seconds>>& iterations) {
    std::vector<Seconds> medians(iterations.front().size());
    std::vector<Seconds> column(iterations.size());
    for (std::size_t step = 0; step < medians.size(); ++step) {
        std::ranges::transform(iterations, column.begin(),
                               [&](const auto& times) { return times[step]; });
        medians[step] = median_of(column);
    }
    return medians;
}

std::vector<Seconds> take_turn(Executable& executable, Seconds each_turn) {
    std::vector<Seconds> times(executable.steps().size());
    const Seconds first = executable.run_timed(times);
    if (first >= each_turn) {
        return times;
    }
    const double affordable = each_turn.value / std::max(first.value, 1e-9);
    std::vector<std::vector<Seconds>> iterations(
        static_cast<std::size_t>(std::clamp(affordable, 1.0, static_cast<double>(max_repeats))));
    for (std::vector<Seconds>& iteration : iterations) {
        iteration.resize(times.size());
        executable.run_timed(iteration);
    }
    return medians_of(iterations);
}

bool is_precise(const TurnTimes& times, double precision) {
    return precision > 0 && std::ranges::all_of(times.whole, [&](const Samples& whole) {
               return relative_half_width(estimate(whole.values)) <= precision;
           });
}

}  // namespace

void append(TurnTimes& times, const TurnTimes& further) {
    if (times.rounds == 0) {
        times = further;
        return;
    }
    const auto add = [](Samples& to, const Samples& more) {
        to.values.insert(to.values.end(), more.values.begin(), more.values.end());
    };
    for (std::size_t i = 0; i < times.whole.size(); ++i) {
        add(times.whole[i], further.whole[i]);
        for (std::size_t step = 0; step < times.steps[i].size(); ++step) {
            add(times.steps[i][step], further.steps[i][step]);
        }
    }
    times.rounds += further.rounds;
}

void remove(TurnTimes& times, std::size_t executable) {
    const auto at = static_cast<std::ptrdiff_t>(executable);
    times.whole.erase(times.whole.begin() + at);
    times.steps.erase(times.steps.begin() + at);
}

TurnTimes time_in_turn(std::span<Executable* const> executables, const TurnLimits& limits,
                       Clock& clock, const std::function<bool()>& stop) {
    TurnTimes times;
    times.whole.resize(executables.size());
    for (const Executable* executable : executables) {
        times.steps.emplace_back(executable->steps().size());
    }
    const Seconds begin = clock.now();
    const auto spent = [&] { return clock.now() - begin; };
    const auto is_done = [&] {
        const bool has_time = spent() < limits.max_time;
        const bool is_enough = times.rounds >= limits.min_rounds && spent() >= limits.min_time &&
                               is_precise(times, limits.precision);
        return times.rounds >= limits.max_rounds || is_enough || (times.rounds > 1 && !has_time);
    };
    while (!is_done()) {
        for (std::size_t i = 0; i < executables.size(); ++i) {
            if (stop && stop()) {
                return times;
            }
            const std::size_t which = times.rounds % 2 == 0 ? i : executables.size() - 1 - i;
            const auto turn = take_turn(*executables[which], limits.each_turn);
            for (std::size_t step = 0; step < turn.size(); ++step) {
                times.steps[which][step].values.push_back(turn[step]);
            }
            times.whole[which].values.push_back(sum_of(turn));
        }
        ++times.rounds;
    }
    return times;
}

}  // namespace strata
