// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace strata {

// Numbers of the processors that this process may use, ascending, as it was started with: asked
// when the program, or the module that holds this, is loaded. A thread that asks the kernel later
// may have been bound to one of them.
const std::vector<int>& allowed_processors();

}  // namespace strata
