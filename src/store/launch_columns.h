// SPDX-License-Identifier: MIT
#pragma once

#include "store/statement.h"
#include "trace/span.h"

#include <optional>

namespace strata {

// The nine columns of a launch, grid_x to dynamic_shared, from this one on; nothing where they are
// NULL.
std::optional<LaunchShape> launch_at(const Statement& row, int column);

}  // namespace strata
