// SPDX-License-Identifier: MIT
#include "base/processors.h"

#include <sched.h>

#include <cstddef>

namespace strata {

namespace {

std::vector<int> processors_of_this_thread() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) {
        return {0};
    }
    std::vector<int> processors;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(static_cast<std::size_t>(i), &set)) {
            processors.push_back(i);
        }
    }
    return processors;
}

[[maybe_unused]] const auto& asked_at_load = allowed_processors();

}  // namespace

const std::vector<int>& allowed_processors() {
    static const std::vector<int> processors = processors_of_this_thread();
    return processors;
}

}  // namespace strata
