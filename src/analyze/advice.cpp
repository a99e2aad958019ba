// SPDX-License-Identifier: MIT
#include "analyze/advice.h"

#include "analyze/next_command.h"
#include "base/error.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "op/problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// With fewer input channels than f32 lanes in a 512-bit vector, lanes stay empty.
constexpr std::int64_t few_channels = 16;

bool all_are(const Dims& dims, std::int64_t value) {
    return std::ranges::all_of(dims, [&](std::int64_t one) { return one == value; });
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

// A hint for a single step.
std::string hint(const StepEvidence& evidence) {
    return evidence.steps == 1 ? few_channels_hint(problem_in(*evidence.longest)) : "";
}

std::string_view it_is(const StepEvidence& evidence) {
    return evidence.steps == 1 ? "it is" : "they are";
}

std::string on_compute(const StepEvidence& evidence) {
    const double achieved = evidence.achieved();
    if (achieved > 1) {
        return fmt::format(
            "{} beyond the {} by {} because {} fewer operations than are counted", it_is(evidence),
            evidence.ceiling, percent(achieved - 1),
            evidence.steps == 1 ? "the algorithm executes" : "some of their algorithms execute");
    }
    return achieved >= good_share
               ? fmt::format("{} bound by arithmetic, at {} of the {}", it_is(evidence),
                             percent(achieved), evidence.ceiling)
               : fmt::format("{} bound by arithmetic, but only at {} of the {}{}", it_is(evidence),
                             percent(achieved), evidence.ceiling, hint(evidence));
}

std::string on_traffic(const StepEvidence& evidence) {
    const std::string_view beyond =
        evidence.verdict == Bottleneck::cache ? ", faster than main memory allows" : "";
    const std::string_view weights =
        evidence.longest->pass == Pass::update
            ? ", needed for weights, gradients and optimizer state at any batch"
            : "";
    return fmt::format("{} {} of traffic at {} of the {}{}{}",
                       evidence.steps == 1 ? "it has" : "they have",
                       text_with_unit(evidence.traffic.value, "B"), percent(evidence.achieved()),
                       evidence.ceiling, beyond, weights);
}

std::string on_launches(const StepEvidence& evidence) {
    return fmt::format(
        "launches and {} take {} of the time, more than arithmetic ({} at peak) or traffic ({} at "
        "main memory bandwidth)",
        evidence.longest->launch ? "waiting for the host" : "time stamps",
        percent(*evidence.fixed / evidence.time), percent(evidence.compute / evidence.time),
        percent(evidence.memory / evidence.time));
}

std::string on_unexplained(const StepEvidence& evidence) {
    const StepResult& step = *evidence.longest;
    const std::string launches =
        evidence.fixed ? fmt::format(" nor launches ({})", percent(*evidence.fixed / evidence.time))
                       : "";
    const std::string reason = fmt::format(
        "neither arithmetic ({} of the time at peak){} traffic ({} at main memory bandwidth){} "
        "explains the time",
        percent(evidence.compute / evidence.time), launches.empty() ? " nor" : ",",
        percent(evidence.memory / evidence.time), launches);
    if (is_unoptimised(step)) {
        return fmt::format("{}: {} is unoptimised code; the library has no kernel for {}", reason,
                           step.implementation,
                           evidence.steps == 1 ? "this layer" : "the longest of them");
    }
    const bool is_named = evidence.are_alike && !step.implementation.empty();
    return reason + (is_named ? " of " + step.implementation : "") + hint(evidence);
}

}  // namespace

std::string percent(double share) {
    if (share > 0 && share < 0.0005) {
        return "less than 0.1 %";
    }
    return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0);
}

std::string enumerated(const std::vector<std::string>& texts) {
    if (texts.size() < 2) {
        return join(texts, "");
    }
    return join(std::span(texts).first(texts.size() - 1), ", ") + " and " + texts.back();
}

std::string duration(Seconds time) {
    return time >= Seconds{0.9995}      ? fmt::format("{:.3g} s", time.value)
           : time >= Seconds{0.9995e-3} ? fmt::format("{:.3g} ms", time.value * 1e3)
                                        : fmt::format("{:.3g} µs", time.value * 1e6);
}

std::string duration(Seconds time, const std::optional<Seconds>& uncertainty) {
    const std::string text = duration(time);
    if (!uncertainty) {
        return text;
    }
    const Seconds unit = time >= Seconds{0.9995}      ? Seconds{1}
                         : time >= Seconds{0.9995e-3} ? Seconds{1e-3}
                                                      : Seconds{1e-6};
    const auto end_of_number = text.find(' ');
    const double amount = *uncertainty / unit;
    const std::string error =
        amount < 100 ? fmt::format("{:.2g}", amount) : fmt::format("{:.0f}", amount);
    return fmt::format("{} ± {}{}", text.substr(0, end_of_number), error,
                       text.substr(end_of_number));
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
    return step.implementation_kind == ImplementationKind::library_reference;
}

void add(StepEvidence& evidence, const StepResult& step, const StepBound& bound, Seconds time) {
    evidence.are_alike =
        evidence.are_alike &&
        (evidence.longest == nullptr || evidence.longest->implementation == step.implementation);
    if (evidence.longest == nullptr || time > evidence.longest_time) {
        evidence.longest = &step;
        evidence.longest_time = time;
        evidence.verdict = bound.verdict;
        evidence.ceiling = bound.ceiling;
    }
    ++evidence.steps;
    evidence.time += time;
    evidence.compute += bound.compute.value_or(Seconds{});
    evidence.memory += bound.memory.value_or(Seconds{});
    evidence.bound += bound.bound.value_or(Seconds{});
    if (bound.fixed) {
        evidence.fixed = evidence.fixed.value_or(Seconds{}) + *bound.fixed;
    }
    evidence.traffic += step.read + step.written;
}

std::string reason_for(const StepEvidence& evidence) {
    const StepResult& step = *evidence.longest;
    if (step.kind == StepKind::reorder) {
        const std::string layout = evidence.steps == 1 ? step.layout : "";
        return fmt::format(
            "only the layout changes{}, which is unnecessary if its neighbours agree on one",
            layout.empty() ? "" : " (" + layout + ")");
    }
    switch (evidence.verdict) {
        case Bottleneck::compute:
            return on_compute(evidence);
        case Bottleneck::memory:
        case Bottleneck::cache:
            return on_traffic(evidence);
        case Bottleneck::overhead:
            return evidence.fixed ? on_launches(evidence) : on_unexplained(evidence);
        case Bottleneck::kernel:
            return on_unexplained(evidence);
        case Bottleneck::unknown:
            return "";
    }
    return "";
}

}  // namespace strata
