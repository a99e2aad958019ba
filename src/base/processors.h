// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace strata {

// Numbers of the processors that this process may use, ascending. The affinity is read when the
// program, or the module that holds this, is loaded: later the calling thread may have been bound
// to one of them.
const std::vector<int>& allowed_processors();

}  // namespace strata
