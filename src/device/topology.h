// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <span>
#include <string>
#include <vector>

namespace strata {

// A data or unified cache as one processor sees it.
struct Cache {
    int level = 1;
    Bytes size = {};  // of one instance
    int shared_by =
        1;  // processors that share an instance, whether or not this process may use them
};

// How the processors of a machine share cores and caches.
struct Topology {
    // One processor of each core, neighbours first, then the cores' other hardware threads: n
    // threads on the first n of them share no core if there are n cores.
    std::vector<int> processors = {};
    int cores = 0;  // number of cores that these processors belong to
    std::vector<Cache> caches =
        {};  // of the first processor, nearest first; empty: nothing is known
};

// The topology, by hwloc, of the processors that a process may use. `synthetic` describes a machine
// to use instead of this one, in hwloc's notation: "core:4 pu:2". If hwloc finds nothing, the
// processors keep their order.
Topology detect_topology(std::span<const int> allowed, const std::string& synthetic = "");

// The topology of this machine's allowed_processors(). Computed once, because it takes about 20 ms.
const Topology& this_topology();

}  // namespace strata
