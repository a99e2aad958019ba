// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"
#include "simulate/distance_cache.h"
#include "simulate/kernel_accesses.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

// How the second-level cache is simulated: by stack distances (E2), access by access (E1), or
// access by access in some of its sets, one in `sampled_one_in`.
enum class CacheEngine { distances, exact, sampled };
inline constexpr std::array<std::string_view, 3> names_of(CacheEngine) {
    return {"distances", "exact", "sampled"};
}
inline constexpr std::uint32_t sampled_one_in = 32;

// The engine that an engine's results are checked against.
constexpr CacheEngine check_of(CacheEngine engine) {
    return engine == CacheEngine::exact ? CacheEngine::distances : CacheEngine::exact;
}

// The cache of an engine that simulates accesses. Requires: not distances.
SetAssociativeCache cache_of(const CacheShape& shape, CacheEngine engine);

// The caches of a GPU and how many blocks of a kernel it runs at a time.
struct GpuMemory {
    std::uint32_t processors = 1;
    std::uint32_t resident_blocks = 1;  // of a processor
    std::optional<CacheShape> l1 = {};  // of a processor; absent: loads bypass it
    CacheShape l2 = {};                 // shared
};

// A level of memory, and why what missed there did.
struct LevelCounts {
    SectorCounts sectors;
    MissKinds kinds;
    // How far the hits may be off, as half of an interval of 95 % confidence; 0 unless sampled.
    double hits_error = 0;
};

// What a kernel asks of each level. L1 passes all writes through and holds none of them, so L2 is
// asked for what reads miss there and for all writes; DRAM is read what reads miss in L2, and
// written every dirty sector once.
struct SimulatedKernel {
    std::optional<LevelCounts> l1;
    LevelCounts l2;
    double dram_reads = 0;   // sectors
    double dram_writes = 0;  // sectors
    double blocks = 0;
    double simulated = 1;  // the share of the blocks that was simulated; the others like the last
};

// Runs a kernel's blocks in waves that fill the GPU, block b on processor b mod processors, all
// blocks of a wave step by step. Caches are empty before it. First-level caches are small and
// always simulated access by access.
//
// At least two waves are simulated, and then further ones until about `most_accesses` accesses to
// lines were made; the remaining blocks count like those of the last full wave. Throws Error for
// impossible caches, and for waves of more than 2^33 accesses.
SimulatedKernel simulate(const KernelAccesses& kernel, const GpuMemory& memory, CacheEngine engine,
                         std::uint64_t most_accesses);

}  // namespace strata
