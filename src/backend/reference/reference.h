// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

namespace strata {

// The reference backend, which defines correct results: every layer by plain loops with double
// accumulation, every tensor in its own row-major memory whatever Scheduling::memory says, no
// reorders. Contributions to the gradient of a tensor with several readers are added up by the
// steps that compute them. Always computes in f32.
std::unique_ptr<Backend> make_reference_backend();

}  // namespace strata
