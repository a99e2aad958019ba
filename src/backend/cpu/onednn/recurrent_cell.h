// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/recurrent_loops.h"
#include "backend/cpu/onednn/inner_product.h"
#include "backend/lower/recurrent.h"

namespace strata::cpu {

using CellPlan = strata::CellPlan<TensorView>;
using CellStates = strata::CellStates<TensorView>;

// The calls of one direction of one layer. W x + b of all steps is one product; each step adds U h
// to its part, and a loop of ours computes the cell. The backward pass through time is one product
// and one loop per step, and overwrites the gates with their gradients; the gradients of x, W and U
// are one product each.
class CellLowering {
public:
    CellLowering(Lowering& lowering, const CellPlan& plan);

    static Desc rows(const Dims& dims) { return plain(dims, ElementType::f32); }
    static Call zero(const TensorView& view, std::int64_t count);

    // x is [steps * batch, width], y [steps, batch, directions * hidden].
    void forward(const TensorView& x, const TensorView& y, std::vector<Call>& calls);
    void write_last_states(const CellStates& states, std::vector<Call>& calls) const;
    // `last` are the gradients of the last states, `first` receives those of the first.
    void through_time(const TensorView& dy, const CellStates& last, const CellStates& first,
                      std::vector<Call>& calls);
    // Requires: through_time was called, as below. Adds to dx if another direction has already
    // written it.
    void input_gradient(const TensorView& dx, bool accumulates, std::vector<Call>& calls);
    void weight_gradients(const TensorView& x, std::vector<Call>& calls);

    std::string implementation() const { return input_.implementation(); }
    // Why a product of the pass is not the requested one; empty if all are.
    std::string refusal() const;
    Bytes workspace() const;

private:
    using Dim = dnnl::memory::dim;

    Dim hidden() const { return plan_.op.hidden; }
    Dim columns() const;
    Dim units() const { return plan_.batch * hidden(); }
    bool is_gru() const { return plan_.op.cell == CellKind::gru; }
    bool is_lstm() const { return plan_.op.cell == CellKind::lstm; }
    bool resets_before() const { return is_gru() && !plan_.op.reset_after; }
    // Whether a slot for the state before the first step precedes the others (follows them if the
    // sequence is read backwards).
    bool has_first_slot() const { return is_gru() || plan_.first_h.has_value(); }
    bool keeps_states() const { return has_first_slot() || plan_.directions > 1; }
    Dim time_of(Dim position) const {
        return plan_.reverse ? plan_.steps - 1 - position : position;
    }
    StepShape shape() const;
    // The algorithm for the products of all steps together.
    LinearAlgorithm way(Pass pass) const;

    TensorView dense(Dim rows, Dim columns) const;
    // Rows [first, first + count) of a dense matrix.
    static TensorView rows_of(const TensorView& matrix, Dim first, Dim count);
    TensorView step_of(const TensorView& matrix, Dim time) const;
    TensorView in_sequence(const TensorView& y, Dim time) const;
    // The slot of states or cells before or after a position in the sequence.
    TensorView before(const TensorView& slots, Dim position, bool first_slot) const;
    TensorView after(const TensorView& slots, Dim position, bool first_slot) const;
    TensorView state_before(Dim position) const {
        return before(*states_, position, has_first_slot());
    }
    std::optional<TensorView> dense_state(Dim position) const;

    void begin_states(std::vector<Call>& calls);
    void add_product(std::optional<Call>& prototype, InnerProduct& product, const TensorView& x,
                     const TensorView& y, Into into, std::vector<Call>& calls) const;
    void add_gradient_product(std::optional<Call>& prototype, InnerProduct& product,
                              const TensorView& dy, const TensorView& dx,
                              std::vector<Call>& calls) const;
    void step(Dim position, const TensorView& y, std::vector<Call>& calls);
    void plain_step(Dim position, const TensorView& y, std::vector<Call>& calls);
    void gru_after_step(Dim position, const TensorView& y, std::vector<Call>& calls);
    void gru_before_step(Dim position, const TensorView& y, std::vector<Call>& calls);
    void step_back(Dim position, const TensorView& dy, bool has_predecessor,
                   std::vector<Call>& calls);
    void gru_after_back(Dim position, const TensorView& dy, bool has_predecessor,
                        std::vector<Call>& calls);
    void gru_before_back(Dim position, const TensorView& dy, bool has_predecessor,
                         std::vector<Call>& calls);
    void hidden_gradient(std::vector<Call>& calls);
    void gru_hidden_gradient(std::vector<Call>& calls);

    Lowering& lowering_;
    CellPlan plan_;
    InnerProduct input_, hidden_;
    InnerProduct hidden_zr_, hidden_n_;  // the parts of a GRU that resets before its product
    std::optional<TensorView> gates_, states_, cells_, reset_;
    std::optional<TensorView> products_, products_n_, no_bias_;
    std::optional<TensorView> dh_, dc_, passed_, to_products_, to_n_, to_reset_;
    std::optional<TensorView> bias_gradient_;
    struct {
        std::optional<Call> hidden, zr, n, hidden_back, zr_back, n_back;
    } made_;
};

}  // namespace strata::cpu
