// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

namespace strata::cpu {

// oneDNN on this machine's processors: every operator as the library's best primitive, layouts
// propagated from layer to layer, loops of our own where the library has nothing.
std::unique_ptr<Backend> make_backend();

}  // namespace strata::cpu
