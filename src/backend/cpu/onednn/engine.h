// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

namespace strata::cpu {

// oneDNN on this machine's processors: each operator uses the library's best primitive, or our own
// loops if the library has none; layouts are propagated from layer to layer.
std::unique_ptr<Backend> make_backend();

}  // namespace strata::cpu
