// SPDX-License-Identifier: MIT
#pragma once

#include "view/doctor.h"

#include <string>
#include <vector>

namespace strata {

// What strata finds on this machine: processor and its counters, threads and their quota, ceilings,
// backends, the database, what the report needs. `database` is the --database flag, may be empty.
std::vector<DoctorFinding> examine_machine(const std::string& database);

}  // namespace strata
