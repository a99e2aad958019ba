// SPDX-License-Identifier: MIT
#include "analyze/advice.h"

#include "analyze/next_command.h"
#include "base/error.h"
#include "op/problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// Fewer input channels than lanes of a 512-bit vector of f32 leave lanes empty.
constexpr std::int64_t few_channels = 16;

// The layer's operator with its attributes, where the run carries them.
std::optional<Problem> problem_in(const StepResult& step) {
    try {
        return step.problem.empty() ? std::nullopt : std::optional(parse_problem(step.problem));
    } catch (const Error&) {
        return std::nullopt;  // written by another version: answer without a hint
    }
}

bool all_are(const Dims& dims, std::int64_t value) {
    return std::ranges::all_of(dims, [&](std::int64_t one) { return one == value; });
}

std::string cheaper_algorithm(const StepResult& step) {
    return winograd_fits(step) ? "a cheaper algorithm (Winograd fits its 3x3 kernel) or a lower "
                                 "precision would help"
                               : "fewer operations or a lower precision would help";
}

std::string few_channels_hint(const std::optional<Problem>& problem) {
    const auto* convolution = problem ? std::get_if<Convolution>(&problem->op) : nullptr;
    if (!convolution || problem->activations.empty()) {
        return "";
    }
    const Dims& dims = problem->activations.front().tensor.dims;
    if (dims.size() < 3 || convolution->groups < 1) {
        return "";
    }
    const std::int64_t channels = dims[1] / convolution->groups;
    return channels < few_channels
               ? fmt::format("; {} input channels{} leave vector lanes empty", channels,
                             convolution->groups > 1 ? " a group" : "")
               : "";
}

std::string on_compute(const StepResult& step, const StepBound& bound) {
    if (*bound.achieved > 1) {
        return fmt::format(
            "it exceeds the {} by {} because its {} algorithm does fewer operations than are "
            "counted",
            bound.ceiling, percent(*bound.achieved - 1),
            step.algorithm.empty() ? "own" : step.algorithm);
    }
    if (*bound.achieved >= good_share) {
        return fmt::format("it runs at {} of the {}, so only {}", percent(*bound.achieved),
                           bound.ceiling, cheaper_algorithm(step));
    }
    return fmt::format("it is bound by arithmetic, but reaches only {} of the {}{}",
                       percent(*bound.achieved), bound.ceiling,
                       few_channels_hint(problem_in(step)));
}

std::string less_traffic(const StepResult& step) {
    if (step.pass == Pass::update) {
        return "every weight, its gradient and its optimizer state move once per step whatever the "
               "batch, so a larger batch spreads this traffic over more examples";
    }
    if (step.operation == "fully_connected" || step.operation == "matmul") {
        return "most of it is weights, so a larger batch would reuse each of them more often";
    }
    if (step.operation == "convolution") {
        return "so a lower precision, or fusing the layers that follow, would save traffic";
    }
    return "so fuse it with its neighbour to save a round trip through memory";
}

std::string on_traffic(const StepResult& step, const StepBound& bound) {
    const double megabytes = (step.read + step.written).value / 1e6;
    const std::string_view beyond =
        bound.verdict == Bottleneck::cache ? ", faster than main memory allows" : "";
    return fmt::format("it moves {:.3g} MB at {} of the {}{}; {}", megabytes,
                       percent(*bound.achieved), bound.ceiling, beyond, less_traffic(step));
}

std::string on_overhead(const StepResult& step, const StepBound& bound, Seconds time) {
    const std::string evidence = fmt::format(
        "neither its arithmetic ({} of the time at peak) nor its traffic ({} at main memory "
        "bandwidth) explains its time",
        percent(*bound.compute / time), percent(*bound.memory / time));
    if (is_unoptimised(step)) {
        return fmt::format("{}: {} is unoptimised code; the library has no kernel for this layer",
                           evidence, step.implementation);
    }
    return fmt::format("{}, so examine its implementation{}{}", evidence,
                       step.implementation.empty() ? "" : " " + step.implementation,
                       few_channels_hint(problem_in(step)));
}

}  // namespace

std::string percent(double share) {
    if (share > 0 && share < 0.0005) {
        return "less than 0.1 %";
    }
    return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0);
}

std::string duration(Seconds time) {
    return time >= Seconds{0.9995}      ? fmt::format("{:.3g} s", time.value)
           : time >= Seconds{0.9995e-3} ? fmt::format("{:.3g} ms", time.value * 1e3)
                                        : fmt::format("{:.3g} µs", time.value * 1e6);
}

bool is_for_winograd(const StepResult& step) {
    const auto problem = problem_in(step);
    const auto* convolution = problem ? std::get_if<Convolution>(&problem->op) : nullptr;
    return convolution != nullptr && !problem->activations.empty() &&
           problem->activations.front().tensor.dims.at(1) >= few_channels &&
           convolution->kernel == Dims{3, 3} && all_are(convolution->stride, 1) &&
           all_are(convolution->dilation, 1) && convolution->groups == 1;
}

bool is_unoptimised(const StepResult& step) {
    return step.implementation.find("ref:") != std::string::npos || step.implementation == "ref";
}

std::string advice_on(const StepResult& step, const StepBound& bound, Seconds time) {
    if (step.kind == StepKind::reorder) {
        return fmt::format(
            "it only changes the layout{}, and disappears if its neighbours agree on one",
            step.layout.empty() ? "" : " (" + step.layout + ")");
    }
    switch (bound.verdict) {
        case Bottleneck::compute:
            return on_compute(step, bound);
        case Bottleneck::memory:
        case Bottleneck::cache:
            return on_traffic(step, bound);
        case Bottleneck::overhead:
            return on_overhead(step, bound, time);
        case Bottleneck::unknown:
            return "";
    }
    return "";
}

}  // namespace strata
