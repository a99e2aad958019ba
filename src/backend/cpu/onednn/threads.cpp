// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/threads.h"

#include "device/topology.h"

#include <omp.h>
#include <sched.h>

#include <cstddef>
#include <span>

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace strata::cpu {

namespace {

void bind_to(std::span<const int> processors) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (const int processor : processors) {
        CPU_SET(static_cast<std::size_t>(processor), &mask);
    }
    sched_setaffinity(0, sizeof(mask), &mask);
}

// Denormal numbers count as zero in this thread, as operands and as results. Gradients of a network
// with random weights are full of them, and a processor takes some hundred cycles for each: a step
// of AlexNet took 0.6 to 4.5 s, depending on the seed of its weights and on the iteration (Intel
// Xeon, AVX-512).
void flush_denormals() {
#if defined(__SSE__)
    constexpr unsigned flush_to_zero = 0x8000;
    constexpr unsigned denormals_are_zero = 0x0040;
    _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
#endif
}

}  // namespace

int set_threads(int threads, bool pinned) {
    const std::span<const int> allowed = this_topology().processors;
    const int count = threads > 0 ? threads : static_cast<int>(allowed.size());
    omp_set_dynamic(0);
    omp_set_num_threads(count);
#pragma omp parallel num_threads(count)
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        flush_denormals();
        bind_to(pinned ? allowed.subspan(thread % allowed.size(), 1) : allowed);
    }
    return count;
}

}  // namespace strata::cpu
