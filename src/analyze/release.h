// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/observed.h"
#include "published/reproduction.h"
#include "record/released_table.h"

#include <map>
#include <string>

namespace strata {

// What authors released: networks by the platform they ran on, and files as they are.
struct Release {
    std::map<std::string, Observations> networks = {};
    ReleasedTables tables = {};
};

// A quantity of released measurements, under the name by which a reproduction asks for it: "weight
// of NAME" and "r squared" of the linear regression on everything that varies, "largest",
// "smallest", "mean", "count", "share above 1"; of one file's metric, or of the ratio of two files'
// throughputs. Of columns: "largest", "smallest", "mean", "count", "count below", "share below";
// rows without a number are left out. Throws Error with exit code usage that names a file that was
// not given, or an unknown quantity or column.
double quantity_of(const FromRelease& asked, const Release& release);

}  // namespace strata
