// SPDX-License-Identifier: MIT
#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/elementwise.h"
#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/recurrent_cell.h"

#include <algorithm>

namespace strata::cuda {

namespace {

constexpr Format floats = {ElementType::f32, Order::rows};

// The sums of columns [first, first + count) of a row-major matrix.
std::vector<Call> column_sums(Lowering& lowering, const TensorView& matrix, std::int64_t rows,
                              std::int64_t row, std::int64_t first, std::int64_t count,
                              const TensorView& sums) {
    const FoldShape shape = {
        .extents = {rows, count}, .folded = {true, false}, .inputs = {{row, 1}}, .output = {0, 1}};
    return fold_calls(lowering,
                      sum_fold("strata:bias_gradient", shape, {ElementType::f32, ElementType::f32}),
                      {part_of(matrix, first, {(rows - 1) * row + count})}, {sums});
}

}  // namespace

void CellLowering::weight_gradients(const TensorView& x, std::vector<Call>& calls) {
    const TensorView dw = lowering_.make_gradient(plan_.weight_input, floats);
    calls.push_back(weight_product({*values_, columns()}, {x, plan_.width}, all_rows(), columns(),
                                   plan_.width, dw, false));
    hidden_gradient(calls);
    if (plan_.bias) {
        bias_gradient(calls);
    }
}

void CellLowering::hidden_gradient(std::vector<Call>& calls) {
    const TensorView dw = lowering_.make_gradient(plan_.weight_hidden, floats);
    if (!resets_before()) {
        return hidden_part(is_gru() ? *to_products_ : *values_, columns(), 0, columns(), calls, dw);
    }
    hidden_part(*values_, columns(), 0, 2 * hidden(), calls, dw);
    calls.push_back(weight_product({part_of(*values_, 2 * hidden(), {1}), columns()},
                                   {*kept_, hidden()}, all_rows(), hidden(), hidden(),
                                   part_of(dw, 2 * hidden() * hidden(), {1}), false));
}

// Pairs every step with the state before it: the previous step's, found in the result one step
// away, or for the first step the given one.
void CellLowering::hidden_part(const TensorView& gradients, std::int64_t row, std::int64_t first,
                               std::int64_t count, std::vector<Call>& calls,
                               const TensorView& dw) const {
    const std::int64_t met = (plan_.steps - 1) * plan_.batch;
    const Rows earlier = in_sequence(*y_, plan_.reverse ? plan_.steps - 1 : 0);
    const Rows h = plan_.reverse
                       ? Rows{part_of(earlier.view, plan_.batch * earlier.row, {1}), earlier.row}
                       : earlier;
    const std::int64_t begin = plan_.reverse ? 0 : plan_.batch * row;
    const TensorView target = part_of(dw, first * hidden(), {count * hidden()});
    if (met > 0) {
        calls.push_back(weight_product({part_of(gradients, begin + first, {1}), row}, h, met, count,
                                       hidden(), target, false));
    } else {
        calls.push_back({fill("strata:zero", count * hidden(), ElementType::f32, 0), {target}});
    }
    if (plan_.first_h) {
        const TensorView own = part_of(at_position(gradients, 0, row), first, {1});
        calls.push_back(weight_product({own, row}, {*plan_.first_h, hidden()}, plan_.batch, count,
                                       hidden(), target, true));
    }
}

// With reset_after, the sum of the products' gradients is also the gradient of b', the fourth
// block.
void CellLowering::bias_gradient(std::vector<Call>& calls) {
    const TensorView db = lowering_.make_gradient(*plan_.bias, floats);
    std::ranges::move(column_sums(lowering_, *values_, all_rows(), columns(), 0, columns(), db),
                      std::back_inserter(calls));
    if (is_gru() && !resets_before()) {
        std::ranges::move(column_sums(lowering_, *to_products_, all_rows(), columns(), 2 * hidden(),
                                      hidden(), part_of(db, columns(), {hidden()})),
                          std::back_inserter(calls));
    }
}

}  // namespace strata::cuda
