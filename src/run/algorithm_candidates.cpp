// SPDX-License-Identifier: MIT
#include "run/algorithm_candidates.h"

#include "backend/algorithms.h"
#include "base/enumeration.h"

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

// Whether the engine may take any algorithm.
bool leaves_open(ConvolutionAlgorithm asked) {
    return asked == ConvolutionAlgorithm::automatic || asked == ConvolutionAlgorithm::fastest;
}

}  // namespace

bool is_convolution_pass(const Graph& graph, const Step& step) {
    return step.kind == StepKind::compute && step.pass != Pass::update &&
           is_convolution(graph.layers[step.layer].op);
}

std::string reason_against(const Step& step, ConvolutionAlgorithm asked) {
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
