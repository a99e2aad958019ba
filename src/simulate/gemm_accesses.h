// SPDX-License-Identifier: MIT
#pragma once

#include "simulate/kernel_accesses.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace strata {

// How a GPU's kernel computes C = A B with row-major A (m x k), B (k x n) and C (m x n): each
// thread block (CTA) computes a tile of C in steps of tile_k; `blocks_in_flight` blocks run
// at once, step by step. Extents must be multiples of the tile's, and those of a line's
// elements.
struct GemmTiling {
    std::uint32_t m = 0, n = 0, k = 0;
    std::uint32_t tile_m = 128, tile_n = 128, tile_k = 8;
    std::uint32_t blocks_in_flight = 1;
    std::uint32_t element_bytes = 4;
    std::uint32_t line_bytes = 128;
};

// The accesses of such a kernel to the second-level cache, in order: for each wave of blocks, for
// each step, for each block a slice of A (its rows, as wide as a line) and one of B (the step's
// rows); after the last step each block's tile of C. Accesses served by first-level caches and
// shared memory are left out.
class GemmAccesses {
public:
    // Throws Error for extents that do not divide.
    explicit GemmAccesses(const GemmTiling& tiling);

    std::size_t tiles() const { return std::size_t{a_tiles_} + b_tiles_ + c_tiles_; }
    LineTile tile(std::uint32_t number) const;

    // Calls touch(tile's number, kind) for each access.
    template <class Touch>
    void visit(Touch&& touch) const {
        const std::uint32_t blocks = rows_ * columns_;
        for (std::uint32_t wave = 0; wave < blocks; wave += tiling_.blocks_in_flight) {
            const std::uint32_t end = std::min(blocks, wave + tiling_.blocks_in_flight);
            for (std::uint32_t step = 0; step < steps_; ++step) {
                const std::uint32_t group = step * tiling_.tile_k / line_elements_;
                for (std::uint32_t block = wave; block < end; ++block) {
                    touch(block / columns_ * groups_ + group, AccessKind::read);
                    touch(a_tiles_ + step * columns_ + block % columns_, AccessKind::read);
                }
            }
            for (std::uint32_t block = wave; block < end; ++block) {
                touch(a_tiles_ + b_tiles_ + block, AccessKind::write);
            }
        }
    }

private:
    GemmTiling tiling_;
    std::uint32_t line_elements_ = 0;
    std::uint32_t rows_ = 0, columns_ = 0;  // of tiles of C
    std::uint32_t steps_ = 0;               // along k
    std::uint32_t groups_ = 0;              // lines along k
    std::uint32_t a_tiles_ = 0, b_tiles_ = 0, c_tiles_ = 0;
    LineNumber b_first_ = 0, c_first_ = 0;
};

}  // namespace strata
