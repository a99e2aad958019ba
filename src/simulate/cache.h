// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The number of a line of memory: its address over the line size. With lines of 128 bytes the
// numbers reach half a terabyte.
using LineNumber = std::uint32_t;

// A line that is never accessed: empty ways hold it.
inline constexpr LineNumber no_line = 0xffffffff;

enum class AccessKind : std::uint8_t { read, write };

// An access to some of a line's sectors: bit i of the mask is sector i.
struct SectorAccess {
    LineNumber line = 0;
    std::uint8_t sectors = 0xf;
    AccessKind kind = AccessKind::read;

    bool operator==(const SectorAccess&) const = default;
};

// The size of a cache. A line's set is a hash of its number, as in GPUs: with plain modulo indices,
// power-of-two strides would map to few sets.
struct CacheShape {
    std::size_t lines = 0;  // of its whole capacity
    int ways = 16;          // 1 to 16

    std::size_t sets() const { return lines / static_cast<std::size_t>(ways); }
};

// Counts of a cache. Reads and writes are accesses to lines, each of which hits if its line is
// present and, for a read, all its requested sectors. The level below sees sectors.
struct CacheCounts {
    std::uint64_t reads = 0;
    std::uint64_t read_hits = 0;
    std::uint64_t writes = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t sectors_read = 0;     // from the level below
    std::uint64_t sectors_written = 0;  // to the level below

    // The same in sectors, only for sector accesses. A written sector hits if it is present, and is
    // dirtied if it was clean: it will be written to the level below once.
    std::uint64_t read_sectors = 0;
    std::uint64_t write_sectors = 0;
    std::uint64_t write_sector_hits = 0;
    std::uint64_t sectors_dirtied = 0;

    std::uint64_t accesses() const { return reads + writes; }
    std::uint64_t hits() const { return read_hits + write_hits; }
    std::uint64_t misses() const { return accesses() - hits(); }
};

// The uncertainty of a hit rate estimated from some of the sets.
struct HitEstimate {
    double rate = 0;
    double error = 0;  // half of the 95 % confidence interval; 0 if all sets were simulated
};

// Instruction sets that the simulation supports; by default the widest is used.
enum class VectorWidth { portable, avx2, avx512 };
VectorWidth widest_vectors();

// An exact set-associative cache with LRU replacement in each set (engine E1). A set is one
// register of sixteen tags, most recent first, so an access compares all ways and shifts those
// before the match.
//
// A write allocates its line without reading it, because it replaces whole sectors; dirty sectors
// are written when their line is evicted. One object is for line accesses (faster) or for sector
// accesses, not for both.
//
// For a large cache a sample of sets can represent all (Kessler, Hill and Wood 1994): those whose
// lines have the smallest hashes. Accesses to other sets are skipped and not counted.
class SetAssociativeCache {
public:
    // Simulates one set in `one_in`, a power of two, but at least `min_sampled_sets`. Throws Error
    // for a shape without a set, with more lines than line numbers, or with ways other than 1 to
    // 16, and for a share that is not a power of two.
    explicit SetAssociativeCache(const CacheShape& shape, VectorWidth width = widest_vectors(),
                                 std::uint32_t one_in = 1);

    static constexpr std::size_t min_sampled_sets = 256;

    // Reads whole lines in this order. Appends missed lines to `missed` if given.
    void read(std::span<const LineNumber> lines, std::vector<LineNumber>* missed = nullptr);

    // Accesses sectors in this order. Appends the accesses to the level below to `below` if given:
    // the sectors that a read lacks, and the dirty ones of each evicted line.
    void access(std::span<const SectorAccess> accesses, std::vector<SectorAccess>* below = nullptr);

    // Writes all dirty sectors, as at the end of a network. Their lines stay.
    void flush();

    // The counts of the simulated sets.
    const CacheCounts& counts() const { return counts_; }
    std::size_t simulated_sets() const { return sets_.size(); }
    bool is_sampled() const { return hash_limit_.has_value(); }

    // The hit rate of line accesses or, by sectors, of sector accesses; in a sampled cache with its
    // confidence. Sets are grouped, and the error is that of a ratio between clusters (Cochran
    // 1977, section 6.3): the binomial distribution of single accesses would underestimate it,
    // because the lines of a tile hit or miss together.
    HitEstimate estimate() const;

private:
    friend struct CacheLoops;

    struct Group {
        std::uint64_t accesses = 0, hits = 0;
        void add(std::uint64_t more, std::uint64_t of_these_hit) {
            accesses += more;
            hits += of_these_hit;
        }
    };
    static constexpr std::size_t group_count = 64;

    // The tags of a set, most recent first. Ways that the cache lacks stay empty.
    struct alignas(64) Set {
        std::uint32_t tags[16];
    };

    std::vector<Set> sets_;
    std::vector<std::uint64_t> valid_;  // 4 bits per way, in the order of the tags
    std::vector<std::uint64_t> dirty_;
    int ways_ = 16;
    std::uint32_t all_sets_ = 1;  // of the cache
    // Lines with this hash or a larger one are not simulated; nothing: all sets are.
    std::optional<std::uint32_t> hash_limit_;
    VectorWidth width_;
    CacheCounts counts_;
    std::array<Group, group_count> groups_ = {};  // sampled sets by their number
};

}  // namespace strata
