// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace strata::cpu {

// data[outer, extent, inner] and indices -> y[outer, indices, inner], all row-major.
struct GatherShape {
    std::int64_t outer = 1;
    std::int64_t extent = 1;
    std::int64_t indices = 1;
    std::int64_t inner = 1;
};

// Copies the row of each index (backend/semantics.h); elements have `element_bytes`: 1, 2 or 4.
// Whole numbers index a table: one out of range throws Error.
void gather_slices(const GatherShape& shape, std::size_t element_bytes, const void* data,
                   const float* indices, void* y);
void gather_rows(const GatherShape& shape, std::size_t element_bytes, const void* table,
                 const std::int32_t* indices, void* y);

// dx = 0, then each row of dy is added to the row that it was read from, in the order of the
// indices: the sum does not depend on the number of threads.
void add_slices(const GatherShape& shape, const float* dy, const float* indices, float* dx);
void add_rows(const GatherShape& shape, const float* dy, const std::int32_t* indices, float* dx);

}  // namespace strata::cpu
