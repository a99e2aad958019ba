// SPDX-License-Identifier: MIT
#include "op/broadcast.h"

#include "op/shape_rule.h"

#include <fmt/format.h>

namespace strata {

namespace {

Dims broadcast_two(std::string_view type, const Dims& a, const Dims& b) {
    Dims longer = a.size() >= b.size() ? a : b;
    const Dims& shorter = a.size() >= b.size() ? b : a;
    const std::size_t shift = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t& extent = longer[i + shift];
        if (extent != shorter[i] && extent != 1 && shorter[i] != 1) {
            refuse(type,
                   fmt::format("shapes {} and {} cannot be broadcast; extents must be equal or 1",
                               to_text(a), to_text(b)));
        }
        extent = extent == 1 ? shorter[i] : extent;
    }
    return longer;
}

}  // namespace

Dims broadcast(std::string_view type, std::span<const Dims> shapes) {
    Dims common;
    for (const Dims& shape : shapes) {
        common = broadcast_two(type, common, shape);
    }
    return common;
}

}  // namespace strata
