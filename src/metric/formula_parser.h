// SPDX-License-Identifier: MIT
#pragma once

#include "metric/formula.h"

#include <string_view>
#include <vector>

namespace strata {

// The steps of a formula in postfix order. Throws Error that names the place.
std::vector<FormulaStep> parse_formula(std::string_view text);

}  // namespace strata
