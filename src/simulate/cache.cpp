// SPDX-License-Identifier: MIT
#include "simulate/cache.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace strata {

namespace {

constexpr int most_ways = 16;
constexpr std::size_t batch = 64;  // accesses whose sets are looked up together, ahead of their use

// A multiplicative hash (Knuth) with a second round, scaled to any number of sets.
inline std::uint32_t set_of(LineNumber line, std::uint32_t sets) {
    std::uint32_t hash = line * 2654435769U;
    hash ^= hash >> 15;
    hash *= 0x85ebca6bU;
    return static_cast<std::uint32_t>((std::uint64_t{hash} * sets) >> 32);
}

// Moves a line to the front of a set's tags, in place of the least recent one if it is not among
// them. Returns the ways that held it, as a mask; `last` is the bit of the last way.
struct PortableSet {
    static std::uint32_t touch(std::uint32_t* tags, LineNumber line, std::uint32_t last) {
        std::uint32_t carried = line;
        for (std::uint32_t way = 1; way <= last; way <<= 1, ++tags) {
            std::swap(carried, *tags);
            if (carried == line) {
                return way;
            }
        }
        return 0;
    }
};

#if defined(__x86_64__)
struct Avx2Set {
    __attribute__((target("avx2,bmi"))) static std::uint32_t touch(std::uint32_t* tags,
                                                                   LineNumber line,
                                                                   std::uint32_t last) {
        auto* const halves = reinterpret_cast<__m256i*>(tags);
        const __m256i near = _mm256_load_si256(halves);
        const __m256i far = _mm256_load_si256(halves + 1);
        const __m256i wanted = _mm256_set1_epi32(static_cast<int>(line));
        const std::uint32_t found = matches(near, wanted) | matches(far, wanted) << 8;
        // Ways up to the match take the tag before them, the first one the line.
        const __m256i moved = _mm256_set1_epi32(std::countr_zero(found | last));
        const __m256i way = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const __m256i rotation = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
        const __m256i turned = _mm256_permutevar8x32_epi32(near, rotation);
        const __m256i near_shifted = _mm256_blend_epi32(turned, wanted, 1);
        const __m256i far_shifted =
            _mm256_blend_epi32(_mm256_permutevar8x32_epi32(far, rotation), turned, 1);
        const __m256i near_stays = _mm256_cmpgt_epi32(way, moved);
        const __m256i far_stays =
            _mm256_cmpgt_epi32(_mm256_add_epi32(way, _mm256_set1_epi32(8)), moved);
        _mm256_store_si256(halves, _mm256_blendv_epi8(near_shifted, near, near_stays));
        _mm256_store_si256(halves + 1, _mm256_blendv_epi8(far_shifted, far, far_stays));
        return found;
    }

private:
    __attribute__((target("avx2"))) static std::uint32_t matches(__m256i tags, __m256i wanted) {
        return static_cast<std::uint32_t>(
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(tags, wanted))));
    }
};

struct Avx512Set {
    __attribute__((target("avx512f,bmi"))) static std::uint32_t touch(std::uint32_t* tags,
                                                                      LineNumber line,
                                                                      std::uint32_t last) {
        const __m512i held = _mm512_load_si512(tags);
        const __m512i wanted = _mm512_set1_epi32(static_cast<int>(line));
        const std::uint32_t found = _mm512_cmpeq_epi32_mask(held, wanted);
        // All ways up to the match, or all.
        const auto moved = static_cast<__mmask16>(_blsmsk_u32(found | last));
        _mm512_store_si512(tags, _mm512_mask_alignr_epi32(held, moved, held, wanted, 15));
        return found;
    }
};
#endif

// Four bits of each way, in the order of the tags.
struct WayBits {
    std::uint64_t& of_ways;

    std::uint64_t at(int way) const { return of_ways >> (4 * way) & 0xf; }

    void move_to_front(int way, std::uint64_t bits) {
        const std::uint64_t before = (std::uint64_t{1} << (4 * way)) - 1;
        const std::uint64_t up_to = (std::uint64_t{16} << (4 * way)) - 1;  // (all for way 15)
        of_ways = (of_ways & ~up_to) | (of_ways & before) << 4 | bits;
    }
};

}  // namespace

// The loops over accesses, compiled for each instruction set into which they are inlined.
struct CacheLoops {
    template <class Set>
    static void read(SetAssociativeCache& cache, std::span<const LineNumber> lines,
                     std::vector<LineNumber>* missed) {
        const std::uint32_t last = 1U << (cache.ways_ - 1);
        std::array<std::uint32_t, batch> sets;
        std::array<LineNumber, batch> misses;
        while (!lines.empty()) {
            const std::size_t count = std::min(batch, lines.size());
            for (std::size_t i = 0; i < count; ++i) {
                sets[i] = set_of(lines[i], count_of(cache));
            }
            for (std::size_t i = 0; i < count; ++i) {
                __builtin_prefetch(&cache.sets_[sets[i]], 1);
            }
            std::size_t missing = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const auto found = Set::touch(cache.sets_[sets[i]].tags, lines[i], last);
                misses[missing] = lines[i];
                missing += found == 0 ? 1 : 0;
            }
            cache.counts_.reads += count;
            cache.counts_.read_hits += count - missing;
            if (missed != nullptr) {
                missed->insert(missed->end(), misses.begin(), misses.begin() + missing);
            }
            lines = lines.subspan(count);
        }
    }

    template <class Set>
    static void access(SetAssociativeCache& cache, std::span<const SectorAccess> accesses,
                       std::vector<SectorAccess>* below) {
        CacheCounts counts;
        for (const SectorAccess& access : accesses) {
            const std::uint32_t set = set_of(access.line, count_of(cache));
            std::uint32_t* const tags = cache.sets_[set].tags;
            const LineNumber oldest = tags[cache.ways_ - 1];
            const auto last = 1U << (cache.ways_ - 1);
            const auto found = Set::touch(tags, access.line, last);
            const int way = std::countr_zero(found | last);
            WayBits valid{cache.valid_[set]};
            WayBits dirty{cache.dirty_[set]};
            const std::uint64_t had = found != 0 ? valid.at(way) : 0;
            const std::uint64_t was_dirty = found != 0 ? dirty.at(way) : 0;
            const std::uint64_t evicted = found != 0 ? 0 : dirty.at(way);
            const bool writes = access.kind == AccessKind::write;
            const std::uint64_t lacking = writes ? 0 : access.sectors & ~had;
            valid.move_to_front(way, had | access.sectors);
            dirty.move_to_front(way, writes ? was_dirty | access.sectors : was_dirty);
            const std::uint64_t hit = found != 0 && lacking == 0 ? 1 : 0;
            (writes ? counts.writes : counts.reads) += 1;
            (writes ? counts.write_hits : counts.read_hits) += hit;
            counts.sectors_read += static_cast<std::uint64_t>(std::popcount(lacking));
            counts.sectors_written += static_cast<std::uint64_t>(std::popcount(evicted));
            const auto wanted = static_cast<std::uint64_t>(std::popcount(access.sectors));
            if (writes) {
                counts.write_sectors += wanted;
                counts.write_sector_hits +=
                    static_cast<std::uint64_t>(std::popcount(access.sectors & had));
                counts.sectors_dirtied +=
                    static_cast<std::uint64_t>(std::popcount(access.sectors & ~was_dirty));
            } else {
                counts.read_sectors += wanted;
            }
            if (below != nullptr && (evicted | lacking) != 0) {
                tell(*below, {oldest, static_cast<std::uint8_t>(evicted), AccessKind::write});
                tell(*below, {access.line, static_cast<std::uint8_t>(lacking), AccessKind::read});
            }
        }
        add(cache.counts_, counts);
    }

private:
    static std::uint32_t count_of(const SetAssociativeCache& cache) {
        return static_cast<std::uint32_t>(cache.sets_.size());
    }

    static void tell(std::vector<SectorAccess>& below, const SectorAccess& access) {
        if (access.sectors != 0) {
            below.push_back(access);
        }
    }

    static void add(CacheCounts& sum, const CacheCounts& counts) {
        sum.reads += counts.reads;
        sum.read_hits += counts.read_hits;
        sum.writes += counts.writes;
        sum.write_hits += counts.write_hits;
        sum.sectors_read += counts.sectors_read;
        sum.sectors_written += counts.sectors_written;
        sum.read_sectors += counts.read_sectors;
        sum.write_sectors += counts.write_sectors;
        sum.write_sector_hits += counts.write_sector_hits;
        sum.sectors_dirtied += counts.sectors_dirtied;
    }
};

namespace {

// (`flatten` inlines the loops, so that all of them is compiled for the wider registers.)
#if defined(__x86_64__)
__attribute__((target("avx2,bmi"), flatten)) void read_avx2(SetAssociativeCache& cache,
                                                            std::span<const LineNumber> lines,
                                                            std::vector<LineNumber>* missed) {
    CacheLoops::read<Avx2Set>(cache, lines, missed);
}

__attribute__((target("avx512f,bmi"), flatten)) void read_avx512(SetAssociativeCache& cache,
                                                                 std::span<const LineNumber> lines,
                                                                 std::vector<LineNumber>* missed) {
    CacheLoops::read<Avx512Set>(cache, lines, missed);
}

__attribute__((target("avx2,bmi"), flatten)) void access_avx2(
    SetAssociativeCache& cache, std::span<const SectorAccess> accesses,
    std::vector<SectorAccess>* below) {
    CacheLoops::access<Avx2Set>(cache, accesses, below);
}

__attribute__((target("avx512f,bmi"), flatten)) void access_avx512(
    SetAssociativeCache& cache, std::span<const SectorAccess> accesses,
    std::vector<SectorAccess>* below) {
    CacheLoops::access<Avx512Set>(cache, accesses, below);
}
#endif

}  // namespace

VectorWidth widest_vectors() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return VectorWidth::avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) {
        return VectorWidth::avx2;
    }
#endif
    return VectorWidth::portable;
}

SetAssociativeCache::SetAssociativeCache(const CacheShape& shape, VectorWidth width)
    : ways_(shape.ways), width_(width) {
    if (shape.ways < 1 || shape.ways > most_ways) {
        throw Error(
            fmt::format("a cache has {} ways: 1 to {} can be simulated", shape.ways, most_ways));
    }
    if (shape.sets() < 1 || shape.lines >= no_line) {
        throw Error(fmt::format("a cache of {} lines in {} ways cannot be simulated", shape.lines,
                                shape.ways));
    }
    Set empty;
    std::ranges::fill(empty.tags, no_line);
    sets_.assign(shape.sets(), empty);
}

void SetAssociativeCache::read(std::span<const LineNumber> lines, std::vector<LineNumber>* missed) {
#if defined(__x86_64__)
    if (width_ != VectorWidth::portable) {
        return (width_ == VectorWidth::avx512 ? read_avx512 : read_avx2)(*this, lines, missed);
    }
#endif
    CacheLoops::read<PortableSet>(*this, lines, missed);
}

void SetAssociativeCache::access(std::span<const SectorAccess> accesses,
                                 std::vector<SectorAccess>* below) {
    valid_.resize(sets_.size());
    dirty_.resize(sets_.size());
#if defined(__x86_64__)
    if (width_ != VectorWidth::portable) {
        return (width_ == VectorWidth::avx512 ? access_avx512 : access_avx2)(*this, accesses,
                                                                             below);
    }
#endif
    CacheLoops::access<PortableSet>(*this, accesses, below);
}

void SetAssociativeCache::flush() {
    for (std::uint64_t& dirty : dirty_) {
        counts_.sectors_written += static_cast<std::uint64_t>(std::popcount(dirty));
        dirty = 0;
    }
}

}  // namespace strata
