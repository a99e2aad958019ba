// SPDX-License-Identifier: MIT
#include "sweep/plan.h"

#include "base/text.h"
#include "base/unit_text.h"
#include "device/description.h"
#include "measure/memory_use.h"
#include "sweep/point_outline.h"
#include "sweep/predicted.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace strata {

namespace {

constexpr std::int64_t max_examined = 1000;
constexpr std::int64_t max_timed = 100;

// Empty if its family refuses the point, which is then the point's outcome.
std::optional<Bytes> peak_of(const SweepSpec& spec, std::int64_t index, PointOutline& outline) {
    if (outline.find(place_of(spec, index))) {
        return outline.peak();
    }
    try {
        return planned(job_of(spec, point_of(spec, index))).plan->footprint.peak;
    } catch (const Error&) {
        return std::nullopt;
    }
}

MemoryFilter filter_for(const SweepSpec& spec, std::optional<Bytes> memory, std::string whose) {
    MemoryFilter filter{.memory = memory, .whose = std::move(whose)};
    const ShuffledOrder order(count_points(spec), spec.seed);
    filter.examined = std::min(order.count(), max_examined);
    PointOutline outline(spec);
    for (std::int64_t i = 0; i < filter.examined; ++i) {
        if (const auto needed = peak_of(spec, order.at(i), outline)) {
            filter.largest = std::max(filter.largest, *needed);
            filter.too_large += memory && *needed > *memory ? 1 : 0;
        }
    }
    return filter;
}

std::vector<MemoryFilter> filters_for(const SweepSpec& spec) {
    if (!spec.is_predicted()) {
        return {spec.limits.memory ? filter_for(spec, spec.limits.memory, "--max-memory gives")
                                   : filter_for(spec, available_memory(), "this machine has free")};
    }
    std::vector<MemoryFilter> filters;
    for (const std::string& name : spec.devices) {
        const DeviceDescription device = find_description(name);
        SweepSpec on_device = spec;
        on_device.devices = {name};
        filters.push_back(filter_for(
            on_device, device.memory ? std::optional(device.memory->value) : std::nullopt,
            name + " has"));
    }
    return filters;
}

std::string count_text(std::size_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : one.ends_with("ch") ? "es" : "s");
}

std::string filter_text(const MemoryFilter& filter, std::int64_t points) {
    const std::string largest =
        fmt::format("the largest needs {} (by footprint)\n", byte_size_text(filter.largest));
    const std::string of =
        fmt::format("{} points{}", filter.examined, filter.examined == points ? "" : " at random");
    return filter.memory
               ? fmt::format("memory: {} of {} need more than the {} that {}; {}", filter.too_large,
                             of, byte_size_text(*filter.memory), filter.whose, largest)
               : fmt::format("memory: of {} {}", of, largest);
}

std::string time_text(const SweepPlan& plan, const SweepSpec& spec) {
    if (spec.is_predicted()) {
        return fmt::format("time: about {} to predict, and what storing takes\n",
                           duration_text(plan.max_time));
    }
    return fmt::format("time: {} to {} of sampling, and what preparing takes\n",
                       duration_text(plan.min_time), duration_text(plan.max_time));
}

}  // namespace

SweepPlan plan_of(const SweepSpec& spec, const Shard& shard, const std::vector<bool>& finished,
                  int threads, KeptSteps steps) {
    SweepPlan plan{.points = count_points(spec), .filters = filters_for(spec)};
    plan.own = shard.size(plan.points);
    const auto done = std::ranges::count(finished, true);
    // An estimate need not know which of them belong to the shard.
    plan.open = std::max<std::int64_t>(plan.own - done / shard.count, 0);
    const auto open = static_cast<double>(plan.open);
    if (spec.is_predicted()) {
        plan.max_time = open / threads * prediction_time(spec, steps, max_timed);
        plan.min_time = plan.max_time;
        return plan;
    }
    for (const Settings& settings : spec.settings) {
        const double share = open / static_cast<double>(spec.settings.size());
        plan.min_time = plan.min_time + share * settings.policy.min_time;
        plan.max_time = plan.max_time + share * settings.policy.max_time;
    }
    return plan;
}

std::string text_of(const SweepPlan& plan, const SweepSpec& spec, const Shard& shard) {
    const auto& targets = spec.is_predicted() ? spec.devices : spec.backends;
    std::string text = spec.name;
    text += spec.title.empty() ? "" : ": " + printable(spec.title);
    text += spec.source.empty() ? "\n" : " (" + printable(spec.source) + ")\n";
    text += fmt::format(
        "{} points: {} x {} x {} x {} ({})\n", plan.points,
        count_text(static_cast<std::size_t>(plan.points / points_per_network(spec)), "network"),
        count_text(spec.batches.size(), "batch"), count_text(spec.settings.size(), "setting"),
        count_text(targets.size(), spec.is_predicted() ? "device" : "backend"),
        join(targets, ", "));
    if (shard.count > 1) {
        text += fmt::format("shard {}/{}: {} points\n", shard.index, shard.count, plan.own);
    }
    if (plan.open < plan.own) {
        text += fmt::format("{} are done, {} remain\n", plan.own - plan.open, plan.open);
    }
    for (const MemoryFilter& filter : plan.filters) {
        text += filter_text(filter, plan.points / static_cast<std::int64_t>(plan.filters.size()));
    }
    return text + time_text(plan, spec);
}

std::string duration_text(Seconds time) {
    const double seconds = time.value;
    if (seconds < 60) {
        return fmt::format("{:.2g} s", seconds);
    }
    const auto minutes = static_cast<std::int64_t>(seconds / 60 + 0.5);
    if (minutes < 60) {
        return fmt::format("{} min", minutes);
    }
    return minutes < 48 * 60 ? fmt::format("{} h {} min", minutes / 60, minutes % 60)
                             : fmt::format("{} days", (minutes + 720) / 1440);
}

}  // namespace strata
