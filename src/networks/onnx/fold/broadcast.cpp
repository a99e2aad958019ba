// SPDX-License-Identifier: MIT
#include "networks/onnx/fold/broadcast.h"

#include <algorithm>

namespace strata {

std::optional<Dims> broadcast_dims(std::span<const Dims> shapes) {
    std::size_t rank = 0;
    for (const Dims& shape : shapes) {
        rank = std::max(rank, shape.size());
    }
    Dims common(rank, 1);
    for (const Dims& shape : shapes) {
        const std::size_t missing = rank - shape.size();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            std::int64_t& extent = common[missing + i];
            if (extent != shape[i] && extent != 1 && shape[i] != 1) {
                return std::nullopt;
            }
            extent = extent == 1 ? shape[i] : extent;
        }
    }
    return common;
}

std::vector<std::int64_t> broadcast_elements(const Dims& from, const Dims& to) {
    std::vector<std::int64_t> elements(static_cast<std::size_t>(product(to)));
    if (elements.empty()) {
        return elements;
    }
    Dims steps(to.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        const std::int64_t extent = from[from.size() - i];
        steps[to.size() - i] = extent == 1 ? 0 : stride;
        stride *= extent;
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
        auto rest = static_cast<std::int64_t>(i);
        for (std::size_t axis = to.size(); axis-- > 0;) {
            elements[i] += rest % to[axis] * steps[axis];
            rest /= to[axis];
        }
    }
    return elements;
}

}  // namespace strata
