// SPDX-License-Identifier: MIT
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace strata::cpu {

// Calls work(begin, end) on each thread for its run of elements, which begins at a cache line.
template <class Work>
void share_out(std::size_t count, Work&& work) {
    constexpr std::size_t line = 16;
#pragma omp parallel if (count > 4096)
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
