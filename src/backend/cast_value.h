// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

namespace strata {

// `value` converted to this type, held as a float: integers are truncated towards zero and clamped
// to their range (NaN becomes 0), booleans are 0 or 1, f16 and bf16 are rounded to nearest, ties to
// even. f64 is no more precise than the float that holds it.
float cast_value(float value, DataType dtype);

}  // namespace strata
