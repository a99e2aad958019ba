// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"
#include "device/detect.h"

#include <optional>
#include <string>
#include <string_view>

namespace strata {

// This machine as a device that predictions take: "host" with every processor that this process may
// use, "host-1t" with one, "host-1t-avx2" with one whose library uses no wider instructions than
// AVX2.
struct HostName {
    std::optional<int> threads = {};  // absent: all
    bool is_narrow = false;           // limited to AVX2

    bool operator==(const HostName&) const = default;
};

// Nothing for the name of another device.
std::optional<HostName> host_name_in(std::string_view name);
std::string text_of(const HostName& name);

// What the operating system tells of cores, caches and memory, and the ceilings that
// `strata calibrate` measured with that many threads. Lanes are those of two units of the widest
// registers, and the clock is the one with which they give the measured peak. Bandwidths count read
// and written bytes.
DeviceDescription description_of(const HostName& name, const Host& host, const Device& ceilings);

// The same of this machine, which find_description finds by this name. Throws Error where it was
// not calibrated with that many threads.
DeviceDescription describe_host(const HostName& name);

}  // namespace strata
