// SPDX-License-Identifier: MIT
#pragma once

#include "op/recurrent.h"

#include <cstddef>
#include <vector>

namespace strata {

// One direction of one layer of a Recurrent: its operands, row-major. Absent ones are null.
struct CellOperands {
    const Recurrent& op;
    bool reverse = false;
    std::ptrdiff_t steps = 0;
    std::ptrdiff_t batch = 0;
    std::ptrdiff_t width = 0;              // features of x
    const float* x = nullptr;              // [steps, batch, width]
    const float* weight_input = nullptr;   // [gates * hidden, width]
    const float* weight_hidden = nullptr;  // [gates * hidden, hidden]
    const float* bias = nullptr;
    const float* first_h = nullptr;  // [batch, hidden]
    const float* first_c = nullptr;

    std::ptrdiff_t hidden() const { return op.hidden; }
    std::ptrdiff_t gates() const;  // blocks of `hidden` values
    std::ptrdiff_t units() const { return batch * op.hidden; }
    // The time that is read at the n-th position.
    std::ptrdiff_t time_of(std::ptrdiff_t place) const {
        return reverse ? steps - 1 - place : place;
    }
};

// What the forward pass saves, by time.
struct CellTrace {
    std::vector<float> gates;     // [steps, batch, gates * hidden], activated
    std::vector<float> products;  // [steps, batch, hidden] of a GRU: U h + b', or r h
    std::vector<float> cells;     // [steps, batch, hidden], c of an LSTM
    std::vector<float> states;    // [steps, batch, hidden], h

    // The [batch, hidden] block of states or cells before this position; `first` at the start.
    static const float* before(const std::vector<float>& values, const CellOperands& o,
                               std::ptrdiff_t place, const float* first);
};

CellTrace forward_of(const CellOperands& operands);

// d(loss)/d(sum before each gate's function), by time; and d(loss)/d(first states).
struct CellGradients {
    std::vector<float> gates;     // of W x + b: [steps, batch, gates * hidden]
    std::vector<float> products;  // of U h; differs only for a GRU with reset_after
    std::vector<float> first_h;
    std::vector<float> first_c;
};

// Backward through time. `dy` is [steps, batch, hidden]; `last_h` and `last_c` are the gradients of
// the last states, or null.
CellGradients backward_of(const CellOperands& operands, const CellTrace& trace,
                          const std::vector<float>& dy, const float* last_h, const float* last_c);

}  // namespace strata
