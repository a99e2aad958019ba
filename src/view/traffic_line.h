// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/line_fit.h"
#include "view/work_sweep.h"

namespace strata {

// The line of traffic over operations through a network's sizes.
std::optional<LineFit> traffic_line(const WorkSweep& sweep);

}  // namespace strata
