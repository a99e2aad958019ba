// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cublas/matmul.h"
#include "backend/cuda/kernels/recurrent.h"
#include "backend/cuda/lowering.h"
#include "backend/lower/recurrent.h"

namespace strata::cuda {

// Rows of floats with a row stride; an operand of matrix products and of a cell's kernels.
struct Rows {
    TensorView view;
    std::int64_t row = 0;
};

using CellPlan = strata::CellPlan<TensorView>;
using CellStates = strata::CellStates<TensorView>;

// The calls of one direction of one layer. W x + b of all steps is one product; each step adds U h
// to its part, reading h from the layer's result, and a kernel computes the cell. The backward pass
// through time is one product and one kernel per step, and overwrites the gates with their
// gradients; the gradients of x, W and U are one product each.
class CellLowering {
public:
    CellLowering(Lowering& lowering, const CellPlan& plan);

    static CudaViews::Layout rows(const Dims& dims) { return {dims, {ElementType::f32}}; }
    static Call zero(const TensorView& view, std::int64_t count);

    // x is [steps * batch, width], y [steps, batch, directions * hidden], both f32.
    void forward(const TensorView& x, const TensorView& y, std::vector<Call>& calls);
    void write_last_states(const CellStates& states, std::vector<Call>& calls) const;
    // `last` are the gradients of the last states, `first` receives those of the first.
    void through_time(const TensorView& dy, const CellStates& last, const CellStates& first,
                      std::vector<Call>& calls);
    // Requires: through_time was called, as below. Adds to dx if another direction has already
    // written it.
    void input_gradient(const TensorView& dx, bool accumulates, std::vector<Call>& calls);
    void weight_gradients(const TensorView& x, std::vector<Call>& calls);

private:
    std::int64_t hidden() const { return plan_.op.hidden; }
    std::int64_t columns() const { return gates_ * hidden(); }
    std::int64_t units() const { return plan_.batch * hidden(); }
    std::int64_t all_rows() const { return plan_.steps * plan_.batch; }
    bool is_lstm() const { return plan_.op.cell == CellKind::lstm; }
    bool is_gru() const { return plan_.op.cell == CellKind::gru; }
    bool resets_before() const { return is_gru() && !plan_.op.reset_after; }
    std::int64_t time_of(std::int64_t position) const {
        return plan_.reverse ? plan_.steps - 1 - position : position;
    }

    CellStep step_at(std::int64_t position) const;
    TensorView dense(std::int64_t count, std::int64_t columns) const;
    // The rows of [steps * batch, columns] that belong to a position in the sequence.
    TensorView at_position(const TensorView& matrix, std::int64_t position,
                           std::int64_t columns) const;
    Rows in_sequence(const TensorView& y, std::int64_t position) const;
    // The state before a position; empty if it is zero.
    std::optional<Rows> state_before(std::int64_t position) const;
    TensorView before_or(std::int64_t position, const TensorView& other) const;
    TensorView cell_before(std::int64_t position) const;

    // y[rows, n] (+)= x[rows, k] w^T, or x w, with rows [first, first + n) or columns of U.
    Call product(const Rows& x, std::int64_t count, const TensorView& weight, std::int64_t n,
                 std::int64_t k, const Rows& y, bool accumulates) const;
    Call gradient_product(const Rows& dy, std::int64_t count, const TensorView& weight,
                          std::int64_t n, std::int64_t k, const Rows& dx, bool accumulates) const;
    Call weight_product(const Rows& dy, const Rows& x, std::int64_t count, std::int64_t n,
                        std::int64_t k, const TensorView& dw, bool accumulates) const;
    TensorView weight_rows(std::int64_t first) const;
    TensorView bias_rows(std::int64_t first, std::int64_t count) const;

    void add_hidden(std::int64_t position, const Rows& to, std::int64_t first, std::int64_t count,
                    bool accumulates, std::vector<Call>& calls) const;
    void step(std::int64_t position, std::vector<Call>& calls);
    void gru_before_step(std::int64_t position, std::vector<Call>& calls);
    void gru_after_step(std::int64_t position, std::vector<Call>& calls);
    void step_back(std::int64_t position, const TensorView& dy, bool has_predecessor,
                   std::vector<Call>& calls);
    void gru_before_back(std::int64_t position, const TensorView& dy, bool has_predecessor,
                         std::vector<Call>& calls);
    void gru_after_back(std::int64_t position, const TensorView& dy, bool has_predecessor,
                        std::vector<Call>& calls);
    void hidden_gradient(std::vector<Call>& calls);
    void hidden_part(const TensorView& gradients, std::int64_t row, std::int64_t first,
                     std::int64_t count, std::vector<Call>& calls, const TensorView& dw) const;
    void bias_gradient(std::vector<Call>& calls);

    Lowering& lowering_;
    CellPlan plan_;
    std::int64_t gates_;  // in number
    SinglePrecision precision_;
    std::optional<TensorView> values_;  // values of the gates, later their gradients
    std::optional<TensorView> y_;
    std::optional<TensorView> cells_;
    std::optional<TensorView> kept_;      // for a GRU: r h, or U_n h + b'
    std::optional<TensorView> products_;  // of one step
    std::optional<TensorView> to_products_;
    std::optional<TensorView> dh_;
    std::optional<TensorView> dc_;
    std::optional<TensorView> passed_;
    std::optional<TensorView> to_reset_;
};

}  // namespace strata::cuda
