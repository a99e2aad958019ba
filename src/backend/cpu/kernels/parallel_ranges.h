// SPDX-License-Identifier: MIT
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace strata::cpu {

// Splits [0, count) into one range per thread and calls work(begin, end) for each. Ranges begin at
// cache lines. `floats` is the number of floats per index: little work is not divided.
// (parallel_for of backend/parallel.h hands out single indices instead.)
template <class Work>
void parallel_ranges(std::size_t count, Work&& work, std::size_t floats = 1) {
    constexpr std::size_t line = 16;
#pragma omp parallel if (count * floats > 4096)
    {
        const auto threads = static_cast<std::size_t>(omp_get_num_threads());
        const auto self = static_cast<std::size_t>(omp_get_thread_num());
        const std::size_t each = (count / threads + line) / line * line;
        const std::size_t begin = std::min(count, self * each);
        const std::size_t end = std::min(count, begin + each);
        if (begin < end) {
            work(begin, end);
        }
    }
}

}  // namespace strata::cpu
