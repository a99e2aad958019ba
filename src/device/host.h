// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "device/description.h"
#include "device/topology.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// This machine as the kernel and hwloc describe it.
struct Host {
    std::string model = {};            // "Intel(R) Xeon(R) Platinum 8481C"; "unknown processor"
    std::vector<int> processors = {};  // that this process may use, as in Topology
    std::vector<Cache> caches = {};    // nearest first; empty if nothing is known
    std::optional<Bytes> memory = {};  // installed
    std::vector<std::string> instructions = {};  // the kernel's flags: "avx512_bf16", "amx_tile"
};

// Reads /proc under `root`; processors and caches are always those of this machine.
Host detect_host(const std::filesystem::path& root = "/");

bool has_instructions(const Host& host, std::string_view flag);

// The total cache capacity of `threads` threads on one processor each. A cache that several of
// these processors share counts once.
Bytes capacity_for(const Cache& cache, int threads);

// A name for files and tables: "intel-xeon-platinum-8481c-2t".
std::string device_name(const Host& host, int threads);

// This machine as a device for predictions: "host" with every processor that this
// process may use, "host-1t" with one, "host-1t-avx2" with one and a library limited to
// AVX2.
struct HostName {
    std::optional<int> threads = {};  // absent: all
    bool is_narrow = false;           // limited to AVX2

    bool operator==(const HostName&) const = default;
};

// Nothing if the name is not one of these.
std::optional<HostName> host_name_in(std::string_view name);
std::string text_of(const HostName& name);

// The description of this machine: cores, caches and memory as reported by the operating system,
// and the ceilings that `strata calibrate` measured with that many threads. Lanes assume two units
// of the widest registers, and the clock is the one at which they give the measured peak.
// Bandwidths count bytes read and written.
DeviceDescription description_of(const HostName& name, const Host& host, const Device& ceilings);

// The same for this machine under the name that find_description knows. Throws Error if it was not
// calibrated with that many threads.
DeviceDescription describe_host(const HostName& name);

}  // namespace strata
