// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/threads.h"

#include "device/topology.h"

#include <omp.h>
#include <sched.h>

#include <cstddef>
#include <span>

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

}  // namespace

int set_threads(int threads, bool pinned) {
    const std::span<const int> allowed = this_topology().processors;
    const int count = threads > 0 ? threads : static_cast<int>(allowed.size());
    omp_set_dynamic(0);
    omp_set_num_threads(count);
#pragma omp parallel num_threads(count)
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        bind_to(pinned ? allowed.subspan(thread % allowed.size(), 1) : allowed);
    }
    return count;
}

}  // namespace strata::cpu
