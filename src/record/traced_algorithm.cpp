// SPDX-License-Identifier: MIT
#include "record/traced_algorithm.h"

#include "base/error.h"
#include "base/text.h"
#include "op/problem.h"
#include "trace/kernel_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace strata {

namespace {

constexpr std::string_view evidence = "by its kernels' names";

// The algorithm that the library tells, before a reason.
std::string told(const StepResult& step) {
    return step.algorithm.substr(0, step.algorithm.find(','));
}

bool is_untold_convolution(const StepResult& step) {
    const auto algorithm = value_named<ConvolutionAlgorithm>(told(step));
    const bool is_complete = algorithm && *algorithm != ConvolutionAlgorithm::winograd;
    return step.operation == "convolution" && step.kind == StepKind::compute &&
           step.pass != Pass::update && !is_complete && !is_of_trace(step);
}

// 3 of a convolution by 3x3 kernels; 0 if they are not square, or unknown.
std::int64_t kernel_side(const StepResult& step) {
    try {
        const Problem problem = parse_problem(step.problem);
        const auto* op = std::get_if<Convolution>(&problem.op);
        const bool is_square =
            op != nullptr && op->kernel.size() == 2 && op->kernel[0] == op->kernel[1];
        return is_square ? op->kernel[0] : 0;
    } catch (const Error&) {
        return 0;  // of another version
    }
}

// The first "9x9" in the text: its 9, or 0.
std::int64_t first_side(std::string_view text) {
    for (std::size_t i = 0; i + 2 < text.size(); ++i) {
        const bool is_square = text[i + 1] == 'x' && text[i] == text[i + 2];
        if (is_square && text[i] >= '1' && text[i] <= '9') {
            return text[i] - '0';
        }
    }
    return 0;
}

// "winograd-4x4-3x3" if strata knows that tile and the kernel names it: "winogradWgradData4x4".
std::string winograd_named(std::string_view kernel, std::int64_t side) {
    const std::int64_t tile = first_side(kernel.substr(kernel.find("winograd")));
    const std::string tiled = fmt::format("winograd-{}x{}-{}x{}", tile, tile, side, side);
    return value_named<ConvolutionAlgorithm>(tiled) ? tiled : "winograd";
}

// Empty if the name says nothing.
std::string algorithm_named(const std::string& kernel, const StepResult& step) {
    if (kernel.find("winograd") != kernel.npos) {
        return winograd_named(kernel, kernel_side(step));
    }
    return kernel.find("fft") != kernel.npos ? "fft" : "";
}

}  // namespace

void add_traced_algorithms(Run& run) {
    std::map<std::pair<std::string, Pass>, StepResult*> untold;
    for (StepResult& step : run.steps) {
        if (run.trace && is_untold_convolution(step)) {
            untold[{step.layer, step.pass}] = &step;
        }
    }
    for (std::size_t i = 0; !untold.empty() && i < run.trace->spans.size(); ++i) {
        const TracedSpan& traced = run.trace->spans[i];
        const auto found = traced.pass ? untold.find({traced.layer, *traced.pass}) : untold.end();
        if (found == untold.end()) {
            continue;
        }
        StepResult& step = *found->second;
        const std::string algorithm = algorithm_named(bare_kernel_name(traced.span.name), step);
        if (!algorithm.empty() && algorithm != told(step)) {
            step.algorithm = fmt::format("{}, {}{}{}", algorithm, evidence,
                                         step.algorithm.empty() ? "" : ", ", step.algorithm);
            untold.erase(found);
        }
    }
}

bool is_of_trace(const StepResult& step) {
    return step.algorithm.find(evidence) != step.algorithm.npos;
}

}  // namespace strata
