// SPDX-License-Identifier: MIT
#include "simulate/product_accesses.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace strata {

namespace {

std::int64_t quotient_up(std::int64_t value, std::int64_t part) {
    return value / part + (value % part != 0 ? 1 : 0);
}

// The positions q of a window's row with 0 <= q stride + offset < extent, within [first, end).
struct Inside {
    std::int64_t first, end;
};
Inside inside(std::int64_t first, std::int64_t end, std::int64_t stride, std::int64_t offset,
              std::int64_t extent) {
    if (offset < 0) {
        first = std::max(first, quotient_up(-offset, stride));
    }
    end = std::min(end, offset >= extent ? 0 : quotient_up(extent - offset, stride));
    return {first, end};
}

// Appends pixels [i, i_end) of one element of the window.
void append_element(const WindowView& view, std::uint64_t plane, std::int64_t i, std::int64_t i_end,
                    std::int64_t r, std::int64_t s, std::uint64_t element_bytes,
                    RangeAccesses& ranges) {
    const std::int64_t positions = view.positions_h * view.positions_w;
    const std::int64_t image_elements = view.channels_of_image * view.height * view.width;
    const bool is_dense = static_cast<std::uint64_t>(view.stride_w) * element_bytes <= sector_bytes;
    while (i < i_end) {
        const std::int64_t image = i / positions;
        const std::int64_t p = i % positions / view.positions_w;
        const std::int64_t q = i % view.positions_w;
        const std::int64_t count = std::min(i_end - i, view.positions_w - q);
        i += count;
        const std::int64_t h = p * view.stride_h - view.pad_h + r * view.dilation_h;
        if (h < 0 || h >= view.height) {
            continue;
        }
        const std::int64_t offset = s * view.dilation_w - view.pad_w;
        const Inside row = inside(q, q + count, view.stride_w, offset, view.width);
        const std::uint64_t start =
            plane + static_cast<std::uint64_t>(image * image_elements + h * view.width + offset) *
                        element_bytes;
        const auto at = [&](std::int64_t position) {
            return start + static_cast<std::uint64_t>(position * view.stride_w) * element_bytes;
        };
        if (is_dense && row.first < row.end) {
            ranges.add(at(row.first), at(row.end - 1) + element_bytes);
        }
        for (std::int64_t one = row.first; !is_dense && one < row.end; ++one) {
            ranges.add(at(one), at(one) + element_bytes);
        }
    }
}

Part part_of(const OperandView& operand, std::int64_t outer, std::int64_t outer_end,
             std::int64_t inner, std::int64_t inner_end) {
    return operand.is_transposed ? Part{inner, inner_end, outer, outer_end}
                                 : Part{outer, outer_end, inner, inner_end};
}

}  // namespace

void append_part(const MatrixView& view, const Part& part, std::int64_t batch,
                 std::uint64_t element_bytes, AccessKind kind, std::vector<TileAccess>& accesses) {
    const std::uint64_t start = view.base + static_cast<std::uint64_t>(batch) * view.batch_pitch +
                                static_cast<std::uint64_t>(part.i) * view.pitch;
    const std::uint64_t begin = static_cast<std::uint64_t>(part.j) * element_bytes;
    const std::uint64_t end = static_cast<std::uint64_t>(part.j_end) * element_bytes;
    const auto rows = static_cast<std::uint32_t>(part.i_end - part.i);
    const bool rows_start_lines = start % line_bytes == 0 && view.pitch % line_bytes == 0;
    const bool is_within_line = begin / line_bytes == (end - 1) / line_bytes;
    const bool is_of_lines = begin % line_bytes == 0 && end % line_bytes == 0;
    if (rows_start_lines && begin % sector_bytes == 0 && (is_within_line || is_of_lines)) {
        TileAccess access{
            .tile = {.first = static_cast<LineNumber>((start + begin) / line_bytes),
                     .rows = rows,
                     .lines_per_row = is_within_line
                                          ? 1
                                          : static_cast<std::uint32_t>((end - begin) / line_bytes),
                     .pitch = static_cast<LineNumber>(view.pitch / line_bytes)},
            .kind = kind,
            .is_whole = true};
        if (is_within_line) {
            const std::uint64_t first = begin % line_bytes / sector_bytes;
            const std::uint64_t last = (end - 1) % line_bytes / sector_bytes;
            access.sectors = static_cast<std::uint8_t>((2U << last) - (1U << first));
        }
        accesses.push_back(access);
        return;
    }
    RangeAccesses ranges(kind, accesses);
    for (std::uint32_t row = 0; row < rows; ++row) {
        ranges.add(start + row * view.pitch + begin, start + row * view.pitch + end);
    }
}

void append_part(const WindowView& view, const Part& part, std::int64_t batch,
                 std::uint64_t element_bytes, AccessKind kind, std::vector<TileAccess>& accesses) {
    const std::uint64_t start = view.base + static_cast<std::uint64_t>(batch) * view.batch_pitch;
    const std::int64_t window = view.kernel_h * view.kernel_w;
    RangeAccesses ranges(kind, accesses);
    for (std::int64_t j = part.j; j < part.j_end; ++j) {
        const std::uint64_t plane =
            start +
            static_cast<std::uint64_t>(j / window * view.height * view.width) * element_bytes;
        append_element(view, plane, part.i, part.i_end, j % window / view.kernel_w,
                       j % view.kernel_w, element_bytes, ranges);
        ranges.end();
    }
}

ProductAccesses::ProductAccesses(const TiledProduct& product) : product_(product) {
    for (const std::int64_t extent :
         {product.batch, product.m, product.n, product.k, product.tile_m, product.tile_n,
          product.tile_k, product.splits}) {
        if (extent < 1 || extent > std::numeric_limits<std::int32_t>::max()) {
            throw Error(fmt::format("a product with an extent of {} cannot be simulated", extent));
        }
    }
    columns_ = quotient_up(product.n, product.tile_n);
    rows_ = quotient_up(product.m, product.tile_m);
    depth_ = quotient_up(quotient_up(product.k, product.splits), product.tile_k) * product.tile_k;
    sum_steps_ = static_cast<std::uint64_t>(depth_ / product.tile_k);
}

std::uint64_t ProductAccesses::blocks() const {
    return static_cast<std::uint64_t>(columns_ * rows_ * product_.batch * product_.splits);
}

void ProductAccesses::append(std::uint64_t block, std::uint64_t step,
                             std::vector<TileAccess>& accesses) const {
    const auto number = static_cast<std::int64_t>(block);
    const std::int64_t column = number % columns_ * product_.tile_n;
    const std::int64_t row = number / columns_ % rows_ * product_.tile_m;
    const std::int64_t batch = number / columns_ / rows_ % product_.batch;
    const std::int64_t split = number / columns_ / rows_ / product_.batch;
    const std::int64_t row_end = std::min(row + product_.tile_m, product_.m);
    const std::int64_t column_end = std::min(column + product_.tile_n, product_.n);
    const auto append = [&](const OperandView& operand, const Part& part, AccessKind kind) {
        std::visit(
            [&](const auto& view) {
                append_part(view, part, batch, product_.element_bytes, kind, accesses);
            },
            operand.view);
    };
    if (step < sum_steps_) {
        const std::int64_t k = split * depth_ + static_cast<std::int64_t>(step) * product_.tile_k;
        const std::int64_t k_end =
            std::min({k + product_.tile_k, (split + 1) * depth_, product_.k});
        if (k >= k_end) {
            return;
        }
        append(product_.a, part_of(product_.a, row, row_end, k, k_end), AccessKind::read);
        if (product_.b) {
            append(*product_.b, part_of(*product_.b, column, column_end, k, k_end),
                   AccessKind::read);
        }
        return;
    }
    if (product_.splits > 1) {
        const MatrixView partial{
            .base = product_.partial_sums +
                    static_cast<std::uint64_t>((split * product_.batch + batch) * product_.m *
                                               product_.n) *
                        product_.element_bytes,
            .pitch = static_cast<std::uint64_t>(product_.n) * product_.element_bytes,
            .batch_pitch = 0};
        append({.view = partial}, {row, row_end, column, column_end}, AccessKind::write);
    } else if (product_.c) {
        append(*product_.c, part_of(*product_.c, row, row_end, column, column_end),
               AccessKind::write);
    }
}

}  // namespace strata
