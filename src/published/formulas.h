// SPDX-License-Identifier: MIT
#pragma once

#include "published/reproduction.h"

namespace strata {

// The value of a formula that stands in a publication and that counting a network cannot give, by
// THE list. Throws Error that names a formula or an argument that is unknown or missing.
double evaluate(const Formula& formula);

}  // namespace strata
