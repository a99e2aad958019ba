// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace strata::cpu {

// A table of rows of floats and the indices into it; one below zero counts from the end.
struct Table {
    std::size_t rows = 0;
    std::size_t width = 0;
    std::size_t indices = 0;  // how many
};

// y[i] = table[index[i]], row by row. Throws Error where an index names no row.
void gather_rows(const Table& shape, const float* table, const std::int32_t* index, float* y);

// gradient[r] = sum over the i that name r of dy[i]; 0 where none does. Throws Error likewise.
void add_into_rows(const Table& shape, const float* dy, const std::int32_t* index, float* gradient);

}  // namespace strata::cpu
