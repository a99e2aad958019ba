// SPDX-License-Identifier: MIT
#include "backend/onednn/threads.h"

#include <omp.h>
#include <sched.h>

#include <vector>

namespace strata::onednn {

namespace {

cpu_set_t current_mask() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof(mask), &mask);
    return mask;
}

// What the process was started with, asked before the first thread was bound.
const cpu_set_t& allowed_mask() {
    static const cpu_set_t mask = current_mask();
    return mask;
}

std::vector<std::size_t> allowed_list() {
    std::vector<std::size_t> list;
    for (std::size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &allowed_mask())) {
            list.push_back(processor);
        }
    }
    return list;
}

void bind_to(std::size_t processor) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(processor, &mask);
    sched_setaffinity(0, sizeof(mask), &mask);
}

}  // namespace

int allowed_processors() {
    return CPU_COUNT(&allowed_mask());
}

int set_threads(int threads, bool pinned) {
    const std::vector<std::size_t> list = allowed_list();
    const int count = threads > 0 ? threads : allowed_processors();
    omp_set_dynamic(0);
    omp_set_num_threads(count);
#pragma omp parallel num_threads(count)
    {
        if (pinned) {
            bind_to(list[static_cast<std::size_t>(omp_get_thread_num()) % list.size()]);
        } else {
            sched_setaffinity(0, sizeof(cpu_set_t), &allowed_mask());
        }
    }
    return count;
}

}  // namespace strata::onednn
