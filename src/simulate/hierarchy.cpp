// SPDX-License-Identifier: MIT
#include "simulate/hierarchy.h"

#include "base/error.h"

#include <algorithm>
#include <bit>

namespace strata {

namespace {

constexpr std::uint64_t max_wave_accesses = std::uint64_t{1} << 33;

void append_accesses(const TileAccess& access, std::vector<SectorAccess>& lines) {
    append_lines(access.tile, lines, [&](LineNumber line) {
        return SectorAccess{line, access.sectors, access.kind};
    });
}

TileAccess one_line(const SectorAccess& access) {
    return {.tile = {.first = access.line, .rows = 1, .lines_per_row = 1, .pitch = 0},
            .sectors = access.sectors,
            .kind = access.kind};
}

// Everything between the processors and DRAM, with its counts.
class Hierarchy {
public:
    Hierarchy(const GpuMemory& memory, CacheEngine engine) : l2_distances_(memory.l2) {
        if (memory.l1) {
            l1_.assign(memory.processors, SetAssociativeCache(*memory.l1));
            l1_of_one_.emplace(*memory.l1);
        }
        if (engine != CacheEngine::distances) {
            l2_.emplace(cache_of(memory.l2, engine));
        }
    }

    void access(std::uint32_t processor, const std::vector<TileAccess>& accesses) {
        for (const TileAccess& access : accesses) {
            if (l1_.empty() || access.kind == AccessKind::write) {
                l1_writes_ += access.kind == AccessKind::write ? sectors_in(access) : 0;
                to_l2(access);
            } else if (access.is_whole) {
                read_tile(processor, access);
            } else {
                read_lines(processor, access);
            }
        }
    }

    // The counts so far. The kinds of L1 misses are the first processor's.
    SimulatedKernel counts() const {
        SimulatedKernel found;
        if (!l1_.empty()) {
            LevelCounts level;
            for (const SetAssociativeCache& l1 : l1_) {
                level.sectors += sectors_of(l1.counts());
            }
            const double misses = level.sectors.misses();
            const SectorCounts first = sectors_of(l1_.front().counts());
            if (first.misses() > 0) {
                level.kinds = l1_of_one_->kinds_of(first.misses());
                level.kinds *= misses / first.misses();
            }
            level.sectors.writes = l1_writes_;
            found.l1 = level;
        }
        found.l2.sectors = l2_distances_.counts();
        if (l2_) {
            found.l2.sectors = sectors_of(*l2_, l2_distances_.counts());
            found.l2.hits_error = l2_->estimate().error * found.l2.sectors.accesses();
        }
        found.l2.kinds = l2_distances_.kinds_of(found.l2.sectors.misses());
        found.dram_reads = found.l2.sectors.reads - found.l2.sectors.read_hits;
        found.dram_writes = found.l2.sectors.dirtied;
        return found;
    }

    std::uint64_t accesses() const { return accesses_; }

private:
    static double sectors_in(const TileAccess& access) {
        return static_cast<double>(access.tile.lines()) * std::popcount(access.sectors);
    }

    void read_tile(std::uint32_t processor, const TileAccess& access) {
        lines_.clear();
        below_.clear();
        append_accesses(access, lines_);
        accesses_ += lines_.size();
        l1_[processor].access(lines_, &below_);
        if (processor == 0) {
            l1_of_one_->touch(access, access.tile.lines());
        }
        if (below_.empty()) {
            return;
        }
        if (l2_) {
            l2_->access(below_);
        }
        // (The sectors of a tile are present together or, after an eviction, mostly so.)
        TileAccess missing = access;
        missing.sectors = 0;
        std::size_t sectors = 0;
        for (const SectorAccess& one : below_) {
            missing.sectors |= one.sectors;
            sectors += static_cast<std::size_t>(std::popcount(one.sectors));
        }
        const auto of_each = static_cast<std::size_t>(std::popcount(missing.sectors));
        l2_distances_.touch(missing, static_cast<std::uint32_t>((sectors + of_each - 1) / of_each));
    }

    void read_lines(std::uint32_t processor, const TileAccess& access) {
        lines_.clear();
        below_.clear();
        append_accesses(access, lines_);
        accesses_ += lines_.size();
        l1_[processor].access(lines_, &below_);
        if (processor == 0) {
            for (const SectorAccess& one : lines_) {
                l1_of_one_->touch(one_line(one), 1);
            }
        }
        if (l2_ && !below_.empty()) {
            l2_->access(below_);
        }
        for (const SectorAccess& one : below_) {
            l2_distances_.touch(one_line(one), 1);
        }
    }

    void to_l2(const TileAccess& access) {
        accesses_ += access.tile.lines();
        if (l2_ || !access.is_whole) {
            lines_.clear();
            append_accesses(access, lines_);
        }
        if (l2_) {
            l2_->access(lines_);
        }
        if (access.is_whole) {
            l2_distances_.touch(access, access.tile.lines());
            return;
        }
        for (const SectorAccess& one : lines_) {
            l2_distances_.touch(one_line(one), 1);
        }
    }

    std::vector<SetAssociativeCache> l1_;     // one per processor; none if loads bypass it
    std::optional<DistanceCache> l1_of_one_;  // classifies the first processor's misses
    std::optional<SetAssociativeCache> l2_;   // engine E1, of all sets or some
    DistanceCache l2_distances_;              // engine E2, and kinds of misses for both
    double l1_writes_ = 0;
    std::uint64_t accesses_ = 0;  // line accesses so far
    std::vector<SectorAccess> lines_, below_;
};

// sum + factor (after - before), element by element.
void extrapolate(SectorCounts& sum, const SectorCounts& before, SectorCounts after, double factor) {
    SectorCounts minus = before;
    minus *= -1;
    after += minus;
    after *= factor;
    sum += after;
}

void extrapolate(LevelCounts& sum, const LevelCounts& before, const LevelCounts& after,
                 double factor) {
    extrapolate(sum.sectors, before.sectors, after.sectors, factor);
    MissKinds more = before.kinds;
    more *= -1;
    more += after.kinds;
    more *= factor;
    sum.kinds += more;
    const double accesses = after.sectors.accesses();
    sum.hits_error *= accesses > 0 ? sum.sectors.accesses() / accesses : 1;
}

}  // namespace

SetAssociativeCache cache_of(const CacheShape& shape, CacheEngine engine) {
    return SetAssociativeCache(shape, widest_vectors(),
                               engine == CacheEngine::sampled ? sampled_one_in : 1);
}

SimulatedKernel simulate(const KernelAccesses& kernel, const GpuMemory& memory, CacheEngine engine,
                         std::uint64_t max_accesses) {
    check(memory.processors > 0 && memory.resident_blocks > 0, "a GPU runs at least one block");
    Hierarchy hierarchy(memory, engine);
    std::vector<TileAccess> accesses;
    const std::uint64_t wave = std::uint64_t{memory.processors} * memory.resident_blocks;
    const std::uint64_t blocks = kernel.blocks();
    SimulatedKernel before, now;
    std::uint64_t first = 0;
    while (first < blocks && (first < 2 * wave || hierarchy.accesses() < max_accesses)) {
        before = now;
        const std::uint64_t end = std::min(blocks, first + wave);
        for (std::uint64_t step = 0; step < kernel.steps(); ++step) {
            for (std::uint64_t block = first; block < end; ++block) {
                accesses.clear();
                kernel.append(block, step, accesses);
                hierarchy.access(static_cast<std::uint32_t>(block % memory.processors), accesses);
            }
            if (hierarchy.accesses() > max_wave_accesses + max_accesses) {
                throw Error("a wave of the kernel's blocks has too many accesses to simulate");
            }
        }
        first = end;
        now = hierarchy.counts();
    }
    SimulatedKernel found = now;
    if (first < blocks) {
        const double more = static_cast<double>(blocks - first) / static_cast<double>(wave);
        extrapolate(found.l2, before.l2, now.l2, more);
        if (found.l1) {
            extrapolate(*found.l1, before.l1.value_or(LevelCounts()), *now.l1, more);
        }
        found.dram_reads += more * (now.dram_reads - before.dram_reads);
        found.dram_writes += more * (now.dram_writes - before.dram_writes);
    }
    found.blocks = static_cast<double>(blocks);
    found.simulated = static_cast<double>(first) / static_cast<double>(blocks);
    return found;
}

}  // namespace strata
