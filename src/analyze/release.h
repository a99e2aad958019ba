// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/observed.h"
#include "published/reproduction.h"

#include <map>
#include <string>

namespace strata {

// A quantity of released measurements, each under the name by which a reproduction asks for it:
// "weight of NAME" and "r squared" of the linear regression on everything that varies, "largest",
// "smallest", "mean", "count", "share above 1"; of one file's metric, or of the ratio of two files'
// throughputs. Throws Error with exit code usage that names a file that was not given, or an
// unknown quantity.
double quantity_of(const FromRelease& asked, const std::map<std::string, Observations>& released);

}  // namespace strata
