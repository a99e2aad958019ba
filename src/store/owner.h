// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace strata {

// As this machine calls itself.
std::string host_name();

// A name of this process that no other ever has: host, process id, and when it started, because ids
// are used again.
std::string this_process();

// Whether the process of that name still runs on this machine.
bool is_alive(const std::string& process);

}  // namespace strata
