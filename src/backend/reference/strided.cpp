// SPDX-License-Identifier: MIT
#include "backend/reference/strided.h"

namespace strata {

Strided::Strided(const Dims& result, std::size_t first, const Dims& steps) : first_(first) {
    for (std::size_t axis = result.size(); axis-- > 0;) {
        axes_.push_back({static_cast<std::size_t>(result[axis]), steps[axis]});
    }
}

std::size_t Strided::operator()(std::size_t index) const {
    auto offset = static_cast<std::int64_t>(first_);
    for (const Axis& axis : axes_) {
        offset += static_cast<std::int64_t>(index % axis.extent) * axis.step;
        index /= axis.extent;
    }
    return static_cast<std::size_t>(offset);
}

Dims row_major_steps(const Dims& dims) {
    Dims steps(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;) {
        steps[axis - 1] = steps[axis] * dims[axis];
    }
    return steps;
}

}  // namespace strata
