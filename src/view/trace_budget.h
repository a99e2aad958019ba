// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "trace/budget.h"

#include <span>
#include <string>

namespace strata {

// How a device spent its time, by layer and pass, with rows that add up to the last:
//
//   layer   pass     kernels  time [us]  share [%]  waited for it [us]
//   conv1   forward        2       41.0       60.3                 1.2
//   ...
//   + unattributed         1        0.9        1.3
//   − overlap                       2.0        2.9
//   + launch gaps                   3.1        4.6
//   = window                       68.0      100
//
// `waited` is the time that the device was idle until a kernel of the layer started. Notes say why
// spans are unattributed, how many records were dropped and how many kernels lack plausible stamps.
// `layers` are names by LayerId; a task beyond them is a bug.
Table trace_table(const TraceBudget& budget, std::span<const std::string> layers);

}  // namespace strata
