// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

namespace strata {

// The value that an element of this type has in the place of `value`, held as a float: integers are
// cut towards zero and kept within their range (NaN becomes 0), booleans are 0 or 1, f16 and bf16
// are rounded to the nearest, ties to even. f64 is no finer than the float that holds it.
float cast_value(float value, DataType dtype);

}  // namespace strata
