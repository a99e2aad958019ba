// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

namespace strata {

// The definition of right as a backend: every layer by obvious loops with double accumulation,
// every tensor kept in its own row-major memory whatever Scheduling::memory asks for, no reorders,
// gradients of tensors with several readers added up by the steps that compute them. Always
// computes in f32.
std::unique_ptr<Backend> make_reference_backend();

}  // namespace strata
