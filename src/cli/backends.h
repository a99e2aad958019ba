// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "record/engines.h"

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
    std::unique_ptr<Backend> (*make)();  // throws Error (machine_cannot) if it cannot work here
    // The same with kernels that bypass the L1 cache; null if there is no such choice.
    std::unique_ptr<Backend> (*make_past_l1)() = nullptr;
    // The same on a GPU, with the option device=cuda; null if it has none.
    std::unique_ptr<Backend> (*make_on_gpu)() = nullptr;
    std::string_view step_timer = "time stamps between the steps";
    // The profiler that --peer-option profiler=on uses for whole iterations; empty: none.
    std::string_view profiler = {};
    bool is_on_gpu = false;   // always
    bool can_be_fed = false;  // accepts --infeed: images that this process makes while it runs
    bool lists_algorithms = false;    // its library does, and for described devices too
    bool has_known_versions = false;  // of its library, which strata doctor compares
    bool is_studied = true;           // by strata study, unless it is told which

    // The backend for this execution.
    std::unique_ptr<Backend> make_for(const Execution& execution) const;
    Capabilities capabilities() const { return capabilities_of(name); }
};

// All backends; the first is the default of `run`.
std::span<const BackendEntry> backends();

std::vector<std::string> backend_names();

// Throws Error with exit code usage, listing the names, if there is none of this name.
const BackendEntry& find_backend(std::string_view name);

// Throws Error with exit code usage if the settings need something that the backend lacks:
// otherwise results would be stored under a setting without effect.
void require_ability(const BackendEntry& entry, const Settings& settings);

// The same for kernels and counters. `option` is the flag that needs them: "--trace".
void require_profiler(const BackendEntry& entry, std::string_view option);

// The same for --infeed.
void require_feeding(const BackendEntry& entry);

// Why this machine cannot run it: it has fewer processors than threads, or the backend lacks
// something. Empty if it can.
std::string refusal_here(Backend& backend, const Execution& execution);

}  // namespace strata
