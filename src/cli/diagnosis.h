// SPDX-License-Identifier: MIT
#pragma once

#include "view/doctor.h"

#include <string>
#include <vector>

namespace strata {

// What strata finds on this machine: the processor and its counters, threads and their quota,
// ceilings, backends, the database. `database` is the value of --database; it may be empty.
std::vector<DoctorCheck> examine_machine(const std::string& database);

}  // namespace strata
