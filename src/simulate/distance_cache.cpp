// SPDX-License-Identifier: MIT
#include "simulate/distance_cache.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace strata {

namespace {

constexpr std::uint32_t no_number = 0xffffffff;
constexpr double steps_of_capacity = 1024;
constexpr double farthest = 5;  // in capacities; beyond it nothing hits (10^-16 with 16 ways)

double count_of(unsigned sectors) {
    return static_cast<double>(std::popcount(sectors));
}

}  // namespace

SectorCounts& SectorCounts::operator+=(const SectorCounts& other) {
    reads += other.reads;
    read_hits += other.read_hits;
    writes += other.writes;
    write_hits += other.write_hits;
    dirtied += other.dirtied;
    return *this;
}

SectorCounts& SectorCounts::operator*=(double factor) {
    reads *= factor;
    read_hits *= factor;
    writes *= factor;
    write_hits *= factor;
    dirtied *= factor;
    return *this;
}

SectorCounts sectors_of(const CacheCounts& counts) {
    const auto count = [](std::uint64_t number) { return static_cast<double>(number); };
    return {.reads = count(counts.read_sectors),
            .read_hits = count(counts.read_sectors - counts.sectors_read),
            .writes = count(counts.write_sectors),
            .write_hits = count(counts.write_sector_hits),
            .dirtied = count(counts.sectors_dirtied)};
}

SectorCounts sectors_of(const SetAssociativeCache& cache, const SectorCounts& asked) {
    SectorCounts found = sectors_of(cache.counts());
    if (!cache.is_sampled()) {
        return found;
    }
    const double reads = found.reads > 0 ? asked.reads / found.reads : 0;
    const double writes = found.writes > 0 ? asked.writes / found.writes : 0;
    return {.reads = asked.reads,
            .read_hits = reads * found.read_hits,
            .writes = asked.writes,
            .write_hits = writes * found.write_hits,
            .dirtied = writes * found.dirtied};
}

MissKinds& MissKinds::operator+=(const MissKinds& other) {
    compulsory += other.compulsory;
    capacity += other.capacity;
    conflict += other.conflict;
    return *this;
}

MissKinds& MissKinds::operator*=(double factor) {
    compulsory *= factor;
    capacity *= factor;
    conflict *= factor;
    return *this;
}

DistanceCache::DistanceCache(const CacheShape& shape) : shape_(shape) {
    if (shape.ways < 1 || shape.sets() < 1 || shape.lines >= no_line) {
        throw Error(fmt::format("a cache of {} lines in {} ways cannot be simulated", shape.lines,
                                shape.ways));
    }
    const auto lines = static_cast<double>(shape.lines);
    step_ = lines / steps_of_capacity;
    // With few ways a line may survive for long: e^-x of one set after x capacities.
    const double reach = farthest * std::max(1.0, 16.0 / shape.ways);
    for (double at = 0; at <= reach * steps_of_capacity; ++at) {
        probabilities_.push_back(
            hit_probability(at * step_, static_cast<double>(shape.sets()), shape.ways));
    }
}

double DistanceCache::probability(std::uint64_t distance) const {
    const double at = static_cast<double>(distance) / step_;
    const auto below = static_cast<std::size_t>(at);
    if (at >= static_cast<double>(probabilities_.size() - 1)) {
        return 0;
    }
    const double part = at - static_cast<double>(below);
    return probabilities_[below] * (1 - part) + probabilities_[below + 1] * part;
}

std::uint32_t DistanceCache::number_of(LineNumber first) {
    const std::size_t page = first / page_lines;
    if (page >= numbers_.size()) {
        numbers_.resize(page + 1);
    }
    if (numbers_[page] == nullptr) {
        numbers_[page] = std::make_unique<Page>();
        numbers_[page]->fill(no_number);
    }
    std::uint32_t& number = (*numbers_[page])[first % page_lines];
    if (number == no_number) {
        number = static_cast<std::uint32_t>(states_.size());
        states_.emplace_back();
    }
    return number;
}

void DistanceCache::touch(const TileAccess& access, std::uint32_t lines_asking) {
    const std::uint32_t number = number_of(access.tile.first);
    const std::uint64_t distance = distances_.touch(number, access.tile.lines());
    const bool is_new = distance == TileStackDistances::never;
    const float hit = is_new ? 0 : static_cast<float>(probability(distance));
    const bool is_associative_hit = !is_new && distance < shape_.lines;
    State& state = states_[number];
    if (!is_associative_hit) {
        state.associative = 0;
    }
    const bool writes = access.kind == AccessKind::write;
    float present = 0;
    float dirty = 0;
    for (std::size_t i = 0; i < sectors_of_line; ++i) {
        const bool touched = (access.sectors >> i & 1) != 0;
        state.valid[i] *= hit;
        state.dirty[i] *= hit;
        present += touched ? state.valid[i] : 0;
        dirty += touched ? state.dirty[i] : 0;
        state.valid[i] = touched ? 1 : state.valid[i];
        state.dirty[i] = touched && writes ? 1 : state.dirty[i];
    }
    const double lines = lines_asking;
    const double wanted = lines * count_of(access.sectors);
    (writes ? counts_.writes : counts_.reads) += wanted;
    (writes ? counts_.write_hits : counts_.read_hits) += lines * static_cast<double>(present);
    counts_.dirtied += writes ? wanted - lines * static_cast<double>(dirty) : 0;
    compulsory_ += lines * count_of(access.sectors & ~unsigned{state.ever});
    associative_misses_ += lines * count_of(access.sectors & ~unsigned{state.associative});
    state.ever |= access.sectors;
    state.associative |= access.sectors;
}

MissKinds DistanceCache::kinds_of(double misses) const {
    MissKinds kinds{.compulsory = std::min(compulsory_, misses)};
    kinds.capacity = std::max(0.0, std::min(associative_misses_, misses) - kinds.compulsory);
    kinds.conflict = misses - kinds.compulsory - kinds.capacity;
    return kinds;
}

}  // namespace strata
