// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace strata::cpu {

// A table of rows and indices into it; a negative index counts from the end.
struct Table {
    std::size_t rows = 0;
    std::size_t width = 0;
    std::size_t indices = 0;  // their number
};

// y[i] = table[index[i]], row by row, with elements of `element_bytes`. Throws Error if an index is
// out of range.
void gather_rows(const Table& shape, std::size_t element_bytes, const void* table,
                 const std::int32_t* index, void* y);

// gradient[r] = the sum of dy[i] over every i with index r; 0 if there is none. Throws Error like
// gather_rows.
void add_into_rows(const Table& shape, const float* dy, const std::int32_t* index, float* gradient);

}  // namespace strata::cpu
