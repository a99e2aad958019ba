// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A backend that the command line can name.
struct BackendEntry {
    std::string_view name;
    std::string_view meaning;
    std::unique_ptr<Backend> (*make)();  // throws Error (machine_cannot) where it cannot work here
    bool has_tensor_cores = false;       // also f16, TF32, layouts and trying algorithms
    bool has_profiler = false;           // records kernels and counts (backend/profiling.h)
    bool prepares_caches = false;        // can make them cold or warm before a step
    bool fuses_convolutions = false;     // with the layers that follow them
    // The same with kernels that bypass the L1 cache; null where there is no such choice.
    std::unique_ptr<Backend> (*make_past_l1)() = nullptr;
};

// All backends; the first is the default of `run`.
std::span<const BackendEntry> backends();

std::vector<std::string> backend_names();

// Throws Error with exit code usage that lists the names.
const BackendEntry& find_backend(std::string_view name);

// The backend as the execution needs it built. Requires: require_ability passed.
std::unique_ptr<Backend> make_backend(const BackendEntry& entry, const Execution& execution);

// Throws Error with exit code usage where an execution needs something that the backend lacks: its
// results would be stored under a setting that changed nothing.
void require_ability(const BackendEntry& entry, const Execution& execution,
                     CacheState caches = CacheState::as_left);

// The same for kernels and counters. `option` is the flag that needs them: "--trace".
void require_profiler(const BackendEntry& entry, std::string_view option);

// Throws Error with exit code machine_cannot where this machine lacks what one of the executions
// needs. Called before the first of them is measured.
void require_machine(const BackendEntry& entry, std::span<const Execution> executions);

}  // namespace strata
