// SPDX-License-Identifier: MIT
#include "run/algorithm_candidates.h"

#include "backend/algorithms.h"
#include "base/enumeration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

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

// Whether the engine may take any algorithm.
bool leaves_open(const PassAlgorithm& asked) {
    return asked == ConvolutionAlgorithm::automatic || asked == ConvolutionAlgorithm::fastest ||
           asked == LinearAlgorithm::usual;
}

bool is_pass(const Step& step) {
    return step.kind == StepKind::compute && step.pass != Pass::update;
}

}  // namespace

// Each way of a linear layer shares its network with one of a convolution's: neither delays the
// other.
std::vector<CandidateGroup> candidate_groups() {
    using enum ConvolutionAlgorithm;
    using enum LinearAlgorithm;
    std::vector<CandidateGroup> groups = {{winograd_2x2_3x3, winograd_2x2_5x5, inner_product},
                                          {winograd_4x4_3x3, winograd_4x4_5x5, matmul},
                                          {gemm, panels},
                                          {implicit_gemm, transposed}};
    for (const ConvolutionAlgorithm algorithm : candidate_algorithms()) {
        const bool is_there = std::ranges::any_of(
            groups, [&](const CandidateGroup& group) { return is_in(group, algorithm); });
        if (algorithm != direct && !is_there) {
            groups.push_back({algorithm});
        }
    }
    return groups;
}

std::optional<PassAlgorithm> candidate_for(const CandidateGroup& group, const Op& op) {
    std::optional<PassAlgorithm> first;
    const auto* convolution = std::get_if<Convolution>(&op);
    for (const PassAlgorithm& algorithm : group) {
        if (algorithm.is_linear() != is_linear(op)) {
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
    constexpr std::string_view fell_back = "instead of ";
    if (step.choice.starts_with(fell_back)) {
        const auto reason = step.choice.find(": ");
        return reason == std::string::npos ? "not for this problem"
                                           : step.choice.substr(reason + 2);
    }
    // (An engine that knows one algorithm only says nothing of another.)
    const bool is_another = !step.algorithm.empty() && !leaves_open(asked) &&
                            !step.algorithm.starts_with(name_of(asked));
    return is_another ? "not for this problem" : "";
}

Execution with_algorithm(Execution execution, ConvolutionAlgorithm algorithm) {
    execution.engine.algorithm = algorithm;
    execution.engine.choices.clear();
    return execution;
}

}  // namespace strata
