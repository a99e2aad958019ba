// SPDX-License-Identifier: MIT
#pragma once

#include "simulate/kernel_accesses.h"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace strata {

// Element (i, j) of a matrix lies at base + i pitch + j element_bytes.
struct MatrixView {
    std::uint64_t base = 0;   // all in bytes
    std::uint64_t pitch = 0;  // between rows
    std::uint64_t batch_pitch = 0;
};

// The matrix whose row i is a position (image, p, q) of a sliding window and whose column j is an
// element (channel, r, s) of it, as an implicit GEMM reads it in place (Chetlur et al. 2014): at
//
//     ((image channels_of_image + channel) height + p stride - pad + r dilation) width + q stride
//     ...
//
// With a window of 1 x 1 it is a tensor [N, C, H, W] as a matrix of pixels by channels.
struct WindowView {
    std::uint64_t base = 0;  // bytes
    std::uint64_t batch_pitch = 0;
    std::int64_t channels_of_image = 1;  // of all groups
    std::int64_t height = 1, width = 1;
    std::int64_t positions_h = 1, positions_w = 1;
    std::int64_t kernel_h = 1, kernel_w = 1;
    std::int64_t stride_h = 1, stride_w = 1;
    std::int64_t pad_h = 0, pad_w = 0;
    std::int64_t dilation_h = 1, dilation_w = 1;
};

// One of a product's operands.
struct OperandView {
    std::variant<MatrixView, WindowView> view;
    // Which of (i, j) runs along the sum; for a result, whether j is its row.
    bool is_transposed = false;
};

// C (m x n) = A (m x k) B (k x n) in tiles, batched, each tile split among blocks that sum parts of
// k.
struct TiledProduct {
    std::int64_t batch = 1, m = 1, n = 1, k = 1;
    std::int64_t tile_m = 128, tile_n = 128, tile_k = 8;
    std::int64_t splits = 1;
    std::uint64_t element_bytes = 4;
    OperandView a = {};                 // rows by sum
    std::optional<OperandView> b = {};  // columns by sum; absent for pooling windows
    std::optional<OperandView> c = {};  // rows by columns; absent: nothing is written
    std::uint64_t partial_sums = 0;     // where each split writes C: one base per split
};

// The accesses of such a product's kernel: each block accesses a slice of A and one of B in each
// step, and its tile of C in the last. Blocks are ordered along n, then m, then batch, then
// splits.
class ProductAccesses final : public KernelAccesses {
public:
    // Throws Error for extents below 1 or beyond 31 bits. Requires: addresses have line numbers.
    explicit ProductAccesses(const TiledProduct& product);

    std::uint64_t blocks() const override;
    std::uint64_t steps() const override { return sum_steps_ + 1; }
    void append(std::uint64_t block, std::uint64_t step,
                std::vector<TileAccess>& accesses) const override;

private:
    TiledProduct product_;
    std::int64_t columns_ = 1, rows_ = 1;  // of tiles
    std::int64_t depth_ = 1;               // steps of a split along k
    std::uint64_t sum_steps_ = 1;
};

// The accesses to rows [i, i_end) and columns [j, j_end) of a view.
struct Part {
    std::int64_t i, i_end, j, j_end;
};
void append_part(const MatrixView& view, const Part& part, std::int64_t batch,
                 std::uint64_t element_bytes, AccessKind kind, std::vector<TileAccess>& accesses);
void append_part(const WindowView& view, const Part& part, std::int64_t batch,
                 std::uint64_t element_bytes, AccessKind kind, std::vector<TileAccess>& accesses);

}  // namespace strata
