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

// How to simulate the second-level cache: by stack distances (E2), access by access (E1), or access
// by access in one of `sampled_one_in` sets.
enum class CacheEngine { distances, exact, sampled };
inline constexpr std::array<std::string_view, 3> names_of(CacheEngine) {
    return {"distances", "exact", "sampled"};
}
inline constexpr std::uint32_t sampled_one_in = 32;

// The engine to check an engine's results against.
constexpr CacheEngine check_of(CacheEngine engine) {
    return engine == CacheEngine::exact ? CacheEngine::distances : CacheEngine::exact;
}

// The cache of an engine that simulates accesses. Requires: not distances.
SetAssociativeCache cache_of(const CacheShape& shape, CacheEngine engine);

// The caches of a GPU and the number of blocks that it runs at a time.
struct GpuMemory {
    std::uint32_t processors = 1;
    std::uint32_t resident_blocks = 1;  // of a processor
    std::optional<CacheShape> l1 = {};  // per processor; absent: loads bypass it
    CacheShape l2 = {};                 // shared
};

// A level of memory, with the kinds of its misses.
struct LevelCounts {
    SectorCounts sectors;
    MissKinds kinds;
    // Half of the 95 % confidence interval of the hits; 0 unless sampled.
    double hits_error = 0;
};

// A kernel's requests to each level. L1 writes through without allocating, so L2 gets the
// read misses of L1 and all writes; DRAM gets the read misses of L2 and each dirty sector
// once.
struct SimulatedKernel {
    std::optional<LevelCounts> l1;
    LevelCounts l2;
    double dram_reads = 0;   // sectors
    double dram_writes = 0;  // sectors
    double blocks = 0;
    double simulated = 1;  // the share of blocks simulated; the others are extrapolated
};

// Runs a kernel's blocks in waves that fill the GPU, block b on processor b mod processors, all
// blocks of a wave step by step. Caches are empty at the start. First-level caches are small and
// always simulated access by access.
//
// Simulates at least two waves, and more until about `max_accesses` accesses to lines were made;
// the remaining blocks count like those of the last full wave. Throws Error for impossible caches,
// and for waves of more than 2^33 accesses.
SimulatedKernel simulate(const KernelAccesses& kernel, const GpuMemory& memory, CacheEngine engine,
                         std::uint64_t max_accesses);

}  // namespace strata
