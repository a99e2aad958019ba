// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "trace/budget.h"

#include <span>
#include <string>

namespace strata {

// What a device's time went to, by layer and pass, closed to the last line:
//
//   layer   pass     kernels  time [us]  share [%]  waited for it [us]
//   conv1   forward        2       41.0       60.3                 1.2
//   ...
//   + unattributed         1        0.9        1.3
//   − overlap                       2.0        2.9
//   + launch gaps                   3.1        4.6
//   = window                       68.0      100
//
// `waited` is the time in which the device did nothing until a kernel of the layer started. Below:
// why what is unattributed is so, records that were dropped, kernels without plausible stamps.
// `layers` are names by LayerId; a task beyond them is a bug.
Table trace_table(const TraceBudget& budget, std::span<const std::string> layers);

}  // namespace strata
