// SPDX-License-Identifier: MIT
#pragma once

#include "measure/diagnose.h"

namespace strata {

// The conditions of a measurement, known before its first sample.
struct Circumstances {
    int threads = 1;         // that compute
    int processors = 1;      // that this process may use
    bool is_shared = false;  // another strata was measuring on this machine at the start
};

// Doubts for that alone:
//
//   oversubscribed   more threads than processors: they take turns, and wait for each other
//   shared-machine   another strata measured at the same time
std::vector<Doubt> diagnose(const Circumstances& circumstances);

}  // namespace strata
