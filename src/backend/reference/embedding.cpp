// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace strata {

namespace {

std::size_t row_of(float index, std::int64_t rows) {
    const auto given = static_cast<std::int64_t>(index);
    const std::int64_t row = given < 0 ? given + rows : given;
    if (row < 0 || row >= rows) {
        throw Error(fmt::format(
            "embedding: index {} is outside the table of {} rows; give indices below {}", given,
            rows, rows));
    }
    return static_cast<std::size_t>(row);
}

// The row that each index refers to.
std::vector<std::size_t> rows_of(std::span<const float> indices, std::int64_t rows) {
    std::vector<std::size_t> named;
    for (const float index : indices) {
        named.push_back(row_of(index, rows));
    }
    return named;
}

// (row, position) of every index, ordered by row.
std::vector<std::pair<std::size_t, std::size_t>> positions_by_row(
    const std::vector<std::size_t>& rows) {
    std::vector<std::pair<std::size_t, std::size_t>> positions;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        positions.emplace_back(rows[i], i);
    }
    std::ranges::sort(positions);
    return positions;
}

}  // namespace

void reference_forward(const Embedding& op, const ReferenceOperands& operands) {
    const auto width = static_cast<std::size_t>(op.width);
    const auto rows = rows_of(operands.inputs[0], op.rows);
    parallel_for(rows.size(), static_cast<double>(width), [&](std::size_t i) {
        std::ranges::copy(operands.inputs[1].subspan(rows[i] * width, width),
                          operands.outputs[0].subspan(i * width, width).begin());
    });
}

// Rows without an index receive zeros; a row with several receives the sum.
void reference_backward(const Embedding& op, const ReferenceOperands& operands) {
    if (!operands.wants_gradient(1)) {
        return;
    }
    const auto width = static_cast<std::size_t>(op.width);
    const auto named = positions_by_row(rows_of(operands.inputs[0], op.rows));
    std::ranges::fill(operands.input_gradients[1], 0.0F);
    std::vector<double> sums(width);
    for (auto at = named.begin(); at != named.end();) {
        const std::size_t row = at->first;
        std::ranges::fill(sums, 0.0);
        for (; at != named.end() && at->first == row; ++at) {
            const auto dy = operands.output_gradients[0].subspan(at->second * width, width);
            std::ranges::transform(sums, dy, sums.begin(), std::plus<>());
        }
        std::ranges::transform(sums, operands.input_gradients[1].subspan(row * width).begin(),
                               [](double sum) { return static_cast<float>(sum); });
    }
}

}  // namespace strata
