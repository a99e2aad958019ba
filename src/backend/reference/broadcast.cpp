// SPDX-License-Identifier: MIT
#include "backend/reference/broadcast.h"

namespace strata {

Broadcast::Broadcast(const Dims& operand, const Dims& result) : identical_(operand == result) {
    std::size_t step = 1;
    for (std::size_t from_end = 1; from_end <= result.size(); ++from_end) {
        const std::int64_t own =
            from_end <= operand.size() ? operand[operand.size() - from_end] : 1;
        axes_.push_back({.extent = static_cast<std::size_t>(result[result.size() - from_end]),
                         .step = own == 1 ? 0 : step});
        step *= static_cast<std::size_t>(own);
    }
}

std::size_t Broadcast::operator()(std::size_t index) const {
    if (identical_) {
        return index;
    }
    std::size_t offset = 0;
    for (const Axis& axis : axes_) {
        offset += index % axis.extent * axis.step;
        index /= axis.extent;
    }
    return offset;
}

}  // namespace strata
