// SPDX-License-Identifier: MIT
#include "store/profile_rows.h"

namespace strata {

namespace {

std::uint32_t count_at(const Statement& row, int column) {
    return static_cast<std::uint32_t>(row.integer(column));
}

LaunchExtent extent_at(const Statement& row, int column) {
    return {count_at(row, column), count_at(row, column + 1), count_at(row, column + 2)};
}

}  // namespace

std::optional<LaunchShape> launch_at(const Statement& row, int column) {
    if (row.is_null(column)) {
        return {};
    }
    return LaunchShape{.grid = extent_at(row, column),
                       .block = extent_at(row, column + 3),
                       .registers = count_at(row, column + 6),
                       .static_shared = {row.real(column + 7)},
                       .dynamic_shared = {row.real(column + 8)}};
}

}  // namespace strata
