// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/cache_preparation.h"

#include "device/host.h"

#include <algorithm>
#include <cstring>

namespace strata::cpu {

namespace {

// The size if nothing is known about the caches, and the maximum: the largest servers have half a
// gigabyte.
constexpr double usual_bytes = 256 << 20;
constexpr double max_bytes = 2.0 * (1 << 30);

}  // namespace

std::size_t bytes_beyond_caches(int threads) {
    const Host host = detect_host();
    double bytes = usual_bytes;
    if (!host.caches.empty()) {
        Bytes all;
        for (const Cache& cache : host.caches) {
            all += capacity_for(cache, threads);
        }
        bytes = 2 * all.value;
    }
    return static_cast<std::size_t>(std::min(bytes, max_bytes));
}

CachePreparation::CachePreparation(CacheState state, int threads)
    : state_(state), threads_(threads) {
    if (state == CacheState::cold) {
        bytes_ = bytes_beyond_caches(threads);
        written_ = std::make_unique<Arena>(bytes_);
    }
}

void CachePreparation::prepare(const std::function<void()>& run_step) const {
    if (state_ == CacheState::warm) {
        run_step();
    }
    if (state_ == CacheState::cold) {
        const std::size_t part = bytes_ / static_cast<std::size_t>(threads_);
        std::byte* begin = written_->at(0);
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (int thread = 0; thread < threads_; ++thread) {
            // Volatile, one write per cache line: a fill might bypass the caches.
            auto* line = begin + static_cast<std::size_t>(thread) * part;
            for (std::size_t at = 0; at + 64 <= part; at += 64) {
                *reinterpret_cast<volatile std::uint64_t*>(line + at) = at;
            }
        }
    }
}

}  // namespace strata::cpu
