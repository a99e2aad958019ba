// SPDX-License-Identifier: MIT
#pragma once

#include "op/recurrent.h"

#include <cudnn.h>

#include <vector>

namespace strata::testing {

// A layer as described by its descriptors.
struct ScriptedLayer {
    Recurrent op;
    bool double_bias = false;
    std::int64_t features = 0;

    std::int64_t directions() const {
        return op.direction == strata::Direction::bidirectional ? 2 : 1;
    }
    std::int64_t cells() const { return op.layers * directions(); }
    std::int64_t gates() const {
        return op.cell == CellKind::lstm ? 4 : op.cell == CellKind::gru ? 3 : 1;
    }
    std::int64_t width(std::int64_t cell, std::int64_t number) const {
        const bool reads_sequence = number < gates() && cell < directions();
        return reads_sequence ? features : number < gates() ? directions() * op.hidden : op.hidden;
    }
    bool has_bias(std::int64_t number) const {
        return op.bias && (double_bias || number < gates());
    }
};

ScriptedLayer described(cudnnRNNDescriptor_t rnn);

// Parameters have an order that nobody would guess: the last cell first; within a cell each
// product's bias and then its matrix, the last product first. Returns the element; -1 returns the
// end.
std::int64_t view_of(const ScriptedLayer& layer, std::int64_t cell, std::int64_t number, bool bias);

// One of our parameters, and the positions of its parts among cuDNN's.
struct Part {
    std::int64_t first;
    std::int64_t count;
    std::int64_t view;
};
struct Parameter {
    Dims dims;
    std::vector<Part> parts;
};

// All of them, in our operator's order, placed according to cuDNN's documentation of its numbers.
std::vector<Parameter> parameters_of(const ScriptedLayer& layer);

std::size_t size_of(const Dims& dims);

// One of our parameters, collected from cuDNN's.
std::vector<float> gathered(const Parameter& parameter, const void* all);

}  // namespace strata::testing
