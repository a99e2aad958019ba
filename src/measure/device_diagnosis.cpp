// SPDX-License-Identifier: MIT
#include "measure/device_diagnosis.h"

#include "base/enumeration.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {
namespace {

constexpr double megahertz = 1e6;
constexpr double tolerated_clock_range = 0.03;
constexpr double min_throttled_share = 0.05;
constexpr std::size_t min_throttled_samples = 2;  // one may be a moment of rising clock

// One quantity's values in all states; states without it are left out.
template <class Field>
std::vector<double> told(std::span<const DeviceState> states, const Field& field) {
    std::vector<double> values;
    for (const DeviceState& state : states) {
        if (const auto value = field(state)) {
            values.push_back(static_cast<double>(*value));
        }
    }
    return values;
}

std::optional<double> in_megahertz(const std::optional<Frequency>& clock) {
    return clock ? std::optional(clock->value / megahertz) : std::nullopt;
}

std::vector<double> core_clocks(std::span<const DeviceState> states) {
    return told(states, [](const DeviceState& state) { return in_megahertz(state.core_clock); });
}

bool is_disturbance(ClockLimit limit) {
    return limit != ClockLimit::idle && limit != ClockLimit::setting;
}

// How often each limit was seen, in the order of the enumeration.
std::vector<std::pair<ClockLimit, std::size_t>> seen_limits(std::span<const DeviceState> states) {
    std::array<std::size_t, names_of(ClockLimit{}).size()> counts = {};
    for (const DeviceState& state : states) {
        for (const ClockLimit limit : state.limits.value_or(std::vector<ClockLimit>())) {
            ++counts[static_cast<std::size_t>(limit)];
        }
    }
    std::vector<std::pair<ClockLimit, std::size_t>> seen;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) {
            seen.emplace_back(static_cast<ClockLimit>(i), counts[i]);
        }
    }
    return seen;
}

std::string limits_text(std::span<const std::pair<ClockLimit, std::size_t>> seen,
                        std::size_t states) {
    std::vector<std::string> parts;
    for (const auto& [limit, count] : seen) {
        parts.push_back(fmt::format("{} ({} of {})", name_of(limit), count, states));
    }
    return join(parts, ", ");
}

std::string fix_of(ClockLimit limit) {
    switch (limit) {
        case ClockLimit::power_cap:
            return "raise the power limit (nvidia-smi -pl) or lock a clock within it (nvidia-smi "
                   "-lgc)";
        case ClockLimit::software_thermal:
        case ClockLimit::hardware_thermal:
        case ClockLimit::hardware_slowdown:
            return "cool the device, or lock a lower clock (nvidia-smi -lgc)";
        case ClockLimit::power_brake:
            return "check the machine's power supply";
        default:
            return "see nvidia-smi -q -d PERFORMANCE";
    }
}

std::optional<Doubt> throttled(std::span<const DeviceState> states) {
    const auto disturbed = std::ranges::count_if(states, [](const DeviceState& state) {
        return state.limits && std::ranges::any_of(*state.limits, is_disturbance);
    });
    const auto count = static_cast<std::size_t>(disturbed);
    const std::size_t min_count = std::min(min_throttled_samples, states.size());
    const double share = static_cast<double>(count) / static_cast<double>(states.size());
    if (count == 0 || count < min_count || share < min_throttled_share) {
        return {};
    }
    auto seen = seen_limits(states);
    std::erase_if(seen, [](const auto& one) { return !is_disturbance(one.first); });
    const auto most_frequent =
        std::ranges::max_element(seen, {}, [](const auto& one) { return one.second; });
    return Doubt{DoubtKind::throttled,
                 fmt::format("the device's clock was throttled during sampling by {}; {}",
                             limits_text(seen, states.size()), fix_of(most_frequent->first))};
}

std::optional<Doubt> clock_drift(std::span<const DeviceState> states) {
    const auto clocks = core_clocks(states);
    if (clocks.empty()) {
        return {};
    }
    const auto [low, high] = std::ranges::minmax(clocks);
    if (high - low <= tolerated_clock_range * high) {
        return {};
    }
    return Doubt{DoubtKind::clock_drift,
                 fmt::format("the device's core clock moved between {:.0f} and {:.0f} MHz; lock it "
                             "(nvidia-smi -lgc {:.0f}) or warm up longer (--warmup)",
                             low, high, low)};
}

std::optional<Doubt> shared_device(std::span<const DeviceState> states) {
    const auto others = told(states, [](const DeviceState& s) { return s.other_processes; });
    if (others.empty() || std::ranges::max(others) < 1) {
        return {};
    }
    const double maximum = std::ranges::max(others);
    return Doubt{DoubtKind::shared_device,
                 fmt::format("{:.0f} other process{} used the device during sampling; stop them, "
                             "or choose another device with CUDA_VISIBLE_DEVICES",
                             maximum, maximum > 1 ? "es" : "")};
}

// "1695 to 1980 MHz", or "1980 MHz" if it did not change.
std::string range_text(const std::vector<double>& values, std::string_view unit) {
    const auto [low, high] = std::ranges::minmax(values);
    const std::string first = fmt::format("{:.0f}", low);
    const std::string last = fmt::format("{:.0f}", high);
    return first == last ? fmt::format("{} {}", first, unit)
                         : fmt::format("{} to {} {}", first, last, unit);
}

}  // namespace

std::vector<Doubt> diagnose_device(std::span<const DeviceState> states) {
    std::vector<Doubt> doubts;
    for (const auto search : {throttled, clock_drift, shared_device}) {
        if (auto doubt = search(states)) {
            doubts.push_back(*std::move(doubt));
        }
    }
    return doubts;
}

std::map<std::string, std::string> describe_states(std::span<const DeviceState> states) {
    std::map<std::string, std::string> words;
    const auto add = [&](const std::string& name, std::string_view unit, const auto& field) {
        if (const auto values = told(states, field); !values.empty()) {
            words["gpu.sampled." + name] = range_text(values, unit);
        }
    };
    add("core_clock", "MHz", [](const DeviceState& s) { return in_megahertz(s.core_clock); });
    add("memory_clock", "MHz", [](const DeviceState& s) { return in_megahertz(s.memory_clock); });
    add("power", "W", [](const DeviceState& s) { return s.watts; });
    add("temperature", "C", [](const DeviceState& s) { return s.celsius; });
    add("performance_state", "(0 is the fastest)",
        [](const DeviceState& s) { return s.performance_state; });
    if (const auto seen = seen_limits(states); !seen.empty()) {
        words["gpu.sampled.limits"] = limits_text(seen, states.size());
    }
    if (!states.empty()) {
        words["gpu.sampled.states"] = std::to_string(states.size());
    }
    return words;
}

}  // namespace strata
