// SPDX-License-Identifier: MIT
#include "simulate/gemm_accesses.h"

#include "base/error.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::uint32_t quotient(std::uint32_t extent, std::uint32_t part, const char* what) {
    if (part == 0 || extent == 0 || extent % part != 0) {
        throw Error(
            fmt::format("a product's {} of {} is not a multiple of {}", what, extent, part));
    }
    return extent / part;
}

}  // namespace

GemmAccesses::GemmAccesses(const GemmTiling& tiling)
    : tiling_(tiling),
      line_elements_(quotient(tiling.line_bytes, tiling.element_bytes, "line")),
      rows_(quotient(tiling.m, tiling.tile_m, "m")),
      columns_(quotient(tiling.n, tiling.tile_n, "n")),
      steps_(quotient(tiling.k, tiling.tile_k, "k")),
      groups_(quotient(tiling.k, line_elements_, "k")),
      a_tiles_(rows_ * groups_),
      b_tiles_(steps_ * columns_),
      c_tiles_(rows_ * columns_) {
    quotient(tiling.tile_n, line_elements_, "tile's width");
    const std::uint64_t a = std::uint64_t{tiling.m} * groups_;
    const std::uint64_t n_lines = tiling.n / line_elements_;
    const std::uint64_t all = a + n_lines * (std::uint64_t{tiling.k} + tiling.m);
    if (all >= no_line || tiling.blocks_in_flight == 0) {
        throw Error(fmt::format("a product of {} x {} x {} has too many lines to simulate",
                                tiling.m, tiling.n, tiling.k));
    }
    b_first_ = static_cast<LineNumber>(a);
    c_first_ = static_cast<LineNumber>(a + n_lines * tiling.k);
}

LineTile GemmAccesses::tile(std::uint32_t number) const {
    const LineNumber pitch = tiling_.n / line_elements_;
    const std::uint32_t width = tiling_.tile_n / line_elements_;
    if (number < a_tiles_) {
        return {number / groups_ * tiling_.tile_m * groups_ + number % groups_, tiling_.tile_m, 1,
                groups_};
    }
    number -= a_tiles_;
    if (number < b_tiles_) {
        return {b_first_ + number / columns_ * tiling_.tile_k * pitch + number % columns_ * width,
                tiling_.tile_k, width, pitch};
    }
    number -= b_tiles_;
    return {c_first_ + number / columns_ * tiling_.tile_m * pitch + number % columns_ * width,
            tiling_.tile_m, width, pitch};
}

}  // namespace strata
