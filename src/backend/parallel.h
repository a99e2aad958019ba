// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

namespace strata {

// Calls body(i) for every i in [0, count) on all threads, in any order. `operations` is roughly the
// cost of one call: a loop with little work stays on this thread, because on a busy machine another
// thread can wait milliseconds for its turn.
template <std::integral Index, class Body>
void parallel_for(Index count, double operations, Body&& body) {
    const bool worth_it = static_cast<double>(count) * operations > 1 << 20;
#pragma omp parallel for schedule(guided) if (worth_it)
    for (Index i = 0; i < count; ++i) {
        body(i);
    }
}

}  // namespace strata
