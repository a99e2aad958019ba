// SPDX-License-Identifier: MIT
#include "sweep/grid.h"

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "networks/generate/generator.h"
#include "run/modelled.h"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>

namespace strata {

namespace {

std::int64_t members_of(const SweptFamily& family) {
    std::int64_t count = 1;
    for (const Variation& size : family.sizes) {
        count *= static_cast<std::int64_t>(size.values.size());
        if (count > max_sweep_points) {
            return max_sweep_points + 1;
        }
    }
    return count;
}

const std::vector<std::string>& targets_of(const SweepSpec& spec) {
    return spec.is_predicted() ? spec.devices : spec.backends;
}

// Removes the fastest digit of a number in mixed radix and returns it.
std::size_t take_digit(std::int64_t& rest, std::size_t radix) {
    const auto digit = static_cast<std::size_t>(rest % static_cast<std::int64_t>(radix));
    rest /= static_cast<std::int64_t>(radix);
    return digit;
}

Generator member_of(const SweptFamily& family, std::int64_t member) {
    Generator generator = parse_generator(family.family + ":");
    for (auto size = family.sizes.rbegin(); size != family.sizes.rend(); ++size) {
        set_key(generator, size->name, size->values[take_digit(member, size->values.size())]);
    }
    return generator;
}

std::int64_t slurm_variable(const char* name) {
    const char* text = std::getenv(name);
    const auto value = text == nullptr ? std::nullopt : parse_integer(text);
    if (!value) {
        throw Error(fmt::format("--shard slurm needs {}, which Slurm sets in a job array; give "
                                "--shard 1/8 instead",
                                name),
                    ExitCode::usage);
    }
    return *value;
}

}  // namespace

std::int64_t points_per_network(const SweepSpec& spec) {
    const std::size_t targets = std::max<std::size_t>(targets_of(spec).size(), 1);
    return static_cast<std::int64_t>(spec.batches.size() * spec.settings.size() * targets);
}

std::int64_t count_points(const SweepSpec& spec) {
    std::int64_t networks = 0;
    for (const SweptFamily& family : spec.families) {
        networks += members_of(family);
    }
    if (networks > max_sweep_points || networks * points_per_network(spec) > max_sweep_points) {
        throw Error(
            fmt::format("the grid has more than {} points; take fewer values", max_sweep_points),
            ExitCode::usage);
    }
    return networks * points_per_network(spec);
}

GridPlace place_of(const SweepSpec& spec, std::int64_t index) {
    check(index >= 0, "a point's index counts from 0");
    GridPlace place{.index = index};
    std::int64_t rest = index;
    place.target = take_digit(rest, std::max<std::size_t>(targets_of(spec).size(), 1));
    place.settings = take_digit(rest, spec.settings.size());
    place.batch = spec.batches[take_digit(rest, spec.batches.size())];
    place.network = rest;
    return place;
}

Generator network_of(const SweepSpec& spec, std::int64_t network) {
    for (const SweptFamily& family : spec.families) {
        const std::int64_t members = members_of(family);
        if (network < members) {
            return member_of(family, network);
        }
        network -= members;
    }
    check(false, "a point's index is below the number of points");
    return {};
}

std::vector<NetworkSize> sizes_of(const SweepSpec& spec, std::int64_t batch,
                                  std::int64_t max_sizes) {
    const std::int64_t count = count_points(spec) / points_per_network(spec);
    const std::int64_t taken = std::min(count, max_sizes);
    std::vector<NetworkSize> sizes;
    for (std::int64_t i = 0; i < taken; ++i) {
        sizes.push_back(size_of(build(network_of(spec, i * count / taken), batch)));
    }
    return sizes;
}

GridPoint point_of(const SweepSpec& spec, std::int64_t index) {
    const GridPlace place = place_of(spec, index);
    const auto& targets = targets_of(spec);
    return {.index = index,
            .network = to_text(network_of(spec, place.network)),
            .batch = place.batch,
            .settings = place.settings,
            .target = targets.empty() ? "" : targets[place.target]};
}

std::int64_t anchor_of(const SweepSpec& spec) {
    std::int64_t index = 0;
    const auto add_digit = [&](std::size_t radix) {
        index =
            index * static_cast<std::int64_t>(radix) + static_cast<std::int64_t>((radix - 1) / 2);
    };
    for (const Variation& size : spec.families.front().sizes) {
        add_digit(size.values.size());
    }
    add_digit(spec.batches.size());
    const auto fixed = static_cast<std::int64_t>(spec.settings.size() *
                                                 std::max<std::size_t>(targets_of(spec).size(), 1));
    return index * fixed;
}

Job job_of(const SweepSpec& spec, const GridPoint& point) {
    const Settings& settings = spec.settings[point.settings];
    Job job;
    job.backend = spec.is_predicted() ? modelled_backend(point.target) : point.target;
    job.request.network = point.network;
    job.request.batch = point.batch;
    job.slice = settings.slice;
    job.execution = settings.execution;
    job.policy = settings.policy;
    return job;
}

ShuffledOrder::ShuffledOrder(std::int64_t count, std::uint64_t seed) : count_(count), seed_(seed) {
    const auto bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(count)));
    half_bits_ = std::max(1U, (bits + 1) / 2);
}

std::uint64_t ShuffledOrder::mixed(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = value >> half_bits_;
    std::uint64_t right = value & mask;
    constexpr std::uint64_t rounds = 4;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::uint64_t next = left ^ (RandomStream(seed_, round).bits(right) & mask);
        left = right;
        right = next;
    }
    return left << half_bits_ | right;
}

std::int64_t ShuffledOrder::at(std::int64_t position) const {
    check(position >= 0 && position < count_, "a place is one of the order");
    auto value = static_cast<std::uint64_t>(position);
    do {
        value = mixed(value);
    } while (value >= static_cast<std::uint64_t>(count_));
    return static_cast<std::int64_t>(value);
}

Shard parse_shard(const std::string& text) {
    if (text == "slurm") {
        const char* first = std::getenv("SLURM_ARRAY_TASK_MIN");
        const auto offset = first == nullptr ? std::nullopt : parse_integer(first);
        const std::int64_t id = slurm_variable("SLURM_ARRAY_TASK_ID") - offset.value_or(1);
        const Shard shard{id + 1, slurm_variable("SLURM_ARRAY_TASK_COUNT")};
        return parse_shard(fmt::format("{}/{}", shard.index, shard.count));
    }
    const auto parts = split(text, '/');
    const auto index = parse_integer(parts.front());
    const auto count = parse_integer(parts.back());
    constexpr std::int64_t max_shards = 100'000;
    if (parts.size() != 2 || !index || !count || *index < 1 || *index > *count ||
        *count > max_shards) {
        throw Error(fmt::format("--shard '{}' is not a part; give 3/16, or slurm in a job array",
                                printable(text)),
                    ExitCode::usage);
    }
    return {*index, *count};
}

}  // namespace strata
