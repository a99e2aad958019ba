// SPDX-License-Identifier: MIT
#include "simulate/cache.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace strata {

namespace {

constexpr int max_ways = 16;
constexpr std::size_t batch = 64;  // accesses whose sets are looked up together, ahead of their use

// A multiplicative hash (Knuth) with a second round.
constexpr std::uint32_t first_factor = 2654435769U;
constexpr std::uint32_t second_factor = 0x85ebca6bU;
constexpr int hash_shift = 15;

inline std::uint32_t hash_of(LineNumber line) {
    std::uint32_t hash = line * first_factor;
    hash ^= hash >> hash_shift;
    return hash * second_factor;
}

// The hash scaled to any number of sets.
inline std::uint32_t set_of(LineNumber line, std::uint32_t sets) {
    return static_cast<std::uint32_t>((std::uint64_t{hash_of(line)} * sets) >> 32);
}

inline LineNumber line_of(LineNumber line) {
    return line;
}
inline LineNumber line_of(const SectorAccess& access) {
    return access.line;
}

// Functions written for each instruction set:
//
// touch() moves a line to the front of a set's tags, evicting the least recent one if the line is
// not among them. Returns the ways that held it, as a mask; `last` is the bit of the last way.
//
// keep() copies the accesses to lines whose hashes are below a limit, in their order, and returns
// their number. Requires: room for all of them.
struct PortableSet {
    static void find_sets(std::span<const LineNumber> lines, std::uint32_t all_sets,
                          std::uint32_t* sets) {
        for (std::size_t i = 0; i < lines.size(); ++i) {
            sets[i] = set_of(lines[i], all_sets);
        }
    }

    template <class Access>
    static std::size_t keep(std::span<const Access> accesses, std::uint32_t limit, Access* kept) {
        std::size_t found = 0;
        for (const Access& access : accesses) {
            kept[found] = access;
            found += hash_of(line_of(access)) < limit ? 1U : 0U;
        }
        return found;
    }

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
// For each mask of eight lanes the set lanes' numbers, one byte each, lowest first.
constexpr std::array<std::uint64_t, 256> lanes_of_masks = [] {
    std::array<std::uint64_t, 256> lanes = {};
    for (unsigned mask = 0; mask < lanes.size(); ++mask) {
        int bits = 0;
        for (std::uint64_t lane = 0; lane < 8; ++lane) {
            if ((mask >> lane & 1) != 0) {
                lanes[mask] |= lane << bits;
                bits += 8;
            }
        }
    }
    return lanes;
}();

struct Avx2Set {
    __attribute__((target("avx2,bmi,bmi2,popcnt"))) static __m256i hashes(__m256i lines) {
        __m256i hash = _mm256_mullo_epi32(lines, _mm256_set1_epi32(static_cast<int>(first_factor)));
        hash = _mm256_xor_si256(hash, _mm256_srli_epi32(hash, hash_shift));
        return _mm256_mullo_epi32(hash, _mm256_set1_epi32(static_cast<int>(second_factor)));
    }

    __attribute__((target("avx2,bmi,bmi2,popcnt"))) static void find_sets(
        std::span<const LineNumber> lines, std::uint32_t all_sets, std::uint32_t* sets) {
        const __m256i scale = _mm256_set1_epi32(static_cast<int>(all_sets));
        std::size_t i = 0;
        for (; i + 8 <= lines.size(); i += 8) {
            const __m256i hash =
                hashes(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(lines.data() + i)));
            const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(hash, scale), 32);
            const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(hash, 32), scale);
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(sets + i),
                                _mm256_blend_epi32(even, odd, 0b10101010));
        }
        PortableSet::find_sets(lines.subspan(i), all_sets, sets + i);
    }

    template <class Access>
    __attribute__((target("avx2,bmi,bmi2,popcnt"))) static std::size_t keep(
        std::span<const Access> accesses, std::uint32_t limit, Access* kept) {
        constexpr std::size_t together = sizeof(__m256i) / sizeof(Access);
        const __m256i limits = _mm256_set1_epi32(static_cast<int>(limit));
        std::size_t found = 0;
        std::size_t i = 0;
        for (; i + together <= accesses.size(); i += together) {
            const __m256i all =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(accesses.data() + i));
            __m256i hash = hashes(all);
            if constexpr (sizeof(Access) == 8) {  // the line is its lower half
                hash = _mm256_shuffle_epi32(hash, 0b10100000);
            }
            const unsigned mask = 0xffU ^ matches(_mm256_max_epu32(hash, limits), hash);
            const __m256i lanes = _mm256_cvtepu8_epi32(
                _mm_cvtsi64_si128(static_cast<long long>(lanes_of_masks[mask])));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(kept + found),
                                _mm256_permutevar8x32_epi32(all, lanes));
            found += static_cast<std::size_t>(std::popcount(mask)) * sizeof(int) / sizeof(Access);
        }
        return found + PortableSet::keep(accesses.subspan(i), limit, kept + found);
    }

    __attribute__((target("avx2,bmi,bmi2,popcnt"))) static std::uint32_t touch(std::uint32_t* tags,
                                                                               LineNumber line,
                                                                               std::uint32_t last) {
        auto* const halves = reinterpret_cast<__m256i*>(tags);
        const __m256i near = _mm256_load_si256(halves);
        const __m256i far = _mm256_load_si256(halves + 1);
        const __m256i wanted = _mm256_set1_epi32(static_cast<int>(line));
        const std::uint32_t found = matches(near, wanted) | matches(far, wanted) << 8;
        // Each way up to the match takes the previous way's tag, the first one the line.
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
    __attribute__((target("avx2,bmi,bmi2,popcnt"))) static std::uint32_t matches(__m256i tags,
                                                                                 __m256i wanted) {
        return static_cast<std::uint32_t>(
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(tags, wanted))));
    }
};

struct Avx512Set {
    __attribute__((target("avx512f,bmi,bmi2,popcnt"))) static __m512i hashes(__m512i lines) {
        __m512i hash = _mm512_mullo_epi32(lines, _mm512_set1_epi32(static_cast<int>(first_factor)));
        hash = _mm512_xor_si512(hash, _mm512_maskz_srli_epi32(0xffff, hash, hash_shift));
        return _mm512_mullo_epi32(hash, _mm512_set1_epi32(static_cast<int>(second_factor)));
    }

    __attribute__((target("avx512f,bmi,bmi2,popcnt"))) static void find_sets(
        std::span<const LineNumber> lines, std::uint32_t all_sets, std::uint32_t* sets) {
        const __m512i scale = _mm512_set1_epi32(static_cast<int>(all_sets));
        std::size_t i = 0;
        for (; i + 16 <= lines.size(); i += 16) {
            const __m512i hash = hashes(_mm512_loadu_si512(lines.data() + i));
            const __m512i even =
                _mm512_maskz_srli_epi64(0xff, _mm512_maskz_mul_epu32(0xff, hash, scale), 32);
            const __m512i odd =
                _mm512_maskz_mul_epu32(0xff, _mm512_maskz_srli_epi64(0xff, hash, 32), scale);
            _mm512_storeu_si512(sets + i, _mm512_mask_blend_epi32(0xaaaa, even, odd));
        }
        PortableSet::find_sets(lines.subspan(i), all_sets, sets + i);
    }

    template <class Access>
    __attribute__((target("avx512f,bmi,bmi2,popcnt"))) static std::size_t keep(
        std::span<const Access> accesses, std::uint32_t limit, Access* kept) {
        constexpr std::size_t together = sizeof(__m512i) / sizeof(Access);
        const __m512i low = _mm512_set1_epi64(0xffffffff);
        const __m512i limits = _mm512_set1_epi32(static_cast<int>(limit));
        std::size_t found = 0;
        std::size_t i = 0;
        for (; i + together <= accesses.size(); i += together) {
            const __m512i all = _mm512_loadu_si512(accesses.data() + i);
            const __m512i hash = hashes(all);
            std::uint32_t mask = 0;
            if constexpr (sizeof(Access) == 8) {  // the line is its lower half
                mask = _mm512_cmplt_epu64_mask(_mm512_and_si512(hash, low),
                                               _mm512_and_si512(limits, low));
                _mm512_storeu_si512(kept + found,
                                    _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), all));
            } else {
                mask = _mm512_cmplt_epu32_mask(hash, limits);
                _mm512_storeu_si512(kept + found,
                                    _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), all));
            }
            found += static_cast<std::size_t>(std::popcount(mask));
        }
        return found + PortableSet::keep(accesses.subspan(i), limit, kept + found);
    }

    __attribute__((target("avx512f,bmi,bmi2,popcnt"))) static std::uint32_t touch(
        std::uint32_t* tags, LineNumber line, std::uint32_t last) {
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

// Four bits per way, in the order of the tags.
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
        if (!cache.hash_limit_) {
            return read_kept<Set, false>(cache, lines, missed);
        }
        std::array<LineNumber, part> kept;
        for (; !lines.empty(); lines = lines.subspan(std::min(part, lines.size()))) {
            const std::size_t count = Set::keep(lines.first(std::min(part, lines.size())),
                                                *cache.hash_limit_, kept.data());
            read_kept<Set, true>(cache, std::span(kept).first(count), missed);
        }
    }

    template <class Set>
    static void access(SetAssociativeCache& cache, std::span<const SectorAccess> accesses,
                       std::vector<SectorAccess>* below) {
        if (!cache.hash_limit_) {
            return access_kept<Set, false>(cache, accesses, below);
        }
        std::array<SectorAccess, part> kept;
        for (; !accesses.empty(); accesses = accesses.subspan(std::min(part, accesses.size()))) {
            const std::size_t count = Set::keep(accesses.first(std::min(part, accesses.size())),
                                                *cache.hash_limit_, kept.data());
            access_kept<Set, true>(cache, std::span(kept).first(count), below);
        }
    }

private:
    static constexpr std::size_t part = 1024;  // accesses, filtered to the sampled sets

    template <class Set, bool is_sampled>
    static void read_kept(SetAssociativeCache& cache, std::span<const LineNumber> lines,
                          std::vector<LineNumber>* missed) {
        const std::uint32_t last = 1U << (cache.ways_ - 1);
        SetAssociativeCache::Set* const of_cache = cache.sets_.data();
        std::array<std::uint32_t, batch> sets;
        std::array<LineNumber, batch> misses;
        for (; !lines.empty(); lines = lines.subspan(std::min(batch, lines.size()))) {
            const auto some = lines.first(std::min(batch, lines.size()));
            Set::find_sets(some, cache.all_sets_, sets.data());
            for (std::size_t i = 0; i < some.size(); ++i) {
                __builtin_prefetch(of_cache + sets[i], 1);
            }
            std::size_t missing = 0;
            for (std::size_t i = 0; i < some.size(); ++i) {
                const auto found = Set::touch(of_cache[sets[i]].tags, some[i], last);
                misses[missing] = some[i];
                missing += found == 0 ? 1 : 0;
                if constexpr (is_sampled) {
                    cache.groups_[sets[i] % SetAssociativeCache::group_count].add(1, found != 0);
                }
            }
            cache.counts_.reads += some.size();
            cache.counts_.read_hits += some.size() - missing;
            if (missed != nullptr) {
                missed->insert(missed->end(), misses.begin(), misses.begin() + missing);
            }
        }
    }

    template <class Set, bool is_sampled>
    static void access_kept(SetAssociativeCache& cache, std::span<const SectorAccess> accesses,
                            std::vector<SectorAccess>* below) {
        CacheCounts counts;
        for (const SectorAccess& access : accesses) {
            const std::uint32_t set = set_of(access.line, cache.all_sets_);
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
            if constexpr (is_sampled) {
                cache.groups_[set % SetAssociativeCache::group_count].add(
                    wanted, static_cast<std::uint64_t>(std::popcount(access.sectors & had)));
            }
            if (below != nullptr && (evicted | lacking) != 0) {
                tell(*below, {oldest, static_cast<std::uint8_t>(evicted), AccessKind::write});
                tell(*below, {access.line, static_cast<std::uint8_t>(lacking), AccessKind::read});
            }
        }
        add(cache.counts_, counts);
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

// (`flatten` inlines the loops, so that they are compiled entirely for the wider registers.)
#if defined(__x86_64__)
__attribute__((target("avx2,bmi,bmi2,popcnt"), flatten)) void read_avx2(
    SetAssociativeCache& cache, std::span<const LineNumber> lines,
    std::vector<LineNumber>* missed) {
    CacheLoops::read<Avx2Set>(cache, lines, missed);
}

__attribute__((target("avx512f,bmi,bmi2,popcnt"), flatten)) void read_avx512(
    SetAssociativeCache& cache, std::span<const LineNumber> lines,
    std::vector<LineNumber>* missed) {
    CacheLoops::read<Avx512Set>(cache, lines, missed);
}

__attribute__((target("avx2,bmi,bmi2,popcnt"), flatten)) void access_avx2(
    SetAssociativeCache& cache, std::span<const SectorAccess> accesses,
    std::vector<SectorAccess>* below) {
    CacheLoops::access<Avx2Set>(cache, accesses, below);
}

__attribute__((target("avx512f,bmi,bmi2,popcnt"), flatten)) void access_avx512(
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
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) {
        return VectorWidth::avx2;
    }
#endif
    return VectorWidth::portable;
}

SetAssociativeCache::SetAssociativeCache(const CacheShape& shape, VectorWidth width,
                                         std::uint32_t one_in)
    : ways_(shape.ways), width_(width) {
    if (shape.ways < 1 || shape.ways > max_ways) {
        throw Error(
            fmt::format("a cache has {} ways: 1 to {} can be simulated", shape.ways, max_ways));
    }
    if (shape.sets() < 1 || shape.lines >= no_line) {
        throw Error(fmt::format("a cache of {} lines in {} ways cannot be simulated", shape.lines,
                                shape.ways));
    }
    if (!std::has_single_bit(one_in)) {
        throw Error(fmt::format("one set in {} cannot be simulated: give a power of two", one_in));
    }
    while (one_in > 1 && shape.sets() / one_in < min_sampled_sets) {
        one_in /= 2;
    }
    all_sets_ = static_cast<std::uint32_t>(shape.sets());
    const std::uint64_t sampled = shape.sets() / one_in;
    if (one_in > 1) {
        hash_limit_ = static_cast<std::uint32_t>((sampled << 32) / shape.sets());
    }
    Set empty;
    std::ranges::fill(empty.tags, no_line);
    sets_.assign(sampled, empty);
}

HitEstimate SetAssociativeCache::estimate() const {
    constexpr double deviations = 2;  // the 95 % quantile for this many groups
    HitEstimate found;
    if (!hash_limit_) {
        const std::uint64_t sectors = counts_.read_sectors + counts_.write_sectors;
        const double hits = static_cast<double>(
            sectors == 0 ? counts_.hits()
                         : counts_.read_sectors - counts_.sectors_read + counts_.write_sector_hits);
        const double all = static_cast<double>(sectors == 0 ? counts_.accesses() : sectors);
        found.rate = all > 0 ? hits / all : 0;
        return found;
    }
    double accesses = 0, hits = 0, squares = 0;
    for (const Group& group : groups_) {
        accesses += static_cast<double>(group.accesses);
        hits += static_cast<double>(group.hits);
    }
    if (accesses == 0) {
        return found;
    }
    found.rate = hits / accesses;
    for (const Group& group : groups_) {
        const double residual =
            static_cast<double>(group.hits) - found.rate * static_cast<double>(group.accesses);
        squares += residual * residual;
    }
    constexpr double groups = group_count;
    const double left_out = 1 - static_cast<double>(sets_.size()) / all_sets_;
    found.error = deviations * std::sqrt(left_out * groups / (groups - 1) * squares) / accesses;
    return found;
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
