// SPDX-License-Identifier: MIT
#include "base/enumeration.h"
#include "base/error.h"
#include "parallel/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata {

namespace {

// Pieces of a message that follow each other through the levels: while one is exchanged between
// groups, the next one is exchanged within them. A choice: NCCL has 4 to 16.
constexpr double pieces = 8;

// As measured, by the logarithm of the devices between two measured counts; nothing outside them.
std::optional<Seconds> measured_time(const Link& link, Collective collective, int devices,
                                     Bytes bytes) {
    const MeasuredCollective* below = nullptr;
    const MeasuredCollective* above = nullptr;
    for (const MeasuredCollective& one : link.measured) {
        if (one.collective != collective) {
            continue;
        }
        if (one.devices <= devices && (below == nullptr || one.devices > below->devices)) {
            below = &one;
        }
        if (one.devices >= devices && (above == nullptr || one.devices < above->devices)) {
            above = &one;
        }
    }
    if (below == nullptr || above == nullptr) {
        return {};
    }
    const Seconds low = time_of(below->lines, bytes);
    if (below == above) {
        return low;
    }
    const double place = std::log(static_cast<double>(devices) / below->devices) /
                         std::log(static_cast<double>(above->devices) / below->devices);
    return low + place * (time_of(above->lines, bytes) - low);
}

// A link and how many of its devices, or groups of the level below, take part.
struct Level {
    const Link& link;
    int devices = 1;
    int groups = 1;  // that exchange at the same time
};

LinkCost cost_of(const Level& level) {
    LinkCost cost{.latency = level.link.latency->value, .bandwidth = level.link.bandwidth->value};
    if (level.link.root) {
        cost.root = level.link.root->value / level.groups;
    }
    return cost;
}

// On one level; nothing if no allowed algorithm does it.
std::optional<Seconds> level_time(const Level& level, Collective collective, Bytes bytes,
                                  std::optional<CollectiveAlgorithm> asked) {
    const auto& [link, devices, groups] = level;
    if (devices == 1) {
        return Seconds{};
    }
    if (!asked) {
        if (const auto measured = measured_time(link, collective, devices, bytes)) {
            return measured;
        }
    }
    const auto fastest = [&](auto&& algorithms) {
        std::optional<Seconds> best;
        for (const CollectiveAlgorithm algorithm : algorithms) {
            const auto time = time_of(collective, algorithm, level.devices, bytes, cost_of(level));
            if (time && (!asked || asked == algorithm) && (!best || *time < *best)) {
                best = time;
            }
        }
        return best;
    };
    // A library that has no such algorithm for a collective does it as it can.
    const auto allowed = asked ? std::nullopt : fastest(link.algorithms);
    return allowed ? allowed : fastest(all_collective_algorithms);
}

std::vector<Level> levels_of(const Cluster& cluster, const DeviceGroup& group) {
    std::vector<Level> levels;
    int left = group.devices, stride = group.stride, all = group.all;
    int joined = 1;
    for (const Link& link : cluster.links) {
        const int room = std::min(all, link.devices.value_or(all));
        // Whole groups of this link lie between two of these devices.
        const bool skips = stride > 1 && stride >= room;
        const int here = skips ? 1 : std::min(left, room / stride);
        const std::string joins =
            fmt::format("{} joins {} devices by {}", cluster.name, room * joined, link.name);
        if (all % room != 0) {
            throw Error(fmt::format("{}: {} devices are not a multiple of that; give one", joins,
                                    group.all),
                        ExitCode::usage);
        }
        if ((skips ? stride % room : room % stride) != 0 || left % here != 0) {
            throw Error(
                fmt::format("{}, which groups of {} do not fill evenly; give another number "
                            "of devices that share each layer or are stages",
                            joins, group.stride > 1 ? group.stride : group.devices),
                ExitCode::usage);
        }
        if (!skips) {
            levels.push_back({link, here, joined == 1 ? room / here : group.all / group.devices});
        }
        joined *= room;
        all /= room;
        stride = skips ? stride / room : 1;
        left /= here;
        if (left == 1) {
            return levels;
        }
    }
    throw Error(fmt::format("{} joins at most {} devices, not {}; give fewer, or other --links",
                            cluster.name, joined, group.all),
                ExitCode::usage);
}

// Two parts of a collective on different links, done piece by piece.
Seconds overlapped(Seconds near, Seconds far) {
    return std::max(near, far) + std::min(near, far) / pieces;
}

class LevelTimes {
public:
    LevelTimes(const Cluster& cluster, std::optional<CollectiveAlgorithm> asked)
        : cluster_(cluster), asked_(asked) {}

    Seconds run(std::span<const Level> levels, Collective collective, Bytes bytes) const {
        const Level& near = levels.front();
        if (levels.size() == 1) {
            return on(near, collective, bytes);
        }
        const auto rest = levels.subspan(1);
        switch (collective) {
            case Collective::all_reduce:
                return overlapped(on(near, Collective::reduce_scatter, bytes) +
                                      on(near, Collective::all_gather, bytes),
                                  run(rest, collective, bytes / near.devices));
            case Collective::all_to_all: {
                // Of every device's bytes, this share stays near.
                double all = 1;
                for (const Level& level : levels) {
                    all *= level.devices;
                }
                const double stays = near.devices / all;
                return overlapped(on(near, collective, bytes * stays),
                                  run(rest, collective, bytes));
            }
            case Collective::broadcast:
                return overlapped(on(near, collective, bytes), run(rest, collective, bytes));
            default:
                return overlapped(on(near, collective, bytes),
                                  run(rest, collective, bytes / near.devices));
        }
    }

private:
    Seconds on(const Level& level, Collective collective, Bytes bytes) const {
        const auto time = level_time(level, collective, bytes, asked_);
        if (!time) {
            throw Error(
                fmt::format("{} does no {} of {} devices on {}; give another algorithm",
                            name_of(*asked_), name_of(collective), level.devices, cluster_.name),
                ExitCode::usage);
        }
        return *time;
    }

    const Cluster& cluster_;
    std::optional<CollectiveAlgorithm> asked_;
};

}  // namespace

Seconds time_of(std::span<const CollectiveLine> lines, Bytes bytes) {
    Seconds least{std::numeric_limits<double>::infinity()};
    for (const CollectiveLine& line : lines) {
        least = std::min(least, line.latency + bytes / line.rate);
    }
    return least;
}

Seconds time_of(const Cluster& cluster, Collective collective, const DeviceGroup& group,
                Bytes bytes, std::optional<CollectiveAlgorithm> algorithm) {
    if (group.devices == 1) {
        return {};
    }
    const std::vector<Level> levels = levels_of(cluster, group);
    return LevelTimes(cluster, algorithm).run(levels, collective, bytes);
}

Seconds time_of(const Cluster& cluster, Collective collective, int devices, Bytes bytes,
                std::optional<CollectiveAlgorithm> algorithm) {
    return time_of(cluster, collective, DeviceGroup{.devices = devices, .all = devices}, bytes,
                   algorithm);
}

Seconds message_time(const Cluster& cluster, int devices, Bytes bytes) {
    const Link& link = levels_of(cluster, {.devices = devices, .all = devices}).back().link;
    return link.latency->value + bytes / link.bandwidth->value;
}

}  // namespace strata
