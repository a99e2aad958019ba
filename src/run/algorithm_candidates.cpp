// SPDX-License-Identifier: MIT
#include "run/algorithm_candidates.h"

#include "backend/algorithms.h"
#include "base/enumeration.h"
#include "measure/statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

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

std::vector<Seconds> take_turn(Executable& executable, const TurnLength& length) {
    std::vector<Seconds> times(executable.steps().size());
    if (executable.run_timed(times) >= length.longest) {
        return times;
    }
    std::vector<std::vector<Seconds>> samples(times.size());
    Seconds spent;
    for (std::size_t i = 0;
         i < length.most && spent < length.longest && (i < length.fewest || spent < length.enough);
         ++i) {
        spent += executable.run_timed(times);
        for (std::size_t step = 0; step < times.size(); ++step) {
            samples[step].push_back(times[step]);
        }
    }
    std::ranges::transform(samples, times.begin(),
                           [](const std::vector<Seconds>& of_step) { return median_of(of_step); });
    return times;
}

Contest contest_of(std::span<Executable* const> executables, std::function<bool()> is_stopped) {
    Contest contest(TurnOrder::reversing, std::move(is_stopped));
    for (Executable* executable : executables) {
        contest.add([executable] { return take_turn(*executable); });
    }
    return contest;
}

}  // namespace strata
