// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace strata {

// Replaces each x by x - log(sum of exp x). The maximum is subtracted first, so nothing overflows.
void log_softmax(std::span<double> values);

}  // namespace strata
