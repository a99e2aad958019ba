// SPDX-License-Identifier: MIT
#include "analyze/ran_algorithms.h"

#include "analyze/advice.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "record/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

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

std::string family_of(const StepResult& step) {
    return value_named<ConvolutionAlgorithm>(step.algorithm) ? step.algorithm
                                                             : algorithm_family(step.algorithm);
}

// A GPU's library may execute Winograd's algorithm without saying so.
bool tells_algorithm(const StepResult& step) {
    return algorithm_of(step) || algorithm_family(step.algorithm) != "direct";
}

// Whether an algorithm matches the requested one: "winograd" leaves the tile open.
bool satisfies(const std::string& ran, const std::string& asked) {
    return ran == asked || (asked == "winograd" && ran.starts_with("winograd-"));
}

// The reasons why steps used another algorithm than the requested one, with their numbers of steps,
// most frequent first: "fft: stride 4: it needs stride 1".
std::vector<std::pair<std::string, std::size_t>> fallbacks_of(const Run& run) {
    std::map<std::string, std::size_t> counted;
    for (const auto& [name, value] : run.provenance) {
        if (name.starts_with(fallback_prefix)) {
            ++counted[value];
        }
    }
    std::vector<std::pair<std::string, std::size_t>> sorted(counted.begin(), counted.end());
    std::ranges::stable_sort(sorted, std::greater<>(), [](const auto& one) { return one.second; });
    return sorted;
}

std::string fallback_remark(const std::vector<std::pair<std::string, std::size_t>>& fallbacks) {
    constexpr std::size_t max_reasons = 3;
    std::vector<std::string> told;
    std::size_t steps = 0;
    for (const auto& [reason, count] : fallbacks) {
        steps += count;
        if (told.size() < max_reasons) {
            told.push_back(fmt::format("{} of {}", count, reason));
        }
    }
    const std::string others = fallbacks.size() > max_reasons ? "; and others" : "";
    return fmt::format("{} step{} did not run by the requested algorithm: {}{}.", steps,
                       steps == 1 ? "" : "s", join(told, "; "), others);
}

}  // namespace

std::string algorithm_family(const std::string& text) {
    for (const char* special : {"winograd", "fft"}) {
        if (text.find(special) != std::string::npos) {
            return special;
        }
    }
    return "direct";
}

std::vector<std::string> ran_algorithms(const Run& run) {
    std::vector<std::string> families;
    for (const StepResult& step : run.steps) {
        if (!is_convolution_that_ran(step) || !tells_algorithm(step)) {
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
    const bool are_all_told = std::ranges::none_of(run.steps, [](const StepResult& step) {
        return is_convolution_that_ran(step) && !tells_algorithm(step);
    });
    if (!are_all_told && asked != "direct" && (!ran.empty() || !is_left_open(asked))) {
        ran.emplace_back("others");
    }
    if (ran.empty() || asked.empty()) {
        return asked;
    }
    // (The requested algorithm comes first.)
    std::ranges::stable_partition(ran,
                                  [&](const std::string& one) { return satisfies(one, asked); });
    const std::string text = enumerated(ran);
    if (is_left_open(asked)) {
        return fmt::format("{} ({})", asked, text);
    }
    return satisfies(ran.front(), asked) ? text : fmt::format("{} instead of {}", text, asked);
}

std::string algorithm_remark(const Run& run) {
    if (const auto fallbacks = fallbacks_of(run); !fallbacks.empty()) {
        return fallback_remark(fallbacks);
    }
    const std::string asked = text_of(run.settings, "algorithm");
    if (asked != "winograd") {
        return {};
    }
    std::size_t all = 0;
    std::size_t direct = 0;
    std::size_t without_kernel = 0;
    for (const StepResult& step : run.steps) {
        const bool ran = is_convolution_that_ran(step);
        const bool fell_back = ran && !satisfies(family_of(step), asked);
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
