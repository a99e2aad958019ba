// SPDX-License-Identifier: MIT
#include "analyze/ran_algorithms.h"

#include "analyze/advice.h"
#include "base/text.h"
#include "record/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

// Settings that leave the choice to the library or to a trial.
constexpr std::array<std::string_view, 2> left_open = {"auto", "fastest"};

bool is_left_open(const std::string& asked) {
    return std::ranges::find(left_open, asked) != left_open.end();
}

bool is_convolution_that_ran(const StepResult& step) {
    return step.kind == StepKind::compute && step.operation.ends_with("convolution") &&
           step.pass != Pass::update && std::holds_alternative<Samples>(step.time);
}

// A step tells its algorithm's name, or of a GPU's plan its properties, which name what is special:
// "tensor cores, winograd".
std::string family_of(const StepResult& step) {
    for (const char* special : {"winograd", "fft"}) {
        if (step.algorithm.find(special) != std::string::npos) {
            return special;
        }
    }
    return "direct";
}

}  // namespace

std::vector<std::string> ran_algorithms(const Run& run) {
    std::vector<std::string> families;
    for (const StepResult& step : run.steps) {
        if (!is_convolution_that_ran(step)) {
            continue;
        }
        const std::string family = family_of(step);
        if (std::ranges::find(families, family) == families.end()) {
            families.push_back(family);
        }
    }
    return families;
}

std::string algorithm_text(const Run& run) {
    if (run.origin == Origin::imported) {
        return {};
    }
    const std::string asked = text_of(run.settings, "algorithm");
    std::vector<std::string> ran = ran_algorithms(run);
    if (ran.empty() || asked.empty()) {
        return asked;
    }
    // (What was requested stands first.)
    std::ranges::stable_partition(ran, [&](const std::string& one) { return one == asked; });
    const std::string text = join(ran, " and ");
    if (is_left_open(asked)) {
        return fmt::format("{} ({})", asked, text);
    }
    return ran.front() == asked ? text : fmt::format("{} instead of {}", text, asked);
}

std::string algorithm_remark(const Run& run) {
    const std::string asked = text_of(run.settings, "algorithm");
    if (asked != "winograd") {
        return {};
    }
    std::size_t all = 0;
    std::size_t direct = 0;
    std::size_t without_kernel = 0;
    for (const StepResult& step : run.steps) {
        const bool ran = is_convolution_that_ran(step);
        const bool fell_back = ran && family_of(step) != asked;
        all += ran ? 1 : 0;
        direct += fell_back ? 1 : 0;
        if (fell_back && is_for_winograd(step)) {
            ++without_kernel;
        }
    }
    if (direct == 0) {
        return {};
    }
    std::vector<std::string> reasons;
    if (const std::size_t unfit = direct - without_kernel; unfit > 0) {
        reasons.push_back(fmt::format(
            "{} {} unsuited to it (it needs 3x3 kernels at stride 1 and at least 16 channels)",
            unfit, unfit == 1 ? "is" : "are"));
    }
    if (without_kernel > 0) {
        reasons.push_back(fmt::format("the library has no Winograd kernel on this machine for {}",
                                      without_kernel));
    }
    return fmt::format("Winograd was requested, but {} of {} convolution steps ran direct: {}.",
                       direct, all, join(reasons, ", and "));
}

}  // namespace strata
