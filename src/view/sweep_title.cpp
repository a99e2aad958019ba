// SPDX-License-Identifier: MIT
#include "analyze/ran_algorithms.h"
#include "record/options.h"
#include "view/machine.h"
#include "view/sweep.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// "4" or "4 to 64".
std::string from_end_to_end(std::int64_t first, std::int64_t last) {
    return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

std::string batches_of(const Sweep& sweep) {
    std::vector<std::int64_t> batches;
    for (const SweepPoint& point : sweep.points) {
        batches.push_back(point.run->settings.batch);
    }
    const auto [first, last] = std::ranges::minmax(batches);
    return "batch " + from_end_to_end(first, last);
}

// If a network's text gives NAME=VALUE, the range replaces the value.
std::optional<std::string> network_over(const Sweep& sweep) {
    const SweepPoint& last = sweep.points.back();
    std::string network = last.run->settings.network;
    const std::string piece = fmt::format("{}={}", sweep.variable, last.value);
    const auto at = network.find(piece);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    return network.replace(
        at, piece.size(),
        fmt::format("{}={}..{}", sweep.variable, sweep.points.front().value, last.value));
}

// Removes the varied setting: the title ends with it and its range.
void remove(Settings& settings, const std::string& variable) {
    settings.dims.erase(variable);
    settings.variables.erase(variable);
    settings.unknown.erase(variable);
    if (const Option* option = find_option(variable); option && option->kept == Kept::further) {
        option->set(settings, option->text(Settings{}));
    }
}

}  // namespace

std::string sweep_title(const Sweep& sweep) {
    Settings settings = sweep.points.back().run->settings;
    const auto network = network_over(sweep);
    settings.network = network.value_or(settings.network);
    remove(settings, sweep.variable);
    const std::string line =
        settings_line(settings, batches_of(sweep), algorithm_text(*sweep.points.back().run));
    return sweep.over_batch() || network ? line
                                         : fmt::format("{}: {} {}", line, sweep.variable,
                                                       from_end_to_end(sweep.points.front().value,
                                                                       sweep.points.back().value));
}

}  // namespace strata
