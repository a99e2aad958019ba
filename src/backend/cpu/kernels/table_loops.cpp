// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/table_loops.h"

#include "base/error.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstring>

namespace strata::cpu {

namespace {

std::size_t row_of(std::int32_t index, std::size_t rows) {
    const std::int64_t from_start = index < 0 ? index + static_cast<std::int64_t>(rows) : index;
    return static_cast<std::size_t>(from_start);  // beyond every row if it is still negative
}

// Checked before any thread reads a row: an exception cannot leave a parallel region.
void require_rows(const Table& shape, const std::int32_t* index) {
    for (std::size_t i = 0; i < shape.indices; ++i) {
        if (row_of(index[i], shape.rows) >= shape.rows) {
            throw Error(fmt::format(
                "embedding: index {} is outside the table of {} rows; give indices below {}",
                index[i], shape.rows, shape.rows));
        }
    }
}

void add_row(const float* from, float* to, std::size_t width) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < width; ++i) {
        to[i] += from[i];
    }
}

}  // namespace

void gather_rows(const Table& shape, std::size_t element_bytes, const void* table,
                 const std::int32_t* index, void* y) {
    require_rows(shape, index);
    const std::size_t row = shape.width * element_bytes;
#pragma omp parallel for if (shape.indices * shape.width > 4096)
    for (std::size_t i = 0; i < shape.indices; ++i) {
        std::memcpy(static_cast<std::byte*>(y) + i * row,
                    static_cast<const std::byte*>(table) + row_of(index[i], shape.rows) * row, row);
    }
}

// Each thread clears its own rows and adds to them in the order of the indices, so the sum does not
// depend on the number of threads.
void add_into_rows(const Table& shape, const float* dy, const std::int32_t* index,
                   float* gradient) {
    require_rows(shape, index);
#pragma omp parallel if (shape.rows * shape.width > 4096)
    {
        const auto threads = static_cast<std::size_t>(omp_get_num_threads());
        const auto self = static_cast<std::size_t>(omp_get_thread_num());
        const std::size_t begin = shape.rows * self / threads;
        const std::size_t end = shape.rows * (self + 1) / threads;
        std::fill(gradient + begin * shape.width, gradient + end * shape.width, 0.0F);
        for (std::size_t i = 0; i < shape.indices; ++i) {
            const std::size_t row = row_of(index[i], shape.rows);
            if (row >= begin && row < end) {
                add_row(dy + i * shape.width, gradient + row * shape.width, shape.width);
            }
        }
    }
}

}  // namespace strata::cpu
