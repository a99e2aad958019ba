// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace strata {

// This machine's own name.
std::string host_name();

// A unique name of this process: host, process id and start time, because ids are
// reused.
std::string this_process();

// Whether the process with that name still runs on this machine.
bool is_alive(const std::string& process);

}  // namespace strata
