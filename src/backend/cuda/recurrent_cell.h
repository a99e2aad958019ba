// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cublas/matmul.h"
#include "backend/cuda/kernels/recurrent.h"

namespace strata::cuda {

// Rows of floats, so far apart; what a matrix product and a cell's kernels read.
struct Rows {
    Place place;
    std::int64_t row = 0;
};

// One direction of one layer of a Recurrent: where it stands and what it reads.
struct CellPlan {
    const Recurrent& op;
    bool reverse = false;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0;       // features of x
    std::int64_t directions = 1;  // that share a row of y
    std::int64_t direction = 0;   // this one's part of a row
    TensorId weight_input = 0;
    TensorId weight_hidden = 0;
    std::optional<TensorId> bias = {};
    std::optional<Place> first_h = {};  // [batch, hidden]
    std::optional<Place> first_c = {};
};

// Gradients of the states beside the sequence; absent where there are none, or none is wanted.
struct StateGradients {
    std::optional<Place> h = {};
    std::optional<Place> c = {};
};

// The calls of one direction of one layer. All of W x + b is one product; each step adds U h to its
// part, reading h where the layer's result has it, and a kernel does the rest. Backward through
// time is one product and one kernel a step, and leaves the gradients of the gates where the gates
// were; the gradients of x, W and U are one product each.
class CellLowering {
public:
    CellLowering(Lowering& lowering, const CellPlan& plan);

    // x is [steps * batch, width], y [steps, batch, directions * hidden], both f32.
    void forward(const Place& x, const Place& y, std::vector<Call>& calls);
    void write_last_states(const std::optional<Place>& h, const std::optional<Place>& c,
                           std::vector<Call>& calls) const;
    // `last` are the gradients of the last states, `first` where those of the first go.
    void through_time(const Place& dy, const StateGradients& last, const StateGradients& first,
                      std::vector<Call>& calls);
    // Requires: through_time, as below. Adds to dx where another direction has written it.
    void input_gradient(const Place& dx, bool accumulates, std::vector<Call>& calls);
    void weight_gradients(const Place& x, std::vector<Call>& calls);

private:
    std::int64_t hidden() const { return plan_.op.hidden; }
    std::int64_t columns() const { return gates_ * hidden(); }
    std::int64_t units() const { return plan_.batch * hidden(); }
    std::int64_t rows() const { return plan_.steps * plan_.batch; }
    bool is_lstm() const { return plan_.op.cell == CellKind::lstm; }
    bool is_gru() const { return plan_.op.cell == CellKind::gru; }
    bool resets_before() const { return is_gru() && !plan_.op.reset_after; }
    std::int64_t time_of(std::int64_t place) const {
        return plan_.reverse ? plan_.steps - 1 - place : place;
    }

    CellStep step_at(std::int64_t place) const;
    Place dense(std::int64_t count, std::int64_t columns) const;
    // The part of [steps * batch, columns] that belongs to a place of the sequence.
    Place at_place(const Place& matrix, std::int64_t place, std::int64_t columns) const;
    Rows in_sequence(const Place& y, std::int64_t place) const;
    // The state before a place; nothing where it is zero.
    std::optional<Rows> state_before(std::int64_t place) const;
    Place before_or(std::int64_t place, const Place& other) const;
    Place cell_before(std::int64_t place) const;

    // y[rows, n] (+)= x[rows, k] w^T, or x w, with rows [first, first + n) or columns of U.
    Call product(const Rows& x, std::int64_t count, const Place& weight, std::int64_t n,
                 std::int64_t k, const Rows& y, bool accumulates) const;
    Call gradient_product(const Rows& dy, std::int64_t count, const Place& weight, std::int64_t n,
                          std::int64_t k, const Rows& dx, bool accumulates) const;
    Call weight_product(const Rows& dy, const Rows& x, std::int64_t count, std::int64_t n,
                        std::int64_t k, const Place& dw, bool accumulates) const;
    Place weight_rows(std::int64_t first) const;
    Place bias_rows(std::int64_t first, std::int64_t count) const;

    void add_hidden(std::int64_t place, const Rows& to, std::int64_t first, std::int64_t count,
                    bool accumulates, std::vector<Call>& calls) const;
    void step(std::int64_t place, std::vector<Call>& calls);
    void gru_before_step(std::int64_t place, std::vector<Call>& calls);
    void gru_after_step(std::int64_t place, std::vector<Call>& calls);
    void step_back(std::int64_t place, const Place& dy, bool has_predecessor,
                   std::vector<Call>& calls);
    void gru_before_back(std::int64_t place, const Place& dy, bool has_predecessor,
                         std::vector<Call>& calls);
    void gru_after_back(std::int64_t place, const Place& dy, bool has_predecessor,
                        std::vector<Call>& calls);
    void hidden_gradient(std::vector<Call>& calls);
    void hidden_part(const Place& gradients, std::int64_t row, std::int64_t first,
                     std::int64_t count, std::vector<Call>& calls, const Place& dw) const;
    void bias_gradient(std::vector<Call>& calls);

    Lowering& lowering_;
    CellPlan plan_;
    std::int64_t gates_;  // in number
    SinglePrecision precision_;
    std::optional<Place> values_;  // of the gates, later their gradients
    std::optional<Place> y_;
    std::optional<Place> cells_;
    std::optional<Place> kept_;      // of a GRU: r h, or U_n h + b'
    std::optional<Place> products_;  // of one step
    std::optional<Place> to_products_;
    std::optional<Place> dh_;
    std::optional<Place> dc_;
    std::optional<Place> passed_;
    std::optional<Place> to_reset_;
};

}  // namespace strata::cuda
