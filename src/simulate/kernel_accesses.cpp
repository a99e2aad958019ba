// SPDX-License-Identifier: MIT
#include "simulate/kernel_accesses.h"

namespace strata {

namespace {

// The mask of a line's sectors in a half-open range.
std::uint8_t mask_of(std::uint64_t first, std::uint64_t end) {
    return static_cast<std::uint8_t>((1U << end) - (1U << first));
}

}  // namespace

void RangeAccesses::end() {
    while (first_ < end_) {
        const std::uint64_t line = first_ / sectors_of_line;
        const std::uint64_t within = first_ % sectors_of_line;
        const std::uint64_t full_lines = within == 0 ? (end_ - first_) / sectors_of_line : 0;
        TileAccess access{.tile = {.first = static_cast<LineNumber>(line),
                                   .rows = 1,
                                   .lines_per_row = 1,
                                   .pitch = 0},
                          .kind = kind_};
        if (full_lines > 0) {
            access.tile.lines_per_row = static_cast<std::uint32_t>(full_lines);
            first_ += full_lines * sectors_of_line;
        } else {
            const std::uint64_t end = std::min(end_ - line * sectors_of_line, sectors_of_line);
            access.sectors = mask_of(within, end);
            first_ = line * sectors_of_line + end;
        }
        accesses_.push_back(access);
    }
    end_ = first_;
}

}  // namespace strata
