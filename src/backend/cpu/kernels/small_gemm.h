// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace strata::cpu {

// A matrix of floats with arbitrary strides: element (i, k) is at data[i * row + k * depth].
struct LeftMatrix {
    const float* data = nullptr;
    std::ptrdiff_t row = 0;
    std::ptrdiff_t depth = 1;
};

// Contiguous rows, `row` floats apart.
struct RightMatrix {
    const float* data = nullptr;
    std::ptrdiff_t row = 0;
};
struct ResultMatrix {
    float* data = nullptr;
    std::ptrdiff_t row = 0;
};

struct ProductExtents {
    std::size_t rows = 0;
    std::size_t columns = 0;  // a multiple of 16
    std::size_t depth = 0;
};

// Whether a product overwrites its result or is added to it.
enum class Into { overwrite, add };

enum class Relu { none, applied };

// The work after a product, while its result is in the caches.
struct Epilogue {
    const float* bias = nullptr;  // added to each row; null: none
    Relu relu = Relu::none;
};

// c = a b or c += a b on the calling thread, for matrices that fit into its caches. Calling the
// library costs as much as such a product takes. Reaches nine tenths of the processor's peak with
// AVX-512 and with AVX2.
void small_gemm(const ProductExtents& extents, const LeftMatrix& a, const RightMatrix& b,
                const ResultMatrix& c, Into into);

// Whether products use AVX-512 registers; without them the library is faster if b is read once.
bool has_register_tiles();

// Transposes rows[count][width] into panels [width][64] of 64 rows each, the last padded with
// zeros: the right matrix of a product with those rows. `panels` holds `panel_floats`.
void transpose_to_panels(const RightMatrix& rows, std::size_t count, std::size_t width,
                         float* panels);

inline constexpr std::size_t panel_columns = 64;
constexpr std::size_t round_up(std::size_t count, std::size_t multiple) {
    return (count + multiple - 1) / multiple * multiple;
}
constexpr std::size_t panel_floats(std::size_t count, std::size_t width) {
    return round_up(count, panel_columns) * width;
}

// c = a times the transpose of the matrix from which `panels` was made, which has `columns` rows.
void gemm_by_panels(const ProductExtents& extents, const LeftMatrix& a, const float* panels,
                    const ResultMatrix& c);

// c = a b or c += a b for one panel [depth][64] that is read once: meanwhile the following panel of
// the same size, which need not exist, is prefetched into the L2 cache.
void gemm_by_panel(std::size_t rows, std::size_t depth, const LeftMatrix& a, const float* panel,
                   const ResultMatrix& c, Into into);

}  // namespace strata::cpu
