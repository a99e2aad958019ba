// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/recurrent_loops.h"
#include "backend/cpu/onednn/inner_product.h"
#include "op/recurrent.h"

namespace strata::cpu {

// One direction of one layer of a Recurrent: where it stands and what it reads.
struct CellPlan {
    const Recurrent& op;
    bool reverse = false;
    dnnl::memory::dim steps = 0;
    dnnl::memory::dim batch = 0;
    dnnl::memory::dim width = 0;       // features of x
    dnnl::memory::dim directions = 1;  // that share a row of y
    dnnl::memory::dim direction = 0;   // this one's part of a row
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
// part and a loop of ours does the rest. Backward through time is one product and one loop a step,
// and leaves the gradients of the gates where the gates were; the gradients of x, W and U are one
// product each.
class CellLowering {
public:
    CellLowering(Lowering& lowering, const CellPlan& plan);

    // x is [steps * batch, width], y [steps, batch, directions * hidden].
    void forward(const Place& x, const Place& y, std::vector<Call>& calls);
    void write_last_states(const std::optional<Place>& h, const std::optional<Place>& c,
                           std::vector<Call>& calls) const;
    // `last` are the gradients of the last states, `first` where those of the first go.
    void through_time(const Place& dy, const StateGradients& last, const StateGradients& first,
                      std::vector<Call>& calls);
    // Requires: through_time, as below.
    void input_gradient(const Place& dx, std::vector<Call>& calls);
    void weight_gradients(const Place& x, std::vector<Call>& calls);

    std::string implementation() const { return input_.implementation(); }
    Bytes workspace() const;

private:
    using Dim = dnnl::memory::dim;

    Dim hidden() const { return plan_.op.hidden; }
    Dim columns() const;
    Dim units() const { return plan_.batch * hidden(); }
    bool is_gru() const { return plan_.op.cell == CellKind::gru; }
    bool is_lstm() const { return plan_.op.cell == CellKind::lstm; }
    bool resets_before() const { return is_gru() && !plan_.op.reset_after; }
    // Whether a slot for the state before the first step precedes the others (follows them where
    // the sequence is read from its end).
    bool has_first_slot() const { return is_gru() || plan_.first_h.has_value(); }
    bool keeps_states() const { return has_first_slot() || plan_.directions > 1; }
    Dim time_of(Dim place) const { return plan_.reverse ? plan_.steps - 1 - place : place; }
    StepShape shape() const;

    Place dense(Dim rows, Dim columns) const;
    // Rows [first, first + count) of a dense matrix.
    static Place rows_of(const Place& matrix, Dim first, Dim count);
    Place step_of(const Place& matrix, Dim time) const;
    Place in_sequence(const Place& y, Dim time) const;
    // The slot of states or cells that lies before or after a place.
    Place before(const Place& slots, Dim place, bool first_slot) const;
    Place after(const Place& slots, Dim place, bool first_slot) const;
    Place state_before(Dim place) const { return before(*states_, place, has_first_slot()); }
    std::optional<Place> dense_state(Dim place) const;

    void begin_states(std::vector<Call>& calls);
    void add_product(std::optional<Call>& prototype, InnerProduct& product, const Place& x,
                     const Place& y, Into into, std::vector<Call>& calls) const;
    void add_gradient_product(std::optional<Call>& prototype, InnerProduct& product,
                              const Place& dy, const Place& dx, std::vector<Call>& calls) const;
    void step(Dim place, const Place& y, std::vector<Call>& calls);
    void plain_step(Dim place, const Place& y, std::vector<Call>& calls);
    void gru_after_step(Dim place, const Place& y, std::vector<Call>& calls);
    void gru_before_step(Dim place, const Place& y, std::vector<Call>& calls);
    void step_back(Dim place, const Place& dy, bool has_predecessor, std::vector<Call>& calls);
    void gru_after_back(Dim place, const Place& dy, bool has_predecessor, std::vector<Call>& calls);
    void gru_before_back(Dim place, const Place& dy, bool has_predecessor,
                         std::vector<Call>& calls);
    void hidden_gradient(std::vector<Call>& calls);
    void gru_hidden_gradient(std::vector<Call>& calls);

    Lowering& lowering_;
    CellPlan plan_;
    InnerProduct input_, hidden_;
    InnerProduct hidden_zr_, hidden_n_;  // the parts of a GRU that resets before its product
    std::optional<Place> gates_, states_, cells_, reset_;
    std::optional<Place> products_, products_n_, no_bias_;
    std::optional<Place> dh_, dc_, passed_, to_products_, to_n_, to_reset_;
    std::optional<Place> bias_gradient_;
    struct {
        std::optional<Call> hidden, zr, n, hidden_back, zr_back, n_back;
    } made_;
};

}  // namespace strata::cpu
