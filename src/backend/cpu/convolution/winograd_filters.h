// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"
#include "backend/cpu/convolution/winograd_codelets.h"

namespace strata::cpu::winograd {

// Filters w[K, C, R, R] as a pass sees them: `rows` are summed over, `columns` are results. These
// are C and K in the forward pass; K and C, with each filter rotated by 180 degrees, in the
// backward-data pass.
struct FilterLayout {
    std::size_t outputs = 0;  // K
    std::size_t inputs = 0;   // C
    std::size_t side = 0;     // R
    FilterOrder order = FilterOrder::oihw;

    std::size_t block() const;            // 1 for plain filters
    std::ptrdiff_t element_step() const;  // between the elements of one filter
    std::ptrdiff_t output_offset(std::size_t k) const;
    std::ptrdiff_t input_offset(std::size_t c) const;
};

// Transformed filters, or the sums of products from which their gradient is computed: for each
// panel of 64 columns and each point a matrix [rows][64].
struct TransformedFilters {
    float* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t points = 0;

    // Planes are a line longer than necessary, because caches hold few lines whose distance is a
    // power of two.
    std::size_t point_floats() const { return rows * 64 + 16; }
    std::size_t panels() const { return (columns + 63) / 64; }
    std::size_t floats() const { return panels() * points * point_floats(); }
    float* at(std::size_t panel, std::size_t point) const {
        return data + (panel * points + point) * point_floats();
    }
    // Columns of a panel that a product needs: a multiple of 16.
    std::size_t columns_of(std::size_t panel) const;
};

// Blocks of 16 x 16 filters, each a separate task.
std::size_t filter_tasks(const TransformedFilters& filters);

void transform_filters(const FilterLayout& layout, const float* weight, bool turned,
                       Codelet codelet, std::size_t task, const TransformedFilters& to);

// Rows are inputs, columns outputs.
void transform_to_filters(const TransformedFilters& from, Codelet codelet, std::size_t task,
                          const FilterLayout& layout, float* weight);

}  // namespace strata::cpu::winograd
