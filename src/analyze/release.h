// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/observed.h"
#include "published/reproduction.h"
#include "record/released_table.h"

#include <map>
#include <string>

namespace strata {

// The authors' released data: networks by platform, and raw files.
struct Release {
    std::map<std::string, Observations> networks = {};
    ReleasedTables tables = {};
};

// A quantity of released measurements by its name in a reproduction: "weight of NAME" and "r
// squared" of the linear regression on everything that varies, "largest", "smallest", "mean",
// "count", "share above 1"; for one file's metric, or the ratio of two files' throughputs. For
// columns: "largest", "smallest", "mean", "count", "count below", "share below"; rows without a
// number are left out. Throws Error with exit code usage that names a missing file or an unknown
// quantity or column.
double quantity_of(const FromRelease& asked, const Release& release);

}  // namespace strata
