// SPDX-License-Identifier: MIT
#include "backend/reference/axis.h"

namespace strata {

AxisView around_axis(const Dims& dims, std::int64_t axis) {
    const auto at =
        static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(dims.size()) : axis);
    const std::span extents(dims);
    return {static_cast<std::size_t>(product(extents.first(at))),
            static_cast<std::size_t>(extents[at]),
            static_cast<std::size_t>(product(extents.subspan(at + 1)))};
}

}  // namespace strata
