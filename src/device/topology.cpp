// SPDX-License-Identifier: MIT
#include "device/topology.h"

#include "base/processors.h"

#include <hwloc.h>

#include <algorithm>
#include <memory>

namespace strata {

namespace {

using Machine = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

// Nothing if hwloc cannot describe the machine.
Machine load(const std::string& synthetic) {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) {
        return {nullptr, hwloc_topology_destroy};
    }
    Machine machine(raw, hwloc_topology_destroy);
    // All processors that share a cache count, whether or not this process may run on them.
    hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
    const bool described =
        synthetic.empty() || hwloc_topology_set_synthetic(raw, synthetic.c_str()) == 0;
    if (!described || hwloc_topology_load(raw) != 0) {
        machine.reset();
    }
    return machine;
}

bool is_among(std::span<const int> processors, unsigned number) {
    return std::ranges::find(processors, static_cast<int>(number)) != processors.end();
}

// The allowed processors of each core; if cores are unknown, each processor by itself.
std::vector<std::vector<int>> processors_by_core(hwloc_topology_t machine,
                                                 std::span<const int> allowed) {
    const bool knows_cores = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE) > 0;
    const hwloc_obj_type_t type = knows_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    std::vector<std::vector<int>> cores;
    for (hwloc_obj_t core = hwloc_get_obj_by_type(machine, type, 0); core != nullptr;
         core = core->next_cousin) {
        std::vector<int> processors;
        for (int at = hwloc_bitmap_first(core->cpuset); at >= 0;
             at = hwloc_bitmap_next(core->cpuset, at)) {
            if (is_among(allowed, static_cast<unsigned>(at))) {
                processors.push_back(at);
            }
        }
        if (!processors.empty()) {
            cores.push_back(std::move(processors));
        }
    }
    return cores;
}

// The first of each core, then the second of each, and so on.
std::vector<int> one_of_each_core_first(const std::vector<std::vector<int>>& cores) {
    std::vector<int> order;
    std::size_t longest = 0;
    for (const auto& core : cores) {
        longest = std::max(longest, core.size());
    }
    for (std::size_t thread = 0; thread < longest; ++thread) {
        for (const auto& core : cores) {
            if (thread < core.size()) {
                order.push_back(core[thread]);
            }
        }
    }
    return order;
}

std::vector<Cache> caches_of(hwloc_topology_t machine, int processor) {
    std::vector<Cache> caches;
    for (hwloc_obj_t object =
             hwloc_get_pu_obj_by_os_index(machine, static_cast<unsigned>(processor));
         object != nullptr; object = object->parent) {
        if (hwloc_obj_type_is_dcache(object->type) && object->attr->cache.size > 0) {
            caches.push_back({.level = static_cast<int>(object->attr->cache.depth),
                              .size = {static_cast<double>(object->attr->cache.size)},
                              .shared_by = hwloc_bitmap_weight(object->cpuset)});
        }
    }
    return caches;
}

}  // namespace

Topology detect_topology(std::span<const int> allowed, const std::string& synthetic) {
    Topology topology{.processors = {allowed.begin(), allowed.end()},
                      .cores = static_cast<int>(allowed.size())};
    const Machine machine = load(synthetic);
    if (!machine) {
        return topology;
    }
    const auto cores = processors_by_core(machine.get(), allowed);
    const auto order = one_of_each_core_first(cores);
    if (order.size() != allowed.size()) {
        return topology;  // keep processors that hwloc does not know
    }
    return {.processors = order,
            .cores = static_cast<int>(cores.size()),
            .caches = caches_of(machine.get(), order.front())};
}

const Topology& this_topology() {
    static const Topology topology = detect_topology(allowed_processors());
    return topology;
}

}  // namespace strata
