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

// Sectors that a level of memory was asked for. Every access either hits or misses.
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

// What the exact engine counted of sectors.
SectorCounts sectors_of(const CacheCounts& counts);

// The same of a whole cache, of which only some sets may have been simulated: hits in the same
// proportion, of all that it was asked for.
SectorCounts sectors_of(const SetAssociativeCache& cache, const SectorCounts& asked);

// Why sectors missed (Hill and Smith 1989): they were never there, a fully associative cache of
// this capacity had lost them as well, or only the sets are to blame.
struct MissKinds {
    double compulsory = 0;
    double capacity = 0;
    double conflict = 0;

    double misses() const { return compulsory + capacity + conflict; }
    MissKinds& operator+=(const MissKinds& other);
    MissKinds& operator*=(double factor);
};

// What a set-associative cache of hashed sets is expected to hit, by the stack distances of what it
// is asked for (engine E2): each access hits with the probability of its distance. The same pass
// says what a fully associative cache hits, and so why the rest misses.
//
// Memory is proportional to the lines that were touched, about 64 bytes each.
class DistanceCache {
public:
    // Throws Error for a shape without a set or ways below 1.
    explicit DistanceCache(const CacheShape& shape);

    // Of the lines of a tile, so many ask for their sectors; the others do not get this far. Those
    // of a tile that is not whole must be touched one by one.
    void touch(const TileAccess& access, std::uint32_t lines_asking);

    const SectorCounts& counts() const { return counts_; }

    // Kinds of so many misses of this cache, as another engine may have counted them. Requires: at
    // least the compulsory ones.
    MissKinds kinds_of(double misses) const;
    double compulsory_misses() const { return compulsory_; }
    // Of a fully associative cache of the same capacity.
    double associative_misses() const { return associative_misses_; }

    const TileStackDistances& distances() const { return distances_; }

private:
    // Of a line, or of all lines of a tile, by sector.
    struct State {
        // Probabilities that a sector is present, if the line is, and that it is dirty: an access
        // that hits with probability p leaves them times p in the sectors that it does not touch.
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
    std::vector<std::unique_ptr<Page>> numbers_;  // of lines, in the order of their first touch
    std::vector<State> states_;
    TileStackDistances distances_;
    SectorCounts counts_;
    double compulsory_ = 0;
    double associative_misses_ = 0;
};

}  // namespace strata
