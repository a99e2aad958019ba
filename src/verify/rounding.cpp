// SPDX-License-Identifier: MIT
#include "verify/rounding.h"

#include <cmath>

namespace strata {

double tolerance_of(const SumShape& sum, const Execution& execution, std::string_view algorithm) {
    const double transformed = algorithm.find("winograd") != algorithm.npos ? 4 : 1;
    const double serial = 0x1p-24 * (256 + 12 * std::sqrt(sum.length)) * transformed;
    if (execution.numerics.dtype != DataType::f32) {
        return 0x1p-7 + serial;
    }
    const bool by_tf32 =
        execution.numerics.single_precision == SinglePrecision::tf32 && sum.length > 1;
    return by_tf32 ? 0x1p-8 + serial : serial;
}

}  // namespace strata
