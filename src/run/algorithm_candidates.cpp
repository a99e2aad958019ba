// SPDX-License-Identifier: MIT
#include "run/algorithm_candidates.h"

#include "backend/algorithms.h"
#include "base/enumeration.h"
#include "measure/statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace strata {

std::span<const ConvolutionAlgorithm> candidate_algorithms() {
    using enum ConvolutionAlgorithm;
    static constexpr std::array all = {direct,           gemm,
                                       implicit_gemm,    winograd_2x2_3x3,
                                       winograd_4x4_3x3, winograd_6x6_3x3,
                                       winograd_2x2_5x5, winograd_4x4_5x5,
                                       winograd,         fft,
                                       fft_tiled,        automatic};
    return all;
}

namespace {

bool is_in(const CandidateGroup& group, const PassAlgorithm& algorithm) {
    return std::ranges::find(group, algorithm) != group.end();
}

// Whether the engine is free to choose any algorithm.
bool leaves_open(const PassAlgorithm& asked) {
    return asked == ConvolutionAlgorithm::automatic || asked == ConvolutionAlgorithm::fastest ||
           asked == LinearAlgorithm::usual;
}

// Spectra of 1x1 windows take seconds and gigabytes, and save no multiplications.
bool saves_nothing(const PassAlgorithm& algorithm, const Convolution& op) {
    return (algorithm == ConvolutionAlgorithm::fft ||
            algorithm == ConvolutionAlgorithm::fft_tiled) &&
           std::ranges::all_of(op.kernel, [](std::int64_t extent) { return extent == 1; });
}

bool is_pass(const Step& step) {
    return step.kind == StepKind::compute && step.pass != Pass::update;
}

}  // namespace

// Each algorithm of linear layers shares its network with one of convolutions: neither delays the
// other. The usual largest gains come first, because time may run out before the rest.
std::vector<CandidateGroup> candidate_groups() {
    using enum ConvolutionAlgorithm;
    using enum LinearAlgorithm;
    std::vector<CandidateGroup> groups = {{winograd_4x4_3x3, winograd_4x4_5x5, matmul},
                                          {implicit_gemm, panels},
                                          {winograd, transposed},
                                          {winograd_2x2_3x3, winograd_2x2_5x5, inner_product},
                                          {gemm}};
    for (const ConvolutionAlgorithm algorithm : candidate_algorithms()) {
        const bool is_there = std::ranges::any_of(
            groups, [&](const CandidateGroup& group) { return is_in(group, algorithm); });
        if (algorithm != automatic && !is_there) {
            groups.push_back({algorithm});
        }
    }
    return groups;
}

std::optional<PassAlgorithm> candidate_for(const CandidateGroup& group, const Op& op) {
    std::optional<PassAlgorithm> first;
    const auto* convolution = std::get_if<Convolution>(&op);
    for (const PassAlgorithm& algorithm : group) {
        if (algorithm.is_linear() != is_linear(op) ||
            (convolution != nullptr && saves_nothing(algorithm, *convolution))) {
            continue;
        }
        if (convolution != nullptr &&
            name_of(algorithm).ends_with(fmt::format("-{}", fmt::join(convolution->kernel, "x")))) {
            return algorithm;
        }
        first = first.value_or(algorithm);
    }
    return first;
}

bool is_convolution_pass(const Graph& graph, const Step& step) {
    return is_pass(step) && is_convolution(graph.layers[step.layer].op);
}

bool is_tunable_pass(const Graph& graph, const Step& step) {
    return is_pass(step) && has_algorithms(graph.layers[step.layer].op);
}

std::string reason_against(const Step& step, const PassAlgorithm& asked) {
    if (step.is_refused()) {
        return step.refusal();
    }
    if (step.choice.fell_back()) {
        return step.choice.reason;
    }
    // (An engine with a single algorithm does not name it.)
    const bool is_another = !step.algorithm.empty() && !leaves_open(asked) &&
                            !step.algorithm.starts_with(name_of(asked));
    return is_another ? "not for this problem" : "";
}

Execution with_algorithm(Execution execution, ConvolutionAlgorithm algorithm) {
    execution.engine.algorithm = algorithm;
    execution.engine.choices.clear();
    return execution;
}

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
            const bool is_opposite = (limits.before + times.rounds) % 2 != 0;
            const std::size_t which = is_opposite ? executables.size() - 1 - i : i;
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
