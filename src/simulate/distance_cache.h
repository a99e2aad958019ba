// SPDX-License-Identifier: MIT
#pragma once

#include "simulate/cache.h"
#include "simulate/kernel_accesses.h"
#include "simulate/stack_distance.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace strata {

// Sectors requested from a level of memory. Every access either hits or misses.
struct SectorCounts {
    double reads = 0;
    double read_hits = 0;
    double writes = 0;
    double write_hits = 0;
    double dirtied = 0;  // by writes; each is written to the level below once

    double accesses() const { return reads + writes; }
    double hits() const { return read_hits + write_hits; }
    double misses() const { return accesses() - hits(); }
    SectorCounts& operator+=(const SectorCounts& other);
    SectorCounts& operator*=(double factor);
};

// The sector counts of the exact engine.
SectorCounts sectors_of(const CacheCounts& counts);

// The counts of a whole cache of which only some sets may have been simulated: all its requests,
// with hits in the sampled proportion.
SectorCounts sectors_of(const SetAssociativeCache& cache, const SectorCounts& asked);

// Why sectors missed (Hill and Smith 1989): first access, a fully associative cache of this
// capacity would have missed too, or only the set mapping is to blame.
struct MissKinds {
    double compulsory = 0;
    double capacity = 0;
    double conflict = 0;

    double misses() const { return compulsory + capacity + conflict; }
    MissKinds& operator+=(const MissKinds& other);
    MissKinds& operator*=(double factor);
};

// The expected hits of a set-associative cache with hashed sets, from the stack distances of its
// accesses (engine E2): each access hits with the probability of its distance. The same pass gives
// the hits of a fully associative cache, and so why the rest misses.
//
// Memory is proportional to the touched lines, about 64 bytes each.
class DistanceCache {
public:
    // Throws Error for a shape without a set or ways below 1.
    explicit DistanceCache(const CacheShape& shape);

    // Touches a tile of which `lines_asking` lines request sectors; the others hit in a level
    // above. Lines of a partial tile must be touched one by one.
    void touch(const TileAccess& access, std::uint32_t lines_asking);

    const SectorCounts& counts() const { return counts_; }

    // Splits this many misses into kinds; another engine may have counted them. Requires: at least
    // the compulsory ones.
    MissKinds kinds_of(double misses) const;
    double compulsory_misses() const { return compulsory_; }

    const TileStackDistances& distances() const { return distances_; }

private:
    // The state of a line, or of all lines of a tile, by sector.
    struct State {
        // Probabilities that a sector is present if its line is, and that it is dirty: an access
        // that hits with probability p multiplies those of the untouched sectors by p.
        std::array<float, sectors_of_line> valid = {};
        std::array<float, sectors_of_line> dirty = {};
        std::uint8_t ever = 0;         // touched before
        std::uint8_t associative = 0;  // present in a fully associative cache
    };

    static constexpr std::size_t page_lines = 4096;
    using Page = std::array<std::uint32_t, page_lines>;

    std::uint32_t number_of(LineNumber first);
    double probability(std::uint64_t distance) const;

    CacheShape shape_;
    std::vector<double> probabilities_;  // by distance, in steps
    double step_ = 1;
    std::vector<std::unique_ptr<Page>> numbers_;  // by line, in the order of their first touch
    std::vector<State> states_;
    TileStackDistances distances_;
    SectorCounts counts_;
    double compulsory_ = 0;
    double associative_misses_ = 0;
};

}  // namespace strata
