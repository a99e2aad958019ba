// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "device/topology.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// This machine as the kernel and hwloc describe it.
struct Host {
    std::string model = {};            // "Intel(R) Xeon(R) Platinum 8481C"; "unknown processor"
    std::vector<int> processors = {};  // that this process may use, as Topology has them
    std::vector<Cache> caches = {};    // nearest first; empty where nothing is known
    std::optional<Bytes> memory = {};  // installed
    std::vector<std::string> instructions = {};  // the kernel's flags: "avx512_bf16", "amx_tile"
};

// Reads /proc below `root`; processors and caches are always those of this machine.
Host detect_host(const std::filesystem::path& root = "/");

bool has_instructions(const Host& host, std::string_view flag);

// The cache capacity that `threads` threads, on one processor each, have together. A cache shared
// by more processors than are used counts once.
Bytes capacity_for(const Cache& cache, int threads);

// A name for files and tables: "intel-xeon-platinum-8481c-2t".
std::string device_name(const Host& host, int threads);

}  // namespace strata
